/** What an agent was told, as a read-only page. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";
import { type Injection, injections } from "../protocolTree";
import type { Server } from "../server";
import { hashIn, injectionText, keyOf } from "./injections";
import type { Node } from "./node";

const SCHEME = "synapse-injection";
const LANGUAGE = "synapse-block";

export function openInjections(server: Server, tree: CurrentTree): vscode.Disposable {
  const find = async (root: string, key: string): Promise<Injection | undefined> => {
    const params = { uri: root, hash: hashIn(key), texts: true };
    const answer = await server.connection?.ask(injections, params);
    return answer?.injections.find((injection) => keyOf(injection) === key);
  };

  const provide = async (uri: vscode.Uri): Promise<string> => {
    const { root, key } = JSON.parse(uri.query);
    const injection = await find(root, key);
    return injection
      ? (injection.text ?? injectionText(injection))
      : vscode.l10n.t("The log no longer has what was sent then.");
  };

  const open = async (node?: Node): Promise<void> => {
    const { root } = tree;
    if (root === undefined || node?.subject === undefined) {
      return;
    }
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${vscode.l10n.t("Sent {0}", node.label)}`,
      query: JSON.stringify({ root, key: node.subject }),
    });
    const opened = await vscode.workspace.openTextDocument(uri);
    const document = await vscode.languages.setTextDocumentLanguage(opened, LANGUAGE);
    await vscode.window.showTextDocument(document, { preview: true });
  };

  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: provide,
    }),
    vscode.commands.registerCommand("synapse.openInjection", open),
  );
}
