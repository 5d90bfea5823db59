/** A migration for people: each file as it is and as it would be, and what agents notice. Pure. */

import { l10n } from "vscode";
import { type Sides, sidesOf } from "../hooks/sides";
import type { Migration, MigrationChange } from "./reports";

export function migrationPage(migration: Migration): Sides {
  const parts = migration.changes.map((change) => ({
    head: `# ${headOf(change)}`,
    ...sidesOf(change.diff),
  }));
  const notes = notesOf(migration)
    .map((note) => `# ${note}`)
    .join("\n");
  const text = (side: keyof Sides): string =>
    [notes, ...parts.map((part) => `${part.head}\n${part[side]}`)].filter(Boolean).join("\n\n");
  return { before: text("before"), after: text("after") };
}

/** What agents are told differently, and what is left to do by hand. */
export function notesOf({ mentions, parity, remarks }: Migration): string[] {
  return [
    ...(parity === null ? [] : [parityOf(parity)]),
    ...(parity?.differences ?? []).map(({ subject, why }) => `  ${subject}: ${why}`),
    ...(parity?.form ?? []).map(({ sentence }) => `  ${sentence}`),
    ...remarks.map(({ path, line, sentence }) => `${placeOf(path, line)}: ${sentence}`),
    ...mentions.map(({ path, line, text }) =>
      l10n.t("{0} still talks of CARL: {1}", placeOf(path, line), text),
    ),
  ];
}

function parityOf({ asked, differences }: NonNullable<Migration["parity"]>): string {
  return differences.length === 0
    ? l10n.t("Asked {0} questions, agents are told the same rules for each.", asked)
    : l10n.t("Asked {0} questions, agents are told {1} differently.", asked, differences.length);
}

function headOf({ action, path, why }: MigrationChange): string {
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

function placeOf(path: string, line: number): string {
  return line > 0 ? `${path}:${line}` : path;
}
