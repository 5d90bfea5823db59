/** The status bar item: what the next prompt would meet, for the tree one is working in. */

import * as vscode from "vscode";
import type { CurrentTree } from "./currentTree";
import type { Server } from "./server";
import { INSTALL, viewOf } from "./status";

export class StatusItem implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly subscription: vscode.Disposable;

  constructor(
    private readonly server: Server,
    private readonly tree: CurrentTree,
  ) {
    this.item = vscode.window.createStatusBarItem(
      "synapse.status",
      vscode.StatusBarAlignment.Right,
      100,
    );
    this.item.name = vscode.l10n.t("Synapse Context");
    this.subscription = tree.onDidChange(() => this.show());
    this.show();
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private show(): void {
    const view = viewOf(this.server.state, this.tree.status);
    if (view === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = view.text;
    const tooltip = new vscode.MarkdownString(view.tooltip);
    tooltip.isTrusted = { enabledCommands: [INSTALL] };
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: view.label, role: "button" };
    this.item.command = view.command;
    this.item.backgroundColor = view.alarming
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : undefined;
    this.item.show();
  }
}
