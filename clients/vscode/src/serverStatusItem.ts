/** The language status of the server, beside the name of the language. */

import * as vscode from "vscode";
import { SELECTOR } from "./documents";
import type { Server } from "./server";
import { serverViewOf } from "./serverStatus";

const SEVERITY = {
  information: vscode.LanguageStatusSeverity.Information,
  error: vscode.LanguageStatusSeverity.Error,
} as const;

export class ServerStatusItem implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("synapse.server", [
    ...SELECTOR,
  ] as vscode.DocumentSelector);
  private readonly subscriptions: vscode.Disposable[];
  private busy = false;

  constructor(private readonly server: Server) {
    this.item.name = vscode.l10n.t("Synapse Server");
    this.subscriptions = [
      this.item,
      server.onDidChangeState(() => this.show()),
      server.onDidChangeBusy((busy) => {
        this.busy = busy;
        this.show();
      }),
    ];
    this.show();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private show(): void {
    const { state, launch, version } = this.server;
    const view = serverViewOf(state, launch, version, this.busy);
    this.item.text = view.text;
    this.item.detail = view.detail;
    this.item.severity = SEVERITY[view.severity];
    this.item.busy = view.busy;
    this.item.command = view.action;
  }
}
