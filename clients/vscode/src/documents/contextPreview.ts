/**
 * This module shows the block of the next prompt as a read-only document that follows every change.
 */

import * as vscode from "vscode";
import type { Simulation } from "../panel/panelMessages";
import { isSimulated, simulationParams } from "../panel/panelState";
import { context } from "../protocol";
import type { Server } from "../server/server";

const SCHEME = "synapse-context";
const LANGUAGE = "synapse-block";

export class ContextPreview implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changeEmitter = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changeEmitter.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      server.onDidChangeContext(({ root }) => this.refresh(root)),
      server.onDidChangeState(({ kind }) => kind === "running" && this.refresh()),
      this.changeEmitter,
    ];
  }

  /** Opens the block of the tree that is rooted at `root`, a URI, in a situation that is tried out or that of now. */
  async open(root: string, simulation: Simulation): Promise<void> {
    const name = vscode.Uri.parse(root).path.split("/").at(-1) ?? "";
    const title = isSimulated(simulation)
      ? vscode.l10n.t("Context of {0}, tried out", name)
      : vscode.l10n.t("Context of {0}", name);
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${title}`,
      query: root,
      fragment: JSON.stringify(simulation),
    });
    const plainDocument = await vscode.workspace.openTextDocument(uri);
    const document = await vscode.languages.setTextDocumentLanguage(plainDocument, LANGUAGE);
    await vscode.window.showTextDocument(document, {
      preview: true,
      viewColumn: shownColumn(document) ?? vscode.ViewColumn.Beside,
      preserveFocus: true,
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const question = simulationParams(JSON.parse(uri.fragment), uri.query);
    const answer = await this.server.connection?.request(context, question);
    // Nothing to show until the server runs; it tells when it does, and this is asked again.
    return answer?.block ?? "";
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private refresh(root?: string): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === SCHEME && (root === undefined || uri.query === root)) {
        this.changeEmitter.fire(uri);
      }
    }
  }
}

function shownColumn(document: vscode.TextDocument): vscode.ViewColumn | undefined {
  return vscode.window.visibleTextEditors.find((editor) => editor.document === document)
    ?.viewColumn;
}
