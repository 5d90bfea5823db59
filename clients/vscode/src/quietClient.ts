/** The connection, without the library's own notices and restarts: `Server` decides about both. */

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
  type Executable,
  ExecuteCommandRequest,
  LanguageClient,
  type LanguageClientOptions,
  type Location,
  type Position,
  type ProgressToken,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";
import type { Connection, Method } from "./connection";
import { SELECTOR } from "./documents";
import { forgotten } from "./forgotten";

export { State } from "vscode-languageclient/node";

/** Commands of lenses for which VS Code has a better place than the server could show. */
const OWN: Readonly<Record<string, string>> = {
  "synapse.preview": "synapse.showContext",
};

/** The command of a lens that says how often something is used. */
const REFERENCES = "synapse.references";

/** What the server calls itself in its diagnostics. */
const SOURCE = "synapse";

interface Place {
  readonly uri: string;
  readonly position: Position;
}

/** What the server is told with `initialize`, beyond the protocol. */
export interface InitializationOptions {
  readonly trusted: boolean;
}

export class QuietClient extends LanguageClient implements Connection {
  private readonly busyChanged = new EventEmitter<boolean>();
  /** Whether the server reports progress. */
  readonly onDidChangeBusy = this.busyChanged.event;
  private readonly underWay = new Set<ProgressToken>();

  constructor(
    run: Executable,
    log: LogOutputChannel,
    initializationOptions: InitializationOptions,
  ) {
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      initializationOptions,
      outputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      middleware: {
        executeCommand: (command, args, next) => {
          const own = OWN[command];
          if (own !== undefined) {
            return commands.executeCommand(own, ...args);
          }
          return command === REFERENCES ? this.listReferences(args[0]) : next(command, args);
        },
        provideWorkspaceDiagnostics: (known, token, report, next) =>
          next([...known, ...forgotten(known, shown())], token, report),
        handleWorkDoneProgress: (token, params, next) => {
          this.track(token, params.kind);
          next(token, params);
        },
      },
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
    };
    super("synapse", "Synapse", run, options);
  }

  ask<P, R>({ name }: Method<P, R>, params: P, token?: CancellationToken): Promise<R> {
    // A token that is not there would be sent as a second parameter.
    return token === undefined
      ? this.sendRequest<R>(name, params)
      : this.sendRequest<R>(name, params, token);
  }

  private track(token: ProgressToken, kind: "begin" | "report" | "end"): void {
    if (kind === "end") {
      this.underWay.delete(token);
    } else {
      this.underWay.add(token);
    }
    this.busyChanged.fire(this.underWay.size > 0);
  }

  /** VS Code has a list for places; the server would have to tell them in a message. */
  private async listReferences(place: Place): Promise<void> {
    const found = await this.sendRequest(ExecuteCommandRequest.type, {
      command: REFERENCES,
      arguments: [{ ...place, quiet: true }],
    });
    const { protocol2CodeConverter: convert } = this;
    await commands.executeCommand(
      "editor.action.showReferences",
      convert.asUri(place.uri),
      convert.asPosition(place.position),
      (found ?? []).map((location: Location) => convert.asLocation(location)),
    );
  }

  /** Logs only. A server that cannot start would else be told of several times over. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** The files about which the server's findings are shown. */
function shown(): Uri[] {
  return languages
    .getDiagnostics()
    .filter(([, found]) => found.some(({ source }) => source === SOURCE))
    .map(([uri]) => uri);
}
