/** Which files the server is asked about, and which of them carry our language. */

import * as path from "node:path";
import * as vscode from "vscode";

export const LANGUAGE = "synapse";

/** By place and not by language: a manifest stays ours if somebody opens it as plain text. */
export const SELECTOR = [
  "**/{.synapse,.carl}/**",
  "**/squads/*/squad.{yaml,yml}",
  "**/.{aiox,aios}/**/*-state.{yaml,yml}",
  "**/squads/*/{agents,tasks,workflows}/*.{md,yaml,yml}",
  "**/.{aiox,aios}-core/development/{agents,tasks,workflows}/*.{md,yaml,yml}",
  "**/.claude/agents/*.md",
  "**/docs/stories/**/*.md",
  "**/{chati.dev,.chati}/**/*.{md,yaml,yml,json}",
  "**/{system/core_identity,memory/short_term}.md",
  "**/memory/long_term/**/*.md",
  "**/{AGENTS,CLAUDE,GEMINI}.md",
  "**/.github/{copilot-instructions.md,instructions/synapse-*.instructions.md}",
  "**/{.cursor,.claude}/rules/synapse*.{md,mdc}",
].map((pattern) => ({ scheme: "file", pattern }));

/**
 * Rule files bear the name of their domain, so no pattern can list them, and one for all of
 * `.synapse/` would take `config.toml` from its language. Those that nothing else has claimed get
 * our language when they are opened, once: a person who then chooses another one keeps it.
 */
export function adoptRuleFiles(): vscode.Disposable {
  const adopted = new Set<string>();
  const adopt = (document: vscode.TextDocument): void => {
    const key = document.uri.toString();
    if (!adopted.has(key) && isUnclaimedRuleFile(document)) {
      adopted.add(key);
      void vscode.languages.setTextDocumentLanguage(document, LANGUAGE);
    }
  };
  vscode.workspace.textDocuments.forEach(adopt);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(adopt),
    // A document "closes" with each change of its language too; one that is gone begins anew.
    vscode.workspace.onDidCloseTextDocument((document) =>
      queueMicrotask(() => document.isClosed && adopted.delete(document.uri.toString())),
    ),
  );
}

function isUnclaimedRuleFile(document: vscode.TextDocument): boolean {
  const { dir, base } = path.posix.parse(document.uri.path);
  return (
    document.uri.scheme === "file" &&
    document.languageId === "plaintext" &&
    [".synapse", ".carl"].includes(path.posix.basename(dir)) &&
    !base.includes(".")
  );
}
