/** The connection, without the library's own notices and restarts: `Server` decides about both. */

import type { LogOutputChannel } from "vscode";
import {
  CloseAction,
  ErrorAction,
  type Executable,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";
import { SELECTOR } from "./documents";

export class QuietClient extends LanguageClient {
  constructor(run: Executable, log: LogOutputChannel) {
    const options: LanguageClientOptions = {
      documentSelector: SELECTOR,
      outputChannel: log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
    };
    super("synapse", "Synapse", run, options);
  }

  /** Logs only. A server that cannot start would else be told of several times over. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}
