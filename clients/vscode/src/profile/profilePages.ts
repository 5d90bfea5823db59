/**
 * This module types the profile reports of the command line and renders them as list rows and
 * Markdown pages. Pure.
 */

import { l10n } from "vscode";
import { escapeMarkdown, markdownTable } from "../text/markdown";

export interface ProfileSummary {
  readonly name: string;
  /** Whether the tree is served with it. */
  readonly in_force: boolean;
  /** Whether the tree's own configuration describes it, based on the one that it `extends`. */
  readonly own: boolean;
  readonly extends: string;
  /** Whose files it reads. */
  readonly reads: string;
  /** The faults in its description, in sentences. */
  readonly faults: readonly string[];
}

/** A profile in the list. */
export interface ListedProfile extends ProfileSummary {
  /** The layers that are active in its first bracket. */
  readonly first_layers: readonly string[];
}

export interface ProfileBracket {
  readonly name: string;
  /** How much of the window is left in it. */
  readonly label: string;
  /** Tokens. */
  readonly budget: number;
  readonly layers: readonly string[];
  readonly memory: string;
  readonly handoff: boolean;
  /** Prompts after which all of it is told again. */
  readonly refresh: number;
}

export interface ProfileReport extends ProfileSummary {
  readonly frame: { readonly open: string; readonly close: string };
  readonly layers: readonly { readonly id: string }[];
  readonly brackets: readonly ProfileBracket[];
  readonly sections: readonly string[];
  /** What is cut first when a block is too large. */
  readonly drop: readonly string[];
  readonly protected: readonly string[];
  /** Prompts for which a match counts. */
  readonly recall_prompts: number;
  /** Whether the budgets leave the first block of a window whole. */
  readonly whole_first_block: boolean;
}

export interface ProfileDifferences {
  readonly one: string;
  readonly other: string;
  readonly differences: readonly {
    /** The dotted path of the value. */
    readonly at: string;
    /** Null for a missing value. */
    readonly before: unknown;
    readonly after: unknown;
  }[];
}

export interface ProfileRow {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly detail?: string;
  readonly current: boolean;
}

export function profileRows(profiles: readonly ListedProfile[]): ProfileRow[] {
  return profiles.map((profile) => ({
    name: profile.name,
    label: profile.in_force ? `$(check) ${profile.name}` : profile.name,
    description: [
      l10n.t("reads the files of {0}", profile.reads),
      l10n.t("active at first: {0}", profile.first_layers.join(" ")),
      profile.own ? l10n.t("extends {0}", profile.extends) : "",
    ]
      .filter(Boolean)
      .join(" · "),
    ...(profile.faults.length > 0 && { detail: `$(warning) ${profile.faults.join(" · ")}` }),
    current: profile.in_force,
  }));
}

export function profilePage(profile: ProfileReport): string {
  const { brackets, drop, faults, layers, name, own, reads, sections } = profile;
  const facts = [
    profile.in_force ? l10n.t("The tree is served with it.") : "",
    own
      ? l10n.t("It is described in the tree's configuration, based on {0}.", profile.extends)
      : "",
    l10n.t("It reads the files of {0}.", reads),
    l10n.t("What a keyword brings stays for {0} prompts.", profile.recall_prompts),
    profile.whole_first_block ? l10n.t("The first block of a window has no budget.") : "",
  ];
  return [
    `# ${l10n.t("Profile {0}", escapeMarkdown(name))}`,
    facts.filter(Boolean).map(escapeMarkdown).join(" "),
    ...faults.map((fault) => `> ${l10n.t("It does not count: {0}.", escapeMarkdown(fault))}`),
    `## ${l10n.t("Brackets")}`,
    markdownTable(
      [
        l10n.t("Bracket"),
        l10n.t("Left"),
        l10n.t("Tokens"),
        l10n.t("Memory"),
        l10n.t("Hand-off"),
        l10n.t("Injected again after"),
        l10n.t("Layers"),
      ],
      brackets.map((row) => [
        row.name,
        row.label,
        String(row.budget),
        row.memory,
        cellText(row.handoff),
        l10n.t("{0} prompts", row.refresh),
        row.layers.join(" "),
      ]),
    ),
    `## ${l10n.t("Order")}`,
    markdownTable(
      [l10n.t("What"), l10n.t("In this order")],
      [
        [l10n.t("Layers"), layers.map(({ id }) => id).join(" ")],
        [l10n.t("Injected"), sections.join(", ")],
        [l10n.t("Cut first"), drop.join(", ")],
        [l10n.t("Never cut"), profile.protected.join(", ")],
      ],
    ),
  ]
    .filter(Boolean)
    .join("\n\n");
}

export function differencesPage({ differences, one, other }: ProfileDifferences): string {
  const title = `# ${l10n.t("{0} and {1}", escapeMarkdown(one), escapeMarkdown(other))}`;
  return differences.length === 0
    ? `${title}\n\n${l10n.t("They say the same.")}`
    : `${title}\n\n${markdownTable(
        [l10n.t("Where"), one, other],
        differences.map(({ at, before, after }) => [at, cellText(before), cellText(after)]),
      )}`;
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) {
    return "–";
  }
  if (typeof value === "boolean") {
    return value ? l10n.t("yes") : l10n.t("no");
  }
  return Array.isArray(value) ? value.map(String).join(" ") : String(value);
}
