/** What `when` clauses of menus, views and the walkthrough can ask about. */

import * as vscode from "vscode";
import type { CurrentTree } from "./currentTree";
import { manifestIn } from "./manifest";
import type { Server } from "./server";

/**
 * `synapse.running`: the server answers. `synapse.hasTree`: there is a tree where one works, as far
 * as a server knew. `synapse.hasManifest`: it has one, so that domains can be declared. `synapse.hasHook`:
 * an agent calls the hook for it. `synapse.isClassic`: it is served with the profile `synapse`, which
 * `synapse-live` can stand in for.
 */
export function contextKeys(server: Server, tree: CurrentTree): vscode.Disposable {
  const set = (key: string, value: boolean): void => {
    void vscode.commands.executeCommand("setContext", `synapse.${key}`, value);
  };
  const tellOfManifest = async (root: string | undefined): Promise<void> => {
    const manifest = root && (await manifestIn(vscode.Uri.parse(root)));
    if (root === tree.root) {
      set("hasManifest", Boolean(manifest));
    }
  };
  return vscode.Disposable.from(
    server.onDidChangeState(({ kind }) => set("running", kind === "running")),
    tree.onDidChange(() => {
      // While a server is replaced nobody knows, and no view should come and go.
      if (server.state.kind === "running") {
        set("hasTree", tree.root !== undefined);
        void tellOfManifest(tree.root);
      }
      set("hasHook", (tree.status?.hooks.length ?? 1) > 0);
      set("isClassic", tree.status?.profile === "synapse");
    }),
  );
}
