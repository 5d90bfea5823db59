/** What one does with memories: search them, add one, put one away, bring one back. */

import * as vscode from "vscode";
import type { Executor } from "../commands/execute";
import type { Desk } from "../desk";
import { Newest } from "../panel/newest";
import { open } from "../places";
import { type Memory, memory } from "../protocolMemory";
import type { Node } from "../views/node";
import { summaryOf } from "./rows";

/** Milliseconds without a key stroke before a search. */
const PAUSE = 150;

interface Row extends vscode.QuickPickItem {
  readonly memory: Memory;
}

export function memoryCommands(desk: Desk): vscode.Disposable {
  const change = async (action: string, node?: Node): Promise<void> => {
    const root = node?.subject === undefined ? undefined : await desk.cli.root();
    if (root && (await desk.cli.ask(root, "memory", action, node?.subject ?? ""))) {
      await vscode.commands.executeCommand("synapse.refreshViews");
    }
  };
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.searchMemories", () => search(desk.executor)),
    register("synapse.addMemory", () => add(desk)),
    register("synapse.forgetMemory", (node?: Node) => change("forget", node)),
    register("synapse.restoreMemory", (node?: Node) => change("restore", node)),
  );
}

/** Without a word all of them are listed. */
async function search(executor: Executor): Promise<void> {
  const uri = await executor.root();
  if (uri === undefined) {
    return;
  }
  const list = vscode.window.createQuickPick<Row>();
  const newest = new Newest(async (signal) => {
    list.busy = true;
    const query = list.value.trim();
    const asked = query === "" ? { uri } : { uri, query };
    const found = await executor.ask((server) => server.ask(memory, asked));
    if (!signal.aborted) {
      list.busy = false;
      list.items = (found?.memories ?? []).map(rowOf);
    }
  });
  list.title = vscode.l10n.t("Search Memories");
  list.placeholder = vscode.l10n.t("What is it about?");
  list.onDidChangeValue(() => newest.soon(PAUSE));
  const done = new Promise<void>((resolve) => {
    list.onDidHide(() => resolve());
  });
  list.onDidAccept(async () => {
    const [row] = list.selectedItems;
    list.hide();
    await open(row?.memory.location);
  });
  list.show();
  await newest.now();
  await done;
  newest.drop();
  list.dispose();
}

/** What is typed is what is searched for, so that the list does not filter again. */
function rowOf(found: Memory): Row {
  const { text, tier, title } = found;
  return {
    label: title,
    description: [tier, summaryOf(found)].filter(Boolean).join(" · "),
    ...(text === title ? {} : { detail: text.replace(/\s+/g, " ") }),
    alwaysShow: true,
    memory: found,
  };
}

async function add({ cli }: Desk): Promise<void> {
  const root = await cli.root();
  const text =
    root &&
    (await vscode.window.showInputBox({
      title: vscode.l10n.t("Remember"),
      prompt: vscode.l10n.t("What agents are to know from now on, in a sentence."),
    }));
  if (!root || !text?.trim()) {
    return;
  }
  // What begins with a dash is a text and no option.
  if ((await cli.ask(root, "memory", "add", "--", text)) !== undefined) {
    await vscode.commands.executeCommand("synapse.refreshViews");
  }
}
