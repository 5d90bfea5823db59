/**
 * This module asks what a new rule belongs to (bracket, star-command, article) where the file of
 * its domain has such parts. Pure.
 */

import { l10n } from "vscode";
import type { Choices } from "../protocol";
import type { ListItem } from "./listItems";

/** What a rule belongs to, as the server's command takes it. */
export type RuleParent =
  | Record<string, never>
  | { readonly bracket: string }
  | { readonly command: string }
  | { readonly article: number };

/** The question what a rule belongs to; its last item is a new one. */
export interface ParentQuestion {
  readonly placeholder: string;
  /** `"new"` stands for a star-command that is yet to be named. */
  readonly items: readonly ListItem<RuleParent | "new">[];
}

/** Returns the question for a domain; undefined where its rules belong to nothing else. */
export function parentQuestion(domain: string, choices: Choices): ParentQuestion | undefined {
  return PARENT_QUESTIONS[domain]?.(choices);
}

/** The questions of the domains whose files have parts, in every tree. */
const PARENT_QUESTIONS: Readonly<Record<string, (choices: Choices) => ParentQuestion>> = {
  CONTEXT: ({ brackets }) => ({
    placeholder: l10n.t("In which bracket is it injected?"),
    items: brackets.map(({ name, label }) => ({
      label: name,
      description: label,
      value: { bracket: name },
    })),
  }),
  COMMANDS: ({ commands }) => ({
    placeholder: l10n.t("Which star-command injects it?"),
    items: [
      ...commands.map(({ id }) => ({ label: `*${id}`, value: { command: id } })),
      { label: `$(add) ${l10n.t("A new star-command…")}`, value: "new" as const },
    ],
  }),
  CONSTITUTION: ({ articles }) => ({
    placeholder: l10n.t("Which article does it belong to?"),
    items: [
      ...articles.map(({ id, title }) => ({
        label: l10n.t("Article {0}", id),
        description: title,
        value: { article: Number(id) },
      })),
      {
        label: `$(add) ${l10n.t("A new article")}`,
        value: { article: Math.max(0, ...articles.map(({ id }) => Number(id))) + 1 },
      },
    ],
  }),
};

/** Returns the prompt of the input box for the rule's text, and an example. */
export function ruleTextQuestion(
  parent: RuleParent,
  { articles }: Choices,
): { readonly prompt: string; readonly placeHolder: string } {
  const isTitle = "article" in parent && !articles.some(({ id }) => Number(id) === parent.article);
  return isTitle
    ? {
        prompt: l10n.t("The first rule of an article is its title, with its severity behind it."),
        placeHolder: l10n.t("No Invention (MUST)"),
      }
    : {
        prompt: l10n.t("One sentence that an agent can follow."),
        placeHolder: l10n.t("Write the test before the code"),
      };
}

/** Returns why the name of a new star-command cannot be used; undefined for a valid one. */
export function commandNameError(name: string, { commands }: Choices): string | undefined {
  const id = normalizeCommandName(name);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id)) {
    return l10n.t("A name has letters, digits and single hyphens, and begins with a letter.");
  }
  return commands.some((command) => command.id === id)
    ? l10n.t("There is a star-command *{0} already.", id)
    : undefined;
}

/** Returns a star-command's name as rule files spell it. */
export function normalizeCommandName(name: string): string {
  return name
    .trim()
    .replace(/^\*/, "")
    .toLowerCase()
    .replace(/[\s_]+/g, "-");
}
