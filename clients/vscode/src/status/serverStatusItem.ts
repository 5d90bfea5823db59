/** This module shows the language status item of the server. */

import * as vscode from "vscode";
import type { Server } from "../server/server";
import { DOCUMENT_SELECTOR, INSTRUCTION_SELECTOR } from "../workspace/documentSelector";
import { instructionStatusView, serverStatusView } from "./serverStatusText";

const STATUS_SEVERITIES = {
  information: vscode.LanguageStatusSeverity.Information,
  error: vscode.LanguageStatusSeverity.Error,
} as const;

const CHECK_SETTING = "instructions.check";
const CHECK_COMMAND = "synapse.checkInstructions";

/** Says of files such as CLAUDE.md whether they are checked, and what is not, and switches it. */
export class InstructionStatusItem implements vscode.Disposable {
  private readonly item = vscode.languages.createLanguageStatusItem("synapse.instructions", [
    ...INSTRUCTION_SELECTOR,
  ] as vscode.DocumentSelector);
  private readonly subscriptions = [
    this.item,
    vscode.commands.registerCommand(CHECK_COMMAND, () => switchChecks()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(`synapse.${CHECK_SETTING}`)) {
        this.updateItem();
      }
    }),
  ];

  constructor() {
    this.item.name = vscode.l10n.t("Synapse: Instructions of Agents");
    this.updateItem();
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private updateItem(): void {
    const view = instructionStatusView(checksInstructions());
    this.item.text = view.text;
    this.item.detail = view.detail;
    this.item.command = { title: view.action, command: CHECK_COMMAND };
  }
}

function checksInstructions(): boolean {
  return vscode.workspace.getConfiguration("synapse").get<boolean>(CHECK_SETTING) === true;
}

async function switchChecks(): Promise<void> {
  const target =
    vscode.workspace.workspaceFolders === undefined
      ? vscode.ConfigurationTarget.Global
      : vscode.ConfigurationTarget.Workspace;
  await vscode.workspace
    .getConfiguration("synapse")
    .update(CHECK_SETTING, !checksInstructions(), target);
}

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
