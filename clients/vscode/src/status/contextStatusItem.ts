/** This module shows the status bar item about the next prompt of the current tree. */

import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { CurrentTree } from "../workspace/currentTree";
import { contextStatusView, INSTALL_HOOK_COMMAND } from "./contextStatusText";

export class ContextStatusItem implements vscode.Disposable {
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
    this.subscription = tree.onDidChange(() => this.updateItem());
    this.updateItem();
  }

  dispose(): void {
    this.subscription.dispose();
    this.item.dispose();
  }

  private updateItem(): void {
    const view = contextStatusView(this.server.state, this.tree.status, {
      now: Date.now(),
      locale: vscode.env.language,
    });
    if (view === undefined) {
      this.item.hide();
      return;
    }
    this.item.text = view.text;
    const tooltip = new vscode.MarkdownString(view.tooltip);
    tooltip.supportThemeIcons = true;
    tooltip.isTrusted = { enabledCommands: [INSTALL_HOOK_COMMAND] };
    this.item.tooltip = tooltip;
    this.item.accessibilityInformation = { label: view.label, role: "button" };
    this.item.command = view.command;
    this.item.backgroundColor = view.isWarning
      ? new vscode.ThemeColor("statusBarItem.warningBackground")
      : undefined;
    this.item.show();
  }
}
