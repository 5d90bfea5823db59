/** The status bar item: bracket and share of the window left, for the tree one is working in. */

import * as vscode from "vscode";
import { type Status, status } from "./protocol";
import type { Server } from "./server";
import { viewOf } from "./status";

export class StatusItem implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly subscriptions: vscode.Disposable[];
  /** A file or folder of the tree that is shown; an editor without a file leaves it as it is. */
  private place: string | undefined;
  private shown: Status | undefined;
  private asked = 0;

  constructor(
    private readonly server: Server,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.item = vscode.window.createStatusBarItem(
      "synapse.status",
      vscode.StatusBarAlignment.Right,
      100,
    );
    this.item.name = vscode.l10n.t("Synapse Context");
    this.subscriptions = [
      this.item,
      server.onDidChangeState(() => this.refresh()),
      server.onDidChangeContext(() => this.refresh()),
      vscode.window.onDidChangeActiveTextEditor(() => this.follow()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.follow()),
    ];
    this.follow();
  }

  /** The root of the tree that is shown, a URI. */
  get root(): string | undefined {
    return this.shown?.root;
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private follow(): void {
    const edited = vscode.window.activeTextEditor?.document.uri;
    const place = edited?.scheme === "file" ? edited.toString() : this.place;
    this.place = place ?? vscode.workspace.workspaceFolders?.[0]?.uri.toString();
    void this.refresh();
  }

  private async refresh(): Promise<void> {
    const turn = ++this.asked;
    const answer = await this.answer();
    // A later question has a later answer, whichever arrives first.
    if (turn === this.asked) {
      this.shown = answer;
      this.show();
    }
  }

  private async answer(): Promise<Status | undefined> {
    const params = this.place === undefined ? {} : { uri: this.place };
    try {
      return await this.server.connection?.sendRequest(status, params);
    } catch (error) {
      // A place outside of every tree, or a server that leaves while it is asked.
      this.log.debug(String(error));
      return undefined;
    }
  }

  private show(): void {
    const view = viewOf(this.server.state, this.shown);
    if (view === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = view.text;
    this.item.tooltip = new vscode.MarkdownString(view.tooltip);
    this.item.accessibilityInformation = { label: view.label, role: "button" };
    this.item.command = view.command;
    this.item.backgroundColor = view.alarming
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : undefined;
    this.item.show();
  }
}
