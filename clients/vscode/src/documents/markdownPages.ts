/** This module shows reports as rendered Markdown pages. */

import * as vscode from "vscode";

const SCHEME = "synapse-page";
/** The Markdown preview of VS Code's own extension. */
const MARKDOWN_PREVIEW = "vscode.markdown.preview.editor";

export class MarkdownPages implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changeEmitter = new vscode.EventEmitter<vscode.Uri>();
  private readonly provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: this.changeEmitter.event,
    provideTextDocumentContent: ({ path }) => this.texts.get(path) ?? "",
  });

  /** Markdown, as the editor renders it. Unlike the common preview this one follows no other editor. */
  async showMarkdown(title: string, text: string): Promise<void> {
    const uri = this.setPageText(`/${title}`, text);
    try {
      await vscode.commands.executeCommand("vscode.openWith", uri, MARKDOWN_PREVIEW, {
        preview: true,
      });
    } catch {
      // The extension that renders Markdown is switched off.
      await vscode.window.showTextDocument(uri, { preview: true });
    }
  }

  dispose(): void {
    vscode.Disposable.from(this.changeEmitter, this.provider).dispose();
  }

  private setPageText(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    this.texts.set(uri.path, text);
    this.changeEmitter.fire(uri);
    return uri;
  }
}
