/** Places of the protocol, opened in the editor. */

import * as vscode from "vscode";
import type { Location } from "vscode-languageclient/node";

/** What a click on something that has a place does. The cursor is put there; nothing is selected. */
export function openCommand({ uri, range }: Location): vscode.Command {
  const { line, character } = range.start;
  const selection = new vscode.Range(line, character, line, character);
  return {
    command: "vscode.open",
    title: vscode.l10n.t("Open"),
    arguments: [vscode.Uri.parse(uri), { selection, preview: true }],
  };
}

export async function open(location: Location | null | undefined): Promise<void> {
  if (location) {
    const { command, arguments: given = [] } = openCommand(location);
    await vscode.commands.executeCommand(command, ...given);
  }
}
