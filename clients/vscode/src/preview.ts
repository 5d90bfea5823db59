/** The block of the next prompt as a read-only document that follows every change. */

import * as vscode from "vscode";
import { context } from "./protocol";
import type { Server } from "./server";

const SCHEME = "synapse-context";
const LANGUAGE = "synapse-block";

export class Preview implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly subscriptions: vscode.Disposable[];

  constructor(private readonly server: Server) {
    this.subscriptions = [
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, this),
      server.onDidChangeContext(({ root }) => this.refresh(root)),
      server.onDidChangeState(({ kind }) => kind === "running" && this.refresh()),
      this.changed,
    ];
  }

  /** Opens the block of the tree that is rooted at `root`, a URI. */
  async open(root: string): Promise<void> {
    const name = vscode.Uri.parse(root).path.split("/").at(-1);
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${vscode.l10n.t("Context of {0}", name ?? "")}`,
      query: root,
    });
    const opened = await vscode.workspace.openTextDocument(uri);
    const document = await vscode.languages.setTextDocumentLanguage(opened, LANGUAGE);
    await vscode.window.showTextDocument(document, {
      preview: true,
      viewColumn: vscode.ViewColumn.Beside,
      preserveFocus: true,
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const answer = await this.server.connection?.ask(context, { uri: uri.query });
    // Nothing to show until the server runs; it tells when it does, and this is asked again.
    return answer?.block ?? "";
  }

  dispose(): void {
    vscode.Disposable.from(...this.subscriptions).dispose();
  }

  private refresh(root?: string): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === SCHEME && (root === undefined || uri.query === root)) {
        this.changed.fire(uri);
      }
    }
  }
}
