/** This module registers the language-model tools with the editor, where it supports such tools. */

import * as vscode from "vscode";
import { callModelTool, type ModelTool } from "./modelTools";
import { optionalApi } from "./optionalApi";

export function registerModelTools(tools: readonly ModelTool[]): vscode.Disposable {
  const { lm, LanguageModelToolResult: Result, LanguageModelTextPart: Text } = optionalApi;
  if (typeof lm?.registerTool !== "function" || !Result || !Text) {
    return new vscode.Disposable(() => {});
  }
  const messages: Readonly<Record<string, string>> = {
    synapse_context: vscode.l10n.t("Reading the rules for a prompt"),
    synapse_check: vscode.l10n.t("Checking the rules"),
  };
  const registrations = tools.map((tool) =>
    lm.registerTool?.(tool.name, {
      invoke: async ({ input }) => new Result([new Text(await callModelTool(tool, input))]),
      prepareInvocation: () => ({ invocationMessage: messages[tool.name] ?? tool.name }),
    }),
  );
  return vscode.Disposable.from(...registrations.filter((one) => one !== undefined));
}
