/**
 * This module sets the context keys that `when` clauses of menus, views and the walkthrough use.
 */

import * as vscode from "vscode";
import type { Server } from "../server/server";
import type { CurrentTree } from "./currentTree";
import { findManifest } from "./treeFiles";

/**
 * `synapse.running`: the server answers. `synapse.hasTree`: there is a tree where one works, as far
 * as a server knew. `synapse.hasManifest`: it has one, so that domains can be declared. `synapse.hasHook`:
 * an agent calls the hook for it. `synapse.isClassic`: it is served with the profile `synapse`, which
 * `synapse-live` can stand in for.
 */
export function updateContextKeys(server: Server, tree: CurrentTree): vscode.Disposable {
  const setKey = (key: string, value: boolean): void => {
    void vscode.commands.executeCommand("setContext", `synapse.${key}`, value);
  };
  const updateManifestKey = async (root: string | undefined): Promise<void> => {
    const manifest = root && (await findManifest(vscode.Uri.parse(root)));
    if (root === tree.root) {
      setKey("hasManifest", Boolean(manifest));
    }
  };
  return vscode.Disposable.from(
    server.onDidChangeState(({ kind }) => setKey("running", kind === "running")),
    tree.onDidChange(() => {
      // While a server is replaced nobody knows, and no view should come and go.
      if (server.state.kind === "running") {
        setKey("hasTree", tree.root !== undefined);
        void updateManifestKey(tree.root);
      }
      setKey("hasHook", (tree.status?.hooks.length ?? 1) > 0);
      setKey("isClassic", tree.status?.profile === "synapse");
    }),
  );
}
