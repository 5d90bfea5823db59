/** What one does with a domain from its row: go to it, rename it, see it in the block. */

import * as vscode from "vscode";
import { open } from "../places";
import type { Node } from "../views/node";

export function domainMenu(): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.openDeclaration", (node?: Node) => open(node?.location)),
    register("synapse.openRuleFile", async (node?: Node) => {
      if (node?.file) {
        await vscode.window.showTextDocument(vscode.Uri.parse(node.file));
      }
    }),
    register("synapse.renameDomain", async (node?: Node) => {
      if (node?.location) {
        await open(node.location);
        await vscode.commands.executeCommand("editor.action.rename");
      }
    }),
    register("synapse.previewDomain", (node?: Node) =>
      vscode.commands.executeCommand("synapse.showContext", {
        uri: node?.location?.uri,
        ...node?.wakes,
      }),
    ),
  );
}
