/** This module selects the files that the server serves, and assigns our language to rule files. */

import * as path from "node:path";
import * as vscode from "vscode";

export const LANGUAGE_ID = "synapse";

/** The files of instructions that agents read by themselves, where their documentation says. */
export const INSTRUCTION_SELECTOR = [
  "**/{AGENTS,AGENTS.override,CLAUDE,CLAUDE.local,GEMINI,CONVENTIONS}.md",
  "**/.{cursorrules,windsurfrules,clinerules,rules}",
  "**/.github/{copilot-instructions.md,instructions/**/*.instructions.md}",
  "**/.cursor/rules/**/*.{md,mdc}",
  "**/.claude/rules/**/*.md",
  "**/.{windsurf/rules,clinerules,kiro/steering,junie,amazonq/rules}/**/*.md",
].map((pattern) => ({ scheme: "file", pattern }));

/**
 * The files that the server serves, by path and not by language: a manifest opened as plain text
 * still counts.
 */
export const DOCUMENT_SELECTOR = [
  ...INSTRUCTION_SELECTOR,
  ...[
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
  ].map((pattern) => ({ scheme: "file", pattern })),
];

export function isServed(document: vscode.TextDocument): boolean {
  return vscode.languages.match(DOCUMENT_SELECTOR as vscode.DocumentSelector, document) > 0;
}

/**
 * Rule files bear the name of their domain, so no pattern can list them, and one for all of
 * `.synapse/` would take `config.toml` from its language. Those that nothing else has claimed get
 * our language when they are opened, once: a person who then chooses another one keeps it.
 */
export function assignRuleFileLanguage(): vscode.Disposable {
  const assignedUris = new Set<string>();
  const assignLanguage = (document: vscode.TextDocument): void => {
    const key = document.uri.toString();
    if (!assignedUris.has(key) && isUnclaimedRuleFile(document)) {
      assignedUris.add(key);
      void vscode.languages.setTextDocumentLanguage(document, LANGUAGE_ID);
    }
  };
  vscode.workspace.textDocuments.forEach(assignLanguage);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(assignLanguage),
    // A document "closes" with each change of its language too; one that is gone begins anew.
    vscode.workspace.onDidCloseTextDocument((document) =>
      queueMicrotask(() => document.isClosed && assignedUris.delete(document.uri.toString())),
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
