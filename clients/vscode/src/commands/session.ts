/** Who is at work on what: changes to the current session, and which one that is. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";
import { choices } from "../protocol";
import { sessions } from "../protocolTree";
import type { Node } from "../views/node";
import type { Executor } from "./execute";
import { agentItems, sessionItems, taskItems } from "./items";
import { pick } from "./pick";

export function sessionCommands(executor: Executor, tree: CurrentTree): vscode.Disposable {
  const set = async (uri: string, change: object): Promise<void> => {
    await executor.run("synapse.setSession", { uri, ...change });
  };

  const activateAgent = async (): Promise<void> => {
    const uri = await executor.root();
    const known = uri && (await executor.ask((server) => server.sendRequest(choices, { uri })));
    if (!known) {
      return;
    }
    const agent = await pick({
      title: vscode.l10n.t("Activate Agent"),
      placeholder: vscode.l10n.t("Who is at work in the current session?"),
      items: agentItems(known, tree.status?.agent ?? null),
    });
    if (agent !== undefined) {
      await set(uri, { agent });
    }
  };

  const setTask = async (): Promise<void> => {
    const uri = await executor.root();
    const known = uri && (await executor.ask((server) => server.sendRequest(choices, { uri })));
    if (!known) {
      return;
    }
    const change = await pick({
      title: vscode.l10n.t("Set Task"),
      placeholder: vscode.l10n.t("What is the current session about?"),
      items: taskItems(known, tree.status?.task ?? null),
    });
    if (change !== undefined) {
      await set(uri, change);
    }
  };

  const pin = async (uri: string, session: string | null): Promise<void> => {
    await executor.run("synapse.pin", { uri, session });
    await vscode.commands.executeCommand("synapse.refreshViews");
  };

  const pinSession = async (node?: Node): Promise<void> => {
    const uri = await executor.root();
    if (uri === undefined) {
      return;
    }
    if (node?.subject !== undefined) {
      await pin(uri, node.subject);
      return;
    }
    const known = await executor.ask((server) => server.sendRequest(sessions, { uri }));
    if (known === undefined) {
      return;
    }
    const session = await pick({
      title: vscode.l10n.t("Pin Session"),
      placeholder: vscode.l10n.t("Which session do status, views and hovers follow?"),
      items: sessionItems(known, Date.now(), vscode.env.language),
    });
    if (session !== undefined) {
      await pin(uri, session || null);
    }
  };

  const unpin = async (): Promise<void> => {
    const uri = await executor.root();
    if (uri !== undefined) {
      await pin(uri, null);
    }
  };

  const setSquad = async (squad: string): Promise<void> => {
    const uri = await executor.root();
    if (uri !== undefined) {
      await set(uri, { squad });
    }
  };

  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.activateAgent", activateAgent),
    register("synapse.setTask", setTask),
    register("synapse.pinSession", pinSession),
    register("synapse.unpinSession", unpin),
    register("synapse.activateSquad", (node?: Node) => setSquad(node?.subject ?? "")),
    register("synapse.deactivateSquad", () => setSquad("")),
  );
}
