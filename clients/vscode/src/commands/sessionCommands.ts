/**
 * This module registers the commands that change the current session (agent, task, squad) or pin
 * another one.
 */

import * as vscode from "vscode";
import type { MarkdownPages } from "../documents/markdownPages";
import { type Activation, choices, sessions } from "../protocol";
import { escapeMarkdown, greetingMarkdown } from "../text/markdown";
import type { ViewNode } from "../views/viewNode";
import type { CurrentTree } from "../workspace/currentTree";
import type { CommandExecutor } from "./commandExecutor";
import { agentItems, sessionItems, taskItems } from "./listItems";
import type { PinnedSessions } from "./pinnedSessions";
import { pickValue } from "./quickPick";
import { itemsToTry, pickerTexts } from "./sessionPickers";

export function registerSessionCommands(
  executor: CommandExecutor,
  tree: CurrentTree,
  pins: PinnedSessions,
  pages: MarkdownPages,
): vscode.Disposable {
  const setSession = async (uri: string, change: object): Promise<void> => {
    await executor.run("synapse.setSession", { uri, ...change });
  };
  const hasSession = (): boolean => Boolean(tree.status?.session?.id);
  /** Changes the session; without a session, shows the change in the Context panel. */
  const applyChange = async (uri: string, isSet: boolean, change: object): Promise<void> => {
    await (isSet
      ? setSession(uri, change)
      : vscode.commands.executeCommand("synapse.showContext", { uri, ...change }));
  };

  /** Activates the agent and shows its greeting. */
  const greetAgent = async (uri: string, agent: string): Promise<void> => {
    const activation = await executor.run<Activation>("synapse.activate", { uri, agent });
    if (activation?.greeting) {
      const { id, name } = activation.agent;
      const notes = activation.notes.map((note) => `> ${escapeMarkdown(note)}`);
      const title = vscode.l10n.t("Greeting of {0}", name || `@${id}`);
      await pages.showMarkdown(
        title,
        [greetingMarkdown(activation.greeting), ...notes].join("\n\n"),
      );
    }
  };

  const activateAgent = async (): Promise<void> => {
    const uri = await executor.requireRoot();
    const treeChoices = uri && (await executor.query((server) => server.request(choices, { uri })));
    if (!treeChoices) {
      return;
    }
    const isSet = hasSession();
    const items = agentItems(treeChoices, tree.status?.agent ?? null);
    const agent = await pickValue({
      ...pickerTexts("agent", isSet),
      items: isSet ? items : itemsToTry(items),
    });
    if (isSet && agent) {
      await greetAgent(uri, agent);
    } else if (agent !== undefined) {
      await applyChange(uri, isSet, { agent });
    }
  };

  const setTask = async (): Promise<void> => {
    const uri = await executor.requireRoot();
    const treeChoices = uri && (await executor.query((server) => server.request(choices, { uri })));
    if (!treeChoices) {
      return;
    }
    const isSet = hasSession();
    const items = taskItems(treeChoices, tree.status?.task ?? null);
    const change = await pickValue({
      ...pickerTexts("task", isSet),
      items: isSet ? items : itemsToTry(items),
    });
    if (change !== undefined) {
      await applyChange(uri, isSet, change);
    }
  };

  const pin = async (uri: string, session: string | null): Promise<void> => {
    if ((await executor.run("synapse.pin", { uri, session })) !== undefined) {
      await pins.setPin(uri, session);
    }
    await vscode.commands.executeCommand("synapse.refreshViews");
  };

  const pinSession = async (node?: ViewNode): Promise<void> => {
    const uri = await executor.requireRoot();
    if (uri === undefined) {
      return;
    }
    if (node?.subject !== undefined) {
      await pin(uri, node.subject);
      return;
    }
    const treeSessions = await executor.query((server) => server.request(sessions, { uri }));
    if (treeSessions === undefined) {
      return;
    }
    const session = await pickValue({
      title: vscode.l10n.t("Pin Session"),
      placeholder: vscode.l10n.t("Which session do status, views and hovers follow?"),
      items: sessionItems(treeSessions, Date.now(), vscode.env.language),
    });
    if (session !== undefined) {
      await pin(uri, session || null);
    }
  };

  const unpin = async (): Promise<void> => {
    const uri = await executor.requireRoot();
    if (uri !== undefined) {
      await pin(uri, null);
    }
  };

  const setSquad = async (squad: string): Promise<void> => {
    const uri = await executor.requireRoot();
    if (uri !== undefined) {
      await setSession(uri, { squad });
    }
  };

  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.activateAgent", activateAgent),
    register("synapse.setTask", setTask),
    register("synapse.pinSession", pinSession),
    register("synapse.unpinSession", unpin),
    register("synapse.activateSquad", (node?: ViewNode) => setSquad(node?.subject ?? "")),
    register("synapse.deactivateSquad", () => setSquad("")),
  );
}
