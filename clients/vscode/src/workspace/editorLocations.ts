/** This module opens protocol locations in the editor and reads the selected text. */

import * as vscode from "vscode";
import type { Location } from "vscode-languageclient/node";

/** Returns the command that opens a location; it places the cursor and selects nothing. */
export function openLocationCommand({ uri, range }: Location): vscode.Command {
  const { line, character } = range.start;
  const selection = new vscode.Range(line, character, line, character);
  return {
    command: "vscode.open",
    title: vscode.l10n.t("Open"),
    arguments: [vscode.Uri.parse(uri), { selection, preview: true }],
  };
}

export async function openLocation(location: Location | null | undefined): Promise<void> {
  if (location) {
    const { command, arguments: args = [] } = openLocationCommand(location);
    await vscode.commands.executeCommand(command, ...args);
  }
}

/** Returns the selected text of the editor; "" for none. */
export function selectedText(): string {
  const editor = vscode.window.activeTextEditor;
  return editor?.document.getText(editor.selection).trim() ?? "";
}
