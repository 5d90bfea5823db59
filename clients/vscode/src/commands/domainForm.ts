/** What a new domain needs: its name, when it wakes, its first rule. Pure. */

import { l10n } from "vscode";
import type { Item } from "./items";

/** What brings a domain in. */
export type Trigger = "keywords" | "alwaysOn" | "agent" | "workflow" | "paths";

export function triggerItems(): Item<Trigger>[] {
  return [
    {
      label: `$(search) ${l10n.t("Words of the prompt")}`,
      detail: l10n.t("for rules about a subject: tests, migrations, the public API"),
      value: "keywords",
    },
    {
      label: `$(file-code) ${l10n.t("Files that are touched or mentioned")}`,
      detail: l10n.t("for rules about a part of the code: src/api/**"),
      value: "paths",
    },
    {
      label: `$(person) ${l10n.t("An agent")}`,
      detail: l10n.t("for rules that one agent has to follow"),
      value: "agent",
    },
    {
      label: `$(server-process) ${l10n.t("A workflow")}`,
      detail: l10n.t("for rules that hold while a workflow runs"),
      value: "workflow",
    },
    {
      label: `$(pinned) ${l10n.t("Every prompt")}`,
      detail: l10n.t("for few rules: they take room from all others"),
      value: "alwaysOn",
    },
  ];
}

/** The complaint about a name, or undefined for one that can be taken. */
export function complaintOf(name: string, taken: readonly string[]): string | undefined {
  const key = keyOf(name);
  if (!/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(key)) {
    return l10n.t("A name has letters, digits and single hyphens, and begins with a letter.");
  }
  return taken.includes(key) ? l10n.t("There is a domain {0} already.", key) : undefined;
}

/** A name as the manifest has it. */
export function keyOf(name: string): string {
  return name
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, "_");
}

/** The parts of a list with commas, without the empty ones. */
export function listed(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}
