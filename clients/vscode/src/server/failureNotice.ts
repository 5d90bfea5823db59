/** This module shows once why the server is not running; the status item keeps showing it. */

import * as vscode from "vscode";
import type { ServerState } from "../server/serverState";
import { showWarning } from "../text/messages";
import type { Server } from "./server";
import { actionTitle, type FailureAction, type StartFailure } from "./serverState";

/** The download page; it is opened only on request. */
const PYTHON_DOWNLOAD_URL = "https://www.python.org/downloads/";

export class FailureNotice implements vscode.Disposable {
  private readonly subscription: vscode.Disposable;
  private isAnnounced = false;

  constructor(private readonly server: Server) {
    this.subscription = server.onDidChangeState((state) => this.announceFailure(state));
  }

  /** Shows the notice again on request. */
  async show(): Promise<void> {
    const { state } = this.server;
    if (state.kind === "stopped") {
      await this.showFailure(state.failure);
    }
  }

  /** Lets the next failure be announced again. */
  reset(): void {
    this.isAnnounced = false;
  }

  dispose(): void {
    this.subscription.dispose();
  }

  /** Announces a failure once; typing the path of an interpreter causes many. */
  private announceFailure(state: ServerState): void {
    if (state.kind === "running") {
      this.isAnnounced = false;
    } else if (state.kind === "stopped" && !this.isAnnounced) {
      this.isAnnounced = true;
      void this.showFailure(state.failure);
    }
  }

  private async showFailure({ problem, remedy, actions }: StartFailure): Promise<void> {
    const items = actions.map((action) => ({ title: actionTitle(action), action }));
    const answer = await showWarning(`${problem} ${remedy}`, ...items);
    if (answer !== undefined) {
      await performAction(answer.action);
    }
  }
}

export async function performAction(action: FailureAction): Promise<void> {
  switch (action) {
    case "interpreter":
      await vscode.commands.executeCommand("synapse.selectInterpreter");
      break;
    case "retry":
      await vscode.commands.executeCommand("synapse.restartServer");
      break;
    case "install":
      await vscode.env.openExternal(vscode.Uri.parse(PYTHON_DOWNLOAD_URL));
      break;
    case "log":
      await vscode.commands.executeCommand("synapse.showLog");
      break;
  }
}
