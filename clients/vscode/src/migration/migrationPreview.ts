/**
 * This module renders the preview of a migration: the diff of each file and what changes for
 * agents. Pure.
 */

import { l10n } from "vscode";
import { type DiffTexts, splitDiff } from "../text/unifiedDiff";

export interface MigrationChange {
  readonly path: string;
  readonly action: "create" | "change" | "remove";
  /** The source of the file, or "". */
  readonly why: string;
  readonly diff: string;
}

export interface MigrationReport {
  readonly changes: readonly MigrationChange[];
  /** Lines that will still talk of the old tree. */
  readonly mentions: readonly {
    readonly path: string;
    readonly line: number;
    readonly text: string;
  }[];
  readonly remarks: readonly {
    readonly path: string;
    readonly line: number;
    readonly sentence: string;
  }[];
  /** The files that finishing the migration removes. */
  readonly removals: readonly string[];
  readonly parity: {
    readonly asked: number;
    readonly differences: readonly {
      /** The keyword, star-command or bracket that was asked about. */
      readonly subject: string;
      readonly why: string;
    }[];
    readonly form: readonly { readonly sentence: string }[];
  } | null;
}

export interface RollbackReport {
  readonly applied: boolean;
  readonly steps: readonly { readonly action: string; readonly path: string }[];
}

export function migrationPreview(migration: MigrationReport): DiffTexts {
  const parts = migration.changes.map((change) => ({
    head: `# ${changeHeading(change)}`,
    ...splitDiff(change.diff),
  }));
  const notes = migrationNotes(migration)
    .map((note) => `# ${note}`)
    .join("\n");
  const text = (side: keyof DiffTexts): string =>
    [notes, ...parts.map((part) => `${part.head}\n${part[side]}`)].filter(Boolean).join("\n\n");
  return { before: text("before"), after: text("after") };
}

/** Returns notes on what changes for agents, and what is left to do by hand. */
export function migrationNotes({ mentions, parity, remarks }: MigrationReport): string[] {
  return [
    ...(parity === null ? [] : [paritySentence(parity)]),
    ...(parity?.differences ?? []).map(({ subject, why }) => `  ${subject}: ${why}`),
    ...(parity?.form ?? []).map(({ sentence }) => `  ${sentence}`),
    ...remarks.map(({ path, line, sentence }) => `${filePlace(path, line)}: ${sentence}`),
    ...mentions.map(({ path, line, text }) =>
      l10n.t("{0} still talks of CARL: {1}", filePlace(path, line), text),
    ),
  ];
}

function paritySentence({ asked, differences }: NonNullable<MigrationReport["parity"]>): string {
  return differences.length === 0
    ? l10n.t("Asked {0} questions, agents get the same rules for each.", asked)
    : l10n.t("Asked {0} questions, agents get {1} differently.", asked, differences.length);
}

function changeHeading({ action, path, why }: MigrationChange): string {
  const from = why === "" ? "" : ` (${why})`;
  switch (action) {
    case "create":
      return `${l10n.t("{0}: a new file", path)}${from}`;
    case "remove":
      return `${l10n.t("{0}: the file is removed", path)}${from}`;
    default:
      return `${path}${from}`;
  }
}

function filePlace(path: string, line: number): string {
  return line > 0 ? `${path}:${line}` : path;
}
