/** The sessions that somebody has pinned. They outlive the server that follows them, and the window. */

import * as vscode from "vscode";
import { executeCommand } from "./protocol";
import type { Server } from "./server";

const KEY = "synapse.pins";

/** Root of a tree, a URI -> the id of the session that is followed there. */
type Pinned = Readonly<Record<string, string>>;

export class Pins implements vscode.Disposable {
  private readonly subscriptions: vscode.Disposable;

  constructor(
    private readonly memory: vscode.Memento,
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.subscriptions = vscode.Disposable.from(
      server.onDidChangeState(({ kind }) => kind === "running" && void this.restore()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        // The setting says anew what is followed.
        if (change.affectsConfiguration("synapse.session")) {
          void memory.update(KEY, undefined);
        }
      }),
    );
  }

  /** What is followed in a tree from now on; null for the newest session. */
  async remember(root: string, session: string | null): Promise<void> {
    const { [root]: _, ...others } = this.pinned;
    await this.memory.update(KEY, session === null ? others : { ...others, [root]: session });
  }

  dispose(): void {
    this.subscriptions.dispose();
  }

  private get pinned(): Pinned {
    return this.memory.get<Pinned>(KEY, {});
  }

  private async restore(): Promise<void> {
    for (const [uri, session] of Object.entries(this.pinned)) {
      const argument = { command: "synapse.pin", arguments: [{ uri, session }] };
      try {
        await this.server.connection?.ask(executeCommand, argument);
      } catch (error) {
        // The session is gone, or its tree is; the newest is followed.
        this.log.info(`${session} is not followed any more: ${error}`);
        await this.remember(uri, null);
      }
    }
  }
}
