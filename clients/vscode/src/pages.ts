/** Pages that show what was found. */

import * as vscode from "vscode";

const SCHEME = "synapse-page";
/** Of VS Code's own extension for Markdown. */
const RENDERED = "vscode.markdown.preview.editor";

export class Pages implements vscode.Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  private readonly provider = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
    onDidChange: this.changed.event,
    provideTextDocumentContent: ({ path }) => this.texts.get(path) ?? "",
  });

  /** Markdown, as the editor renders it. Unlike the common preview this one follows no other editor. */
  async showMarkdown(title: string, text: string): Promise<void> {
    const uri = this.page(`/${title}`, text);
    try {
      await vscode.commands.executeCommand("vscode.openWith", uri, RENDERED, { preview: true });
    } catch {
      // The extension that renders Markdown is switched off.
      await vscode.window.showTextDocument(uri, { preview: true });
    }
  }

  dispose(): void {
    vscode.Disposable.from(this.changed, this.provider).dispose();
  }

  private page(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: SCHEME, path });
    this.texts.set(uri.path, text);
    this.changed.fire(uri);
    return uri;
  }
}
