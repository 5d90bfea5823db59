/** Who is at work on what: changes to the current session, and which one that is. */

import * as vscode from "vscode";
import type { CurrentTree } from "../currentTree";
import { escaped } from "../markdown";
import type { Pages } from "../pages";
import type { Pins } from "../pins";
import { choices } from "../protocol";
import type { Activation } from "../protocolMemory";
import { sessions } from "../protocolTree";
import type { Node } from "../views/node";
import type { Executor } from "./execute";
import { agentItems, sessionItems, taskItems } from "./items";
import { pick } from "./pick";
import { headOf, trialsOf } from "./trial";

export function sessionCommands(
  executor: Executor,
  tree: CurrentTree,
  pins: Pins,
  pages: Pages,
): vscode.Disposable {
  const set = async (uri: string, change: object): Promise<void> => {
    await executor.run("synapse.setSession", { uri, ...change });
  };
  const hasSession = (): boolean => Boolean(tree.status?.session?.id);
  /** Changes the session; without one it is tried out what would be. */
  const apply = async (uri: string, isSet: boolean, change: object): Promise<void> => {
    await (isSet
      ? set(uri, change)
      : vscode.commands.executeCommand("synapse.showContext", { uri, ...change }));
  };

  /** Has the agent brought up: it becomes the active one, and greets. */
  const bringUp = async (uri: string, agent: string): Promise<void> => {
    const found = await executor.run<Activation>("synapse.activate", { uri, agent });
    if (found?.greeting) {
      const { id, name } = found.agent;
      const notes = found.notes.map((note) => `> ${escaped(note)}`);
      const title = vscode.l10n.t("Greeting of {0}", name || `@${id}`);
      await pages.showMarkdown(title, [found.greeting, ...notes].join("\n\n"));
    }
  };

  const activateAgent = async (): Promise<void> => {
    const uri = await executor.root();
    const known = uri && (await executor.ask((server) => server.ask(choices, { uri })));
    if (!known) {
      return;
    }
    const isSet = hasSession();
    const items = agentItems(known, tree.status?.agent ?? null);
    const agent = await pick({
      ...headOf("agent", isSet),
      items: isSet ? items : trialsOf(items),
    });
    if (isSet && agent) {
      await bringUp(uri, agent);
    } else if (agent !== undefined) {
      await apply(uri, isSet, { agent });
    }
  };

  const setTask = async (): Promise<void> => {
    const uri = await executor.root();
    const known = uri && (await executor.ask((server) => server.ask(choices, { uri })));
    if (!known) {
      return;
    }
    const isSet = hasSession();
    const items = taskItems(known, tree.status?.task ?? null);
    const change = await pick({ ...headOf("task", isSet), items: isSet ? items : trialsOf(items) });
    if (change !== undefined) {
      await apply(uri, isSet, change);
    }
  };

  const pin = async (uri: string, session: string | null): Promise<void> => {
    if ((await executor.run("synapse.pin", { uri, session })) !== undefined) {
      await pins.remember(uri, session);
    }
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
    const known = await executor.ask((server) => server.ask(sessions, { uri }));
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
