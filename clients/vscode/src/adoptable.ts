/** What a rule tree can be made from, in a folder that has none. */

import * as vscode from "vscode";
import { SOURCES } from "./ruleSources";

/** The first of these in the folders that are open; "" where there is none. */
export async function sourceOfRules(): Promise<string> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    for (const source of SOURCES) {
      const found = await vscode.workspace.fs.stat(vscode.Uri.joinPath(uri, source)).then(
        () => true,
        () => false,
      );
      if (found) {
        return source;
      }
    }
  }
  return "";
}
