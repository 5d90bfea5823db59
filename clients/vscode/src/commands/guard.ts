/** "May the agent run this?", answered by the guard while one types. */

import * as vscode from "vscode";
import { Newest } from "../panel/newest";
import { open } from "../places";
import { choices } from "../protocol";
import { guard } from "../protocolTree";
import type { Executor } from "./execute";
import { agentItems } from "./items";
import { pick, type Row, rowsOf } from "./pick";
import { selected } from "./selection";
import { trialsOf } from "./trial";
import { headingOf, type Lead, verdictItems } from "./verdict";

/** Milliseconds without a key stroke before the guard is asked. */
const PAUSE = 150;

export function guardCommands(executor: Executor): vscode.Disposable {
  return vscode.commands.registerCommand("synapse.mayRun", (command?: unknown) =>
    mayRun(executor, typeof command === "string" ? command : selected()),
  );
}

/** At first for the agent at work, then for whichever one turns to. */
async function mayRun(executor: Executor, command: string): Promise<void> {
  const uri = await executor.root();
  if (uri === undefined) {
    return;
  }
  const list = vscode.window.createQuickPick<Row<Lead>>();
  let agent: string | undefined;
  let asking = false;
  const newest = new Newest(async (signal) => {
    const { value } = list;
    if (value.trim() === "") {
      list.items = [];
      return;
    }
    list.busy = true;
    const asked = { uri, command: value, ...(agent === undefined ? {} : { agent }) };
    const verdict = await executor.ask((server) => server.ask(guard, asked));
    if (signal.aborted) {
      return;
    }
    list.busy = false;
    if (verdict === undefined) {
      list.hide();
      return;
    }
    list.title = headingOf(verdict.agent);
    // What is typed is a question and no filter.
    list.items = rowsOf(verdictItems(verdict)).map((row) => ({ ...row, alwaysShow: true }));
  });

  list.title = headingOf(null);
  list.placeholder = vscode.l10n.t("A command line, such as git push --force");
  list.value = command;
  list.buttons = [
    { iconPath: new vscode.ThemeIcon("account"), tooltip: vscode.l10n.t("For Another Agent…") },
  ];
  list.onDidChangeValue(() => newest.soon(PAUSE));
  list.onDidTriggerButton(async () => {
    asking = true;
    agent = (await agentOf(executor, uri)) ?? agent;
    asking = false;
    list.show();
    await newest.now();
  });
  list.onDidAccept(async () => {
    const [lead] = list.selectedItems.map(({ value }) => value);
    if (lead?.agent !== undefined) {
      agent = lead.agent;
      await newest.now();
    } else if (lead?.location) {
      list.hide();
      await open(lead.location);
    }
  });
  const done = new Promise<void>((resolve) => {
    list.onDidHide(() => asking || resolve());
  });
  list.show();
  await newest.now();
  await done;
  newest.drop();
  list.dispose();
}

/** The agent that somebody chooses; undefined where they turn away. */
async function agentOf(executor: Executor, uri: string): Promise<string | undefined> {
  const known = await executor.ask((server) => server.ask(choices, { uri }));
  return (
    known &&
    pick({
      title: vscode.l10n.t("For Another Agent"),
      placeholder: vscode.l10n.t("Whose boundaries count?"),
      items: trialsOf(agentItems(known, null)),
    })
  );
}
