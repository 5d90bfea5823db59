/** This module finds the manifest of a rule tree, or rule files that a tree can be made from. */

import * as vscode from "vscode";
import { ADOPTABLE_RULE_FILES } from "./adoptableRuleFiles";

/** Returns the first adoptable rule file in the open folders; "" where there is none. */
export async function findAdoptableRuleFile(): Promise<string> {
  for (const { uri } of vscode.workspace.workspaceFolders ?? []) {
    for (const source of ADOPTABLE_RULE_FILES) {
      const exists = await vscode.workspace.fs.stat(vscode.Uri.joinPath(uri, source)).then(
        () => true,
        () => false,
      );
      if (exists) {
        return source;
      }
    }
  }
  return "";
}

/** The manifests of `.synapse/` and of CARL trees. */
const MANIFEST_PATHS = [".synapse/manifest", ".carl/manifest", ".carl/carl.json"] as const;

/**
 * Returns the manifest of the tree in a folder; undefined where the system needs none, as
 * Chati.dev.
 */
export async function findManifest(folder: vscode.Uri): Promise<vscode.Uri | undefined> {
  for (const path of MANIFEST_PATHS) {
    const manifest = vscode.Uri.joinPath(folder, path);
    if (await fileExists(manifest)) {
      return manifest;
    }
  }
  return undefined;
}

export async function fileExists(uri: vscode.Uri): Promise<boolean> {
  return vscode.workspace.fs.stat(uri).then(
    () => true,
    () => false,
  );
}
