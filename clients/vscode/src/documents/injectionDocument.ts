/** This module shows one injection from the log as a read-only document. */

import * as vscode from "vscode";
import { type Injection, injections } from "../protocol";
import type { Server } from "../server/server";
import { hashFromKey, injectionKey, injectionText } from "../views/injectionRows";
import type { ViewNode } from "../views/viewNode";
import type { CurrentTree } from "../workspace/currentTree";

const SCHEME = "synapse-injection";
const LANGUAGE = "synapse-block";

export function registerInjectionDocuments(server: Server, tree: CurrentTree): vscode.Disposable {
  const findInjection = async (root: string, key: string): Promise<Injection | undefined> => {
    const params = { uri: root, hash: hashFromKey(key), texts: true };
    const answer = await server.connection?.request(injections, params);
    return answer?.injections.find((injection) => injectionKey(injection) === key);
  };

  const provideText = async (uri: vscode.Uri): Promise<string> => {
    const { root, key } = JSON.parse(uri.query);
    const injection = await findInjection(root, key);
    return injection
      ? (injection.text ?? injectionText(injection))
      : vscode.l10n.t("The log no longer has what was sent then.");
  };

  const openInjection = async (node?: ViewNode): Promise<void> => {
    const { root } = tree;
    if (root === undefined || node?.subject === undefined) {
      return;
    }
    const uri = vscode.Uri.from({
      scheme: SCHEME,
      path: `/${vscode.l10n.t("Sent {0}", node.label)}`,
      query: JSON.stringify({ root, key: node.subject }),
    });
    const plainDocument = await vscode.workspace.openTextDocument(uri);
    const document = await vscode.languages.setTextDocumentLanguage(plainDocument, LANGUAGE);
    await vscode.window.showTextDocument(document, { preview: true });
  };

  return vscode.Disposable.from(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: provideText,
    }),
    vscode.commands.registerCommand("synapse.openInjection", openInjection),
  );
}
