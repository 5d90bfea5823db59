/** Why a rule is told or not, and what the block would be for a text. */

import * as vscode from "vscode";
import { explain } from "../protocol";
import { why } from "../protocolTree";
import type { Node } from "../views/node";
import { AccountList } from "./accounts";
import type { Executor } from "./execute";
import { accountItems, missingItems } from "./items";
import { selected } from "./selection";

export function whyCommands(executor: Executor): vscode.Disposable {
  const register = vscode.commands.registerCommand;
  return vscode.Disposable.from(
    register("synapse.explainRule", () => explainRule(executor)),
    register("synapse.whyNotInjected", (node?: Node) => whyNotInjected(executor, node?.subject)),
    register("synapse.previewSelection", () => previewSelection(executor)),
  );
}

/** What becomes of the rule or the domain in the line of the cursor. */
async function explainRule(executor: Executor): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined) {
    return;
  }
  const { line, character } = editor.selection.active;
  const uri = editor.document.uri.toString();
  const answer = await executor.ask((server) =>
    server.ask(why, { uri, position: { line, character } }),
  );
  if (answer === undefined) {
    return;
  }
  const list = new AccountList(uri);
  list.wait(
    vscode.l10n.t("With the Next Prompt, in {0}", answer.bracket),
    vscode.l10n.t("Choose a line to go to its rule"),
  );
  list.fill(
    accountItems(answer.accounts),
    vscode.l10n.t("There is no rule and no domain in this line."),
  );
  await list.done();
  list.dispose();
}

/**
 * All that is left out, or what is of one domain. It can be had for a prompt that one thinks of, at
 * first the selection.
 */
async function whyNotInjected(executor: Executor, domain?: string): Promise<void> {
  const uri = await executor.root();
  if (uri === undefined) {
    return;
  }
  const list = new AccountList(uri, selected());
  const show = async (): Promise<void> => {
    const { prompt } = list;
    list.wait(
      prompt
        ? vscode.l10n.t("Not Injected with “{0}”", shortened(prompt))
        : vscode.l10n.t("Not Injected with the Next Prompt"),
      vscode.l10n.t("Search what is left out, and why"),
    );
    const answer = await executor.ask((server) => server.ask(explain, { uri, prompt }));
    if (answer === undefined) {
      list.close();
      return;
    }
    const nothing = vscode.l10n.t("Nothing is left out: every rule is in the block.");
    list.fill(missingItems(answer, domain), nothing);
  };
  let asking = false;
  list.button("comment", vscode.l10n.t("For Another Prompt…"), async () => {
    asking = true;
    const prompt = await vscode.window.showInputBox({
      title: vscode.l10n.t("Why Not Injected"),
      prompt: vscode.l10n.t("The prompt that somebody would write."),
      value: list.prompt,
    });
    asking = false;
    list.prompt = prompt ?? list.prompt;
    await show();
  });
  const done = list.done(() => asking);
  await show();
  await done;
  list.dispose();
}

async function previewSelection(executor: Executor): Promise<void> {
  const prompt = selected();
  if (prompt !== "") {
    const uri = await executor.root();
    await vscode.commands.executeCommand("synapse.showContext", { uri, prompt });
  }
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ");
  return line.length > 40 ? `${line.slice(0, 39)}…` : line;
}
