/**
 * This module implements the LSP client without the library's own notices and restarts; `Server`
 * decides about both.
 */

import type { ChildProcess } from "node:child_process";
import {
  type CancellationToken,
  commands,
  EventEmitter,
  type LogOutputChannel,
  languages,
  type Uri,
} from "vscode";
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  type Location,
  type Position,
  type ProgressToken,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";
import type { Connection, Method } from "../connection";
import { DOCUMENT_SELECTOR } from "../workspace/documentSelector";
import { runningProcess } from "./serverProcess";
import { staleResultIds } from "./staleDiagnostics";

export { State } from "vscode-languageclient/node";

/** Commands of code lenses that the extension runs instead of the server. */
const CLIENT_COMMANDS: Readonly<Record<string, string>> = {
  "synapse.preview": "synapse.showContext",
};

/** The command of a lens that says how often something is used. */
const REFERENCES_COMMAND = "synapse.references";

/** The `source` of the server's diagnostics. */
const DIAGNOSTIC_SOURCE = "synapse";

interface ReferencePosition {
  readonly uri: string;
  readonly position: Position;
}

/** The `initializationOptions` of the server. */
export interface InitializationOptions {
  readonly trusted: boolean;
  /** What it would ask for first else, while the editor has much to do. */
  readonly settings: unknown;
}

export class QuietLanguageClient extends LanguageClient implements Connection {
  private readonly busyEmitter = new EventEmitter<boolean>();
  /** Whether the server reports progress. */
  readonly onDidChangeBusy = this.busyEmitter.event;
  private readonly progressTokens = new Set<ProgressToken>();
  private readonly findingsEmitter = new EventEmitter<void>();
  /** Fires when the server has said what is wrong with an open file. */
  readonly onDidReceiveFindings = this.findingsEmitter.event;

  constructor(
    server: ChildProcess,
    log: LogOutputChannel,
    initializationOptions: InitializationOptions,
  ) {
    const options: LanguageClientOptions = {
      documentSelector: DOCUMENT_SELECTOR,
      // Of the commands in a hover, only those that show something may be run from its links.
      initializationOptions: { ...initializationOptions, commandLinks: true },
      markdown: { isTrusted: { enabledCommands: ["synapse.showContext"] } },
      outputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: {
        executeCommand: (command, args, next) => {
          const own = CLIENT_COMMANDS[command];
          if (own !== undefined) {
            return commands.executeCommand(own, ...args);
          }
          return command === REFERENCES_COMMAND
            ? this.listReferences(args[0])
            : next(command, args);
        },
        provideDiagnostics: async (document, known, token, next) => {
          const report = await next(document, known, token);
          this.findingsEmitter.fire();
          return report;
        },
        provideWorkspaceDiagnostics: (known, token, report, next) =>
          next([...known, ...staleResultIds(known, filesWithFindings())], token, report),
        handleWorkDoneProgress: (token, params, next) => {
          this.trackProgress(token, params.kind);
          next(token, params);
        },
      },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
    };
    super("synapse", "Synapse", () => runningProcess(server), options);
  }

  request<P, R>({ name }: Method<P, R>, params: P, token?: CancellationToken): Promise<R> {
    // A token that is not there would be sent as a second parameter.
    return token === undefined
      ? this.sendRequest<R>(name, params)
      : this.sendRequest<R>(name, params, token);
  }

  private trackProgress(token: ProgressToken, kind: "begin" | "report" | "end"): void {
    if (kind === "end") {
      this.progressTokens.delete(token);
    } else {
      this.progressTokens.add(token);
    }
    this.busyEmitter.fire(this.progressTokens.size > 0);
  }

  /** Shows the references in VS Code's own list. */
  private async listReferences(place: ReferencePosition): Promise<void> {
    const locations = await this.sendRequest(ExecuteCommandRequest.type, {
      command: REFERENCES_COMMAND,
      arguments: [{ ...place, quiet: true }],
    });
    const { protocol2CodeConverter: convert } = this;
    await commands.executeCommand(
      "editor.action.showReferences",
      convert.asUri(place.uri),
      convert.asPosition(place.position),
      (locations ?? []).map((location: Location) => convert.asLocation(location)),
    );
  }

  /** Logs an error without a notification; `Server` shows one failure only. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** Returns the files for which diagnostics of the server are shown. */
function filesWithFindings(): Uri[] {
  return languages
    .getDiagnostics()
    .filter(([, found]) => found.some(({ source }) => source === DIAGNOSTIC_SOURCE))
    .map(([uri]) => uri);
}
