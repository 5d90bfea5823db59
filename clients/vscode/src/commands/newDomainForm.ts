/**
 * This module checks what a person enters for a new domain (name, trigger, lists) and lists the
 * triggers. Pure.
 */

import { l10n } from "vscode";
import type { ListItem } from "./listItems";

/** What activates a domain. */
export type DomainTrigger = "keywords" | "alwaysOn" | "agent" | "workflow" | "paths";

export function triggerItems(): ListItem<DomainTrigger>[] {
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

/** Returns why a name cannot be used; undefined for a valid one. */
export function domainNameError(name: string, existingKeys: readonly string[]): string | undefined {
  const key = domainKey(name);
  if (!/^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$/.test(key)) {
    return l10n.t("A name has letters, digits and single hyphens, and begins with a letter.");
  }
  return existingKeys.includes(key) ? l10n.t("There is a domain {0} already.", key) : undefined;
}

/** Returns a name as the manifest writes it. */
export function domainKey(name: string): string {
  return name
    .trim()
    .toUpperCase()
    .replace(/[\s-]+/g, "_");
}

/** Splits a list at commas, without empty parts. */
export function splitList(text: string): string[] {
  return text
    .split(",")
    .map((part) => part.trim())
    .filter(Boolean);
}
