/** What `when` clauses of menus, views and the walkthrough can ask about. */

import * as vscode from "vscode";
import type { CurrentTree } from "./currentTree";
import type { Server } from "./server";

/**
 * `synapse.running`: the server answers. `synapse.hasTree`: there is a tree where one works, as far
 * as a server knew. `synapse.hasHook`: an agent calls the hook for it. `synapse.isLive`: no layer of it
 * ever sleeps.
 */
export function contextKeys(server: Server, tree: CurrentTree): vscode.Disposable {
  const set = (key: string, value: boolean): void => {
    void vscode.commands.executeCommand("setContext", `synapse.${key}`, value);
  };
  return vscode.Disposable.from(
    server.onDidChangeState(({ kind }) => set("running", kind === "running")),
    tree.onDidChange(() => {
      // While a server is replaced nobody knows, and no view should come and go.
      if (server.state.kind === "running") {
        set("hasTree", tree.root !== undefined);
      }
      set("hasHook", (tree.status?.hooks.length ?? 1) > 0);
      set("isLive", tree.status?.profile === "synapse-live");
    }),
  );
}
