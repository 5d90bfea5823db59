/** Where the manifest of a rule tree is. */

import * as vscode from "vscode";

/** What says which rules there are, in `.synapse/` and in the trees of CARL. */
const MANIFESTS = [".synapse/manifest", ".carl/manifest", ".carl/carl.json"] as const;

/** That of whichever tree is in a folder; undefined where its rules need none, as those of Chati.dev. */
export async function manifestIn(folder: vscode.Uri): Promise<vscode.Uri | undefined> {
  for (const path of MANIFESTS) {
    const manifest = vscode.Uri.joinPath(folder, path);
    if (await exists(manifest)) {
      return manifest;
    }
  }
  return undefined;
}

export async function exists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
