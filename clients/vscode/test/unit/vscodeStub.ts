/** What the pure modules use of the editor's module: messages, here untranslated. */

export const l10n = {
  t: (message: string, ...args: readonly (string | number)[]): string =>
    message.replace(/\{(\d+)\}/g, (_, index) => String(args[Number(index)])),
};

export const window = {
  messages: [] as string[],
  showWarningMessage: async (message: string) => {
    window.messages.push(message);
  },
  createQuickPick: (): unknown => undefined,
};

export const workspace = {
  isTrusted: true,
  asRelativePath: String,
  workspaceFolders: undefined as
    | readonly { readonly uri: { readonly fsPath: string } }[]
    | undefined,
  didChangeFolders: (): void => undefined,
  onDidChangeWorkspaceFolders: (listener: () => void): Disposable => {
    workspace.didChangeFolders = listener;
    return new Disposable();
  },
};

export class Disposable {
  static from = (): Disposable => new Disposable();

  dispose(): void {}
}

export class EventEmitter {
  fire(): void {}
}

export const commands = { executeCommand: async () => undefined };

interface RegisteredServer {
  readonly server: { readonly env: { readonly PATH: string } };
}

export const cursor = {
  mcp: {
    servers: [] as RegisteredServer[],
    registerServer: (server: RegisteredServer): void => {
      cursor.mcp.servers.push(server);
    },
  },
};

export const ConfigurationTarget = {};

export const Uri = {
  parse: (uri: string) => uri,
};
