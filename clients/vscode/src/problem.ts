/** Tells why the server is not running. The status item goes on saying it; the notice comes once. */

import * as vscode from "vscode";
import { type Action, type Failure, titleOf } from "./remedy";
import type { Server } from "./server";
import type { ServerState } from "./status";

/** Opened in a browser when somebody asks for it, and never by itself. */
const PYTHON = "https://www.python.org/downloads/";

export class ProblemNotice implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private told = false;

  constructor(private readonly server: Server) {
    this.subscription = server.onDidChangeState((state) => this.onState(state));
  }

  /** Shows the notice again, for somebody who asks. */
  async show(): Promise<void> {
    const { state } = this.server;
    if (state.kind === "stopped") {
      await this.tell(state.failure);
    }
  }

  /** Makes the next failure news, because somebody tries something about it. */
  forget(): void {
    this.told = false;
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Somebody who types the path of an interpreter makes many failures, and needs to hear of one. */
  private onState(state: ServerState): void {
    if (state.kind === "running") {
      this.told = false;
    } else if (state.kind === "stopped" && !this.told) {
      this.told = true;
      void this.tell(state.failure);
    }
  }

  private async tell({ problem, remedy, actions }: Failure): Promise<void> {
    const items = actions.map((action) => ({ title: titleOf(action), action }));
    const answer = await vscode.window.showWarningMessage(`${problem} ${remedy}`, ...items);
    if (answer !== undefined) {
      await perform(answer.action);
    }
  }
}

export async function perform(action: Action): Promise<void> {
  switch (action) {
    case "interpreter":
      await vscode.commands.executeCommand("synapse.selectInterpreter");
      break;
    case "retry":
      await vscode.commands.executeCommand("synapse.restartServer");
      break;
    case "install":
      await vscode.env.openExternal(vscode.Uri.parse(PYTHON));
      break;
    case "log":
      await vscode.commands.executeCommand("synapse.showLog");
      break;
  }
}
