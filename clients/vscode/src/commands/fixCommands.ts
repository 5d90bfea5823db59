/** This module registers "Fix All in the Rule Tree" and the page of a lint rule. */

import * as vscode from "vscode";
import { rulePage } from "../protocol";
import { fixedText } from "../text/countTexts";
import { showInformation } from "../text/messages";
import type { RuleChange } from "./commandExecutor";
import type { TreeServices } from "./treeServices";

/** The answer of `synapse.fixAll`. */
interface FixOutcome extends RuleChange {
  readonly fixed: number;
}

export function registerFixCommands({ executor, pages }: TreeServices): vscode.Disposable {
  return vscode.Disposable.from(
    vscode.commands.registerCommand("synapse.fixTree", async () => {
      const uri = await executor.requireRoot();
      if (uri === undefined) {
        return;
      }
      const done = await executor.applyChange<FixOutcome>("synapse.fixAll", { uri, quiet: true });
      if (done !== undefined) {
        void showInformation(fixedText(done.fixed, done.changed.length));
      }
    }),
    // The code of a finding leads here: in the Problems panel and where one points at a finding.
    vscode.commands.registerCommand("synapse.showRulePage", async (rule: unknown) => {
      const page = await executor.query((server) =>
        server.request(rulePage, { rule: String(rule) }),
      );
      if (page !== undefined) {
        await pages.showMarkdown(`${page.name} (${page.code})`, page.markdown);
      }
    }),
  );
}
