/** The tools that any model in the editor can call, where the editor has such tools. */

import * as vscode from "vscode";
import { newer } from "./newer";
import { textOf } from "./pieces";
import type { Tool } from "./tools";

export function languageModelTools(tools: readonly Tool[]): vscode.Disposable {
  const { lm, LanguageModelToolResult: Result, LanguageModelTextPart: Text } = newer;
  if (typeof lm?.registerTool !== "function" || !Result || !Text) {
    return new vscode.Disposable(() => {});
  }
  const messages: Readonly<Record<string, string>> = {
    synapse_context: vscode.l10n.t("Reading the rules for a prompt"),
    synapse_check: vscode.l10n.t("Checking the rules"),
  };
  const registered = tools.map(({ name, run }) =>
    lm.registerTool?.(name, {
      invoke: async ({ input }) => new Result([new Text(textOf(await run(input)))]),
      prepareInvocation: () => ({ invocationMessage: messages[name] ?? name }),
    }),
  );
  return vscode.Disposable.from(...registered.filter((one) => one !== undefined));
}
