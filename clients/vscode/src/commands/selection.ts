/** What somebody has in mind, if they have selected it. */

import * as vscode from "vscode";

/** The text that is selected in the editor, "" for none. */
export function selected(): string {
  const editor = vscode.window.activeTextEditor;
  return editor?.document.getText(editor.selection).trim() ?? "";
}
