/** This module registers the memory commands: search, add, forget, restore. */

import * as vscode from "vscode";
import type { CommandExecutor } from "../commands/commandExecutor";
import type { TreeServices } from "../commands/treeServices";
import { type Memory, memory } from "../protocol";
import { LatestRequest } from "../server/latestRequest";
import type { ViewNode } from "../views/viewNode";
import { openLocation } from "../workspace/editorLocations";
import { memorySummary } from "./memoryRows";

/** Milliseconds without a key stroke before a search. */
const TYPING_DELAY = 150;

interface MemoryRow extends vscode.QuickPickItem {
  readonly memory: Memory;
}

export function registerMemoryCommands(services: TreeServices): vscode.Disposable {
  const changeMemory = async (action: string, node?: ViewNode): Promise<void> => {
    const id = node?.subject;
    const root = id === undefined ? undefined : await services.cli.requireRoot();
    // What begins with a dash is an id and no option.
    if (root && id && (await services.cli.requestJson(root, "memory", action, "--", id))) {
      await vscode.commands.executeCommand("synapse.refreshViews");
    }
  };
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.searchMemories", () => searchMemories(services.executor)),
    register("synapse.addMemory", () => addMemory(services)),
    register("synapse.forgetMemory", (node?: ViewNode) => changeMemory("forget", node)),
    register("synapse.restoreMemory", (node?: ViewNode) => changeMemory("restore", node)),
  );
}

/** Searches memories while one types; without a word all are listed. */
async function searchMemories(executor: CommandExecutor): Promise<void> {
  const uri = await executor.requireRoot();
  if (uri === undefined) {
    return;
  }
  const list = vscode.window.createQuickPick<MemoryRow>();
  const latest = new LatestRequest(async (signal) => {
    list.busy = true;
    const query = list.value.trim();
    const params = query === "" ? { uri } : { uri, query };
    const answer = await executor.query((server) => server.request(memory, params));
    if (!signal.aborted) {
      list.busy = false;
      list.items = (answer?.memories ?? []).map(memoryRow);
    }
  });
  list.title = vscode.l10n.t("Search Memories");
  list.placeholder = vscode.l10n.t("What is it about?");
  list.onDidChangeValue(() => latest.schedule(TYPING_DELAY));
  const closing = new Promise<void>((resolve) => {
    list.onDidHide(() => resolve());
  });
  list.onDidAccept(async () => {
    const [row] = list.selectedItems;
    if (row === undefined) {
      return; // there is none, or others are taking its place; the next press finds them
    }
    list.hide();
    await openLocation(row.memory.location);
  });
  list.show();
  await latest.start();
  await closing;
  latest.cancel();
  list.dispose();
}

/** Returns the row of a memory; it is always shown, since the search has filtered already. */
function memoryRow(memory: Memory): MemoryRow {
  const { text, tier, title } = memory;
  return {
    label: title,
    description: [tier, memorySummary(memory)].filter(Boolean).join(" · "),
    ...(text === title ? {} : { detail: text.replace(/\s+/g, " ") }),
    alwaysShow: true,
    memory: memory,
  };
}

async function addMemory({ cli }: TreeServices): Promise<void> {
  const root = await cli.requireRoot();
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
  if ((await cli.requestJson(root, "memory", "add", "--", text)) !== undefined) {
    await vscode.commands.executeCommand("synapse.refreshViews");
  }
}
