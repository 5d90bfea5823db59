/** What a new rule needs beside its text: what it belongs to, where its domain's file says that. Pure. */

import { l10n } from "vscode";
import type { Choices } from "../protocol";
import type { Item } from "./items";

/** What the server's command is told of it. */
export type Belonging =
  | Record<string, never>
  | { readonly bracket: string }
  | { readonly command: string }
  | { readonly article: number };

/** The rule's place among its kind; the last of them is a new one. */
export interface Kind {
  readonly placeholder: string;
  /** `"new"` stands for a star-command that is yet to be named. */
  readonly items: readonly Item<Belonging | "new">[];
}

/** Undefined for a domain whose rules belong to nothing else. */
export function kindOf(domain: string, choices: Choices): Kind | undefined {
  return KINDS[domain]?.(choices);
}

/** The domains whose files are made of parts, in every tree. */
const KINDS: Readonly<Record<string, (choices: Choices) => Kind>> = {
  CONTEXT: ({ brackets }) => ({
    placeholder: l10n.t("In which bracket is it told?"),
    items: brackets.map(({ name, label }) => ({
      label: name,
      description: label,
      value: { bracket: name },
    })),
  }),
  COMMANDS: ({ commands }) => ({
    placeholder: l10n.t("Which star-command is it told with?"),
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

/** What the question for the text says, and an example of one. */
export function textQuestion(
  belonging: Belonging,
  { articles }: Choices,
): { readonly prompt: string; readonly placeHolder: string } {
  const isTitle =
    "article" in belonging && !articles.some(({ id }) => Number(id) === belonging.article);
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

/** The complaint about the name of a new star-command. */
export function commandComplaint(name: string, { commands }: Choices): string | undefined {
  const id = commandOf(name);
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id)) {
    return l10n.t("A name has letters, digits and single hyphens, and begins with a letter.");
  }
  return commands.some((known) => known.id === id)
    ? l10n.t("There is a star-command *{0} already.", id)
    : undefined;
}

/** A star-command's name as rule files spell it. */
export function commandOf(name: string): string {
  return name
    .trim()
    .replace(/^\*/, "")
    .toLowerCase()
    .replace(/[\s_]+/g, "-");
}
