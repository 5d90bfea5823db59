/** This module shows the language status item of the server. */

import * as vscode from "vscode";
import type { Server } from "../server/server";
import { DOCUMENT_SELECTOR } from "../workspace/documentSelector";
import { serverStatusView } from "./serverStatusText";

const STATUS_SEVERITIES = {
  information: vscode.LanguageStatusSeverity.Information,
  error: vscode.LanguageStatusSeverity.Error,
} as const;

export class ServerStatusItem implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("synapse.server", [
    ...DOCUMENT_SELECTOR,
  ] as vscode.DocumentSelector);
  private readonly subscriptions: vscode.Disposable[];
  private busy = false;

  constructor(private readonly server: Server) {
    this.item.name = vscode.l10n.t("Synapse Server");
    this.subscriptions = [
      this.item,
      server.onDidChangeState(() => this.updateItem()),
      server.onDidChangeBusy((busy) => {
        this.busy = busy;
        this.updateItem();
      }),
    ];
    this.updateItem();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private updateItem(): void {
    const { state, launch, version } = this.server;
    const view = serverStatusView(state, launch, version, this.busy);
    this.item.text = view.text;
    this.item.detail = view.detail;
    this.item.severity = STATUS_SEVERITIES[view.severity];
    this.item.busy = view.busy;
    this.item.command = view.action;
  }
}
