/**
 * This module stores the pinned sessions in the workspace state and pins them again after a server
 * start.
 */

import * as vscode from "vscode";
import { executeCommand } from "../connection";
import type { Server } from "../server/server";

const STATE_KEY = "synapse.pins";

/** The pinned session id by the root of its tree (a URI). */
type SessionByRoot = Readonly<Record<string, string>>;

export class PinnedSessions implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly memory: vscode.Memento,
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = vscode.Disposable.from(
      server.onDidChangeState(({ kind }) => kind === "running" && void this.restorePins()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        // The setting says anew what is followed.
        if (change.affectsConfiguration("synapse.session")) {
          void memory.update(STATE_KEY, undefined);
        }
      }),
    );
  }

  /** Stores the pinned session of a tree; null for the newest session. */
  async setPin(root: string, session: string | null): Promise<void> {
    const { [root]: _, ...others } = this.sessionByRoot;
    await this.memory.update(STATE_KEY, session === null ? others : { ...others, [root]: session });
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private get sessionByRoot(): SessionByRoot {
    return this.memory.get<SessionByRoot>(STATE_KEY, {});
  }

  private async restorePins(): Promise<void> {
    for (const [uri, session] of Object.entries(this.sessionByRoot)) {
      const argument = { command: "synapse.pin", arguments: [{ uri, session }] };
      try {
        await this.server.connection?.request(executeCommand, argument);
      } catch (error) {
        // The session is gone, or its tree is; the newest is followed.
        this.log.info(`${session} is not followed any more: ${error}`);
        await this.setPin(uri, null);
      }
    }
  }
}
