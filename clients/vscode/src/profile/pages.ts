/** A profile, and how two of them differ, as Markdown pages. Pure. */

import { l10n } from "vscode";
import { escaped } from "../markdown";
import { tableOf } from "../tables";
import type { Differences, ProfileReport } from "./reports";

export function profilePage(profile: ProfileReport): string {
  const { brackets, drop, faults, layers, name, own, reads, sections } = profile;
  const facts = [
    profile.in_force ? l10n.t("The tree is served with it.") : "",
    own
      ? l10n.t("It is described in the tree's configuration, based on {0}.", profile.extends)
      : "",
    l10n.t("It reads the files of {0}.", reads),
    l10n.t("What a keyword brings stays for {0} prompts.", profile.recall_prompts),
  ];
  return [
    `# ${l10n.t("Profile {0}", escaped(name))}`,
    facts.filter(Boolean).map(escaped).join(" "),
    ...faults.map((fault) => `> ${l10n.t("It does not count: {0}.", escaped(fault))}`),
    `## ${l10n.t("Brackets")}`,
    tableOf(
      [
        l10n.t("Bracket"),
        l10n.t("Left"),
        l10n.t("Tokens"),
        l10n.t("Memory"),
        l10n.t("Hand-off"),
        l10n.t("Told again after"),
        l10n.t("Layers"),
      ],
      brackets.map((row) => [
        row.name,
        row.label,
        String(row.budget),
        row.memory,
        shown(row.handoff),
        l10n.t("{0} prompts", row.refresh),
        row.layers.join(" "),
      ]),
    ),
    `## ${l10n.t("Order")}`,
    tableOf(
      [l10n.t("What"), l10n.t("In this order")],
      [
        [l10n.t("Layers"), layers.map(({ id }) => id).join(" ")],
        [l10n.t("Told"), sections.join(", ")],
        [l10n.t("Cut first"), drop.join(", ")],
        [l10n.t("Never cut"), profile.protected.join(", ")],
      ],
    ),
  ]
    .filter(Boolean)
    .join("\n\n");
}

export function differencesPage({ differences, one, other }: Differences): string {
  const title = `# ${l10n.t("{0} and {1}", escaped(one), escaped(other))}`;
  return differences.length === 0
    ? `${title}\n\n${l10n.t("They say the same.")}`
    : `${title}\n\n${tableOf(
        [l10n.t("Where"), one, other],
        differences.map(({ at, before, after }) => [at, shown(before), shown(after)]),
      )}`;
}

function shown(value: unknown): string {
  if (value === null || value === undefined) {
    return "–";
  }
  if (typeof value === "boolean") {
    return value ? l10n.t("yes") : l10n.t("no");
  }
  return Array.isArray(value) ? value.map(String).join(" ") : String(value);
}
