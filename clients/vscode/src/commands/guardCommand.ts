/**
 * This module registers "May the agent run this?", which asks the guard about a command line while
 * one types.
 */

import * as vscode from "vscode";
import { choices, guard } from "../protocol";
import { LatestRequest } from "../server/latestRequest";
import { openLocation, selectedText } from "../workspace/editorLocations";
import type { CommandExecutor } from "./commandExecutor";
import { guardHeading, type VerdictAction, verdictItems } from "./guardVerdict";
import { agentItems } from "./listItems";
import { type PickRow, pickRows, pickValue } from "./quickPick";
import { itemsToTry } from "./sessionPickers";

/** Milliseconds without a key stroke before the guard is asked. */
const TYPING_DELAY = 150;

export function registerGuardCommand(executor: CommandExecutor): vscode.Disposable {
  return vscode.commands.registerCommand("synapse.mayRun", (command?: unknown) =>
    checkCommand(executor, typeof command === "string" ? command : selectedText()),
  );
}

/** Asks the guard while one types, at first for the active agent, then for a chosen one. */
async function checkCommand(executor: CommandExecutor, command: string): Promise<void> {
  const uri = await executor.requireRoot();
  if (uri === undefined) {
    return;
  }
  const list = vscode.window.createQuickPick<PickRow<VerdictAction>>();
  let agent: string | undefined;
  let isChoosingAgent = false;
  const latest = new LatestRequest(async (signal) => {
    const { value } = list;
    if (value.trim() === "") {
      list.items = [];
      return;
    }
    list.busy = true;
    const params = { uri, command: value, ...(agent === undefined ? {} : { agent }) };
    const verdict = await executor.query((server) => server.request(guard, params));
    if (signal.aborted) {
      return;
    }
    list.busy = false;
    if (verdict === undefined) {
      list.hide();
      return;
    }
    list.title = guardHeading(verdict.agent);
    // What is typed is a question and no filter.
    list.items = pickRows(verdictItems(verdict)).map((row) => ({ ...row, alwaysShow: true }));
  });

  list.title = guardHeading(null);
  list.placeholder = vscode.l10n.t("A command line, such as git push --force");
  list.value = command;
  list.buttons = [
    { iconPath: new vscode.ThemeIcon("account"), tooltip: vscode.l10n.t("For Another Agent…") },
  ];
  list.onDidChangeValue(() => latest.schedule(TYPING_DELAY));
  list.onDidTriggerButton(async () => {
    isChoosingAgent = true;
    agent = (await pickAgent(executor, uri)) ?? agent;
    isChoosingAgent = false;
    list.show();
    await latest.start();
  });
  list.onDidAccept(async () => {
    const [action] = list.selectedItems.map(({ value }) => value);
    if (action?.agent !== undefined) {
      agent = action.agent;
      await latest.start();
    } else if (action?.location) {
      list.hide();
      await openLocation(action.location);
    }
  });
  const closing = new Promise<void>((resolve) => {
    list.onDidHide(() => isChoosingAgent || resolve());
  });
  list.show();
  await latest.start();
  await closing;
  latest.cancel();
  list.dispose();
}

/** Lets the person pick an agent; undefined where cancelled. */
async function pickAgent(executor: CommandExecutor, uri: string): Promise<string | undefined> {
  const treeChoices = await executor.query((server) => server.request(choices, { uri }));
  return (
    treeChoices &&
    pickValue({
      title: vscode.l10n.t("For Another Agent"),
      placeholder: vscode.l10n.t("Whose boundaries count?"),
      items: itemsToTry(agentItems(treeChoices, null)),
    })
  );
}
