/**
 * This module registers the commands that explain why a rule is in the block or not, and preview
 * the block for a selection.
 */

import * as vscode from "vscode";
import { explain, why } from "../protocol";
import type { ViewNode } from "../views/viewNode";
import { selectedText } from "../workspace/editorLocations";
import { AccountList } from "./accountList";
import type { CommandExecutor } from "./commandExecutor";
import { accountItems, leftOutItems } from "./listItems";

export function registerExplainCommands(executor: CommandExecutor): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.explainRule", () => explainRule(executor)),
    register("synapse.whyNotInjected", (node?: ViewNode) =>
      explainLeftOut(executor, node?.subject),
    ),
    register("synapse.previewSelection", () => previewSelection(executor)),
  );
}

/** Explains why the rule or domain at the cursor is in the block or not. */
async function explainRule(executor: CommandExecutor): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return;
  }
  const { line, character } = editor.selection.active;
  const uri = editor.document.uri.toString();
  const answer = await executor.query((server) =>
    server.request(why, { uri, position: { line, character } }),
  );
  if (answer === undefined) {
    return;
  }
  const list = new AccountList(uri);
  list.showBusy(
    vscode.l10n.t("With the Next Prompt, in {0}", answer.bracket),
    vscode.l10n.t("Choose a line to go to its rule"),
  );
  list.showItems(
    accountItems(answer.accounts),
    vscode.l10n.t("There is no rule and no domain in this line."),
  );
  await list.waitUntilClosed();
  list.dispose();
}

/**
 * All that is left out, or what is of one domain. It can be had for a prompt that one thinks of, at
 * first the selection.
 */
async function explainLeftOut(executor: CommandExecutor, domain?: string): Promise<void> {
  const uri = await executor.requireRoot();
  if (uri === undefined) {
    return;
  }
  const list = new AccountList(uri, selectedText());
  const showAccounts = async (): Promise<void> => {
    const { prompt } = list;
    list.showBusy(
      prompt
        ? vscode.l10n.t("Not Injected with “{0}”", shortenPrompt(prompt))
        : vscode.l10n.t("Not Injected with the Next Prompt"),
      vscode.l10n.t("Search what is left out, and why"),
    );
    const answer = await executor.query((server) => server.request(explain, { uri, prompt }));
    if (answer === undefined) {
      list.close();
      return;
    }
    const nothing = vscode.l10n.t("Nothing is left out: every rule is in the block.");
    list.showItems(leftOutItems(answer, domain), nothing);
  };
  let isAskingPrompt = false;
  list.addButton("comment", vscode.l10n.t("For Another Prompt…"), async () => {
    isAskingPrompt = true;
    const prompt = await vscode.window.showInputBox({
      title: vscode.l10n.t("Why Not Injected"),
      prompt: vscode.l10n.t("The prompt that somebody would write."),
      value: list.prompt,
    });
    isAskingPrompt = false;
    list.prompt = prompt ?? list.prompt;
    await showAccounts();
  });
  const closing = list.waitUntilClosed(() => isAskingPrompt);
  await showAccounts();
  await closing;
  list.dispose();
}

async function previewSelection(executor: CommandExecutor): Promise<void> {
  const prompt = selectedText();
  if (prompt !== "") {
    const uri = await executor.requireRoot();
    await vscode.commands.executeCommand("synapse.showContext", { uri, prompt });
  }
}

function shortenPrompt(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
