/** What agents remember, by what it is worth now. Pure. */

import { l10n } from "vscode";
import { described } from "../markdown";
import type { Memory } from "../protocolMemory";
import type { Icon, Node, Rows } from "../views/node";
import { moment } from "../views/times";

/** When and for whom a row is made. */
interface Reader {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly locale: string;
}

const TIERS = ["hot", "warm", "cold"] as const;
const ICONS: { readonly [tier: string]: Icon } = {
  hot: { codicon: "flame", color: "charts.red" },
  warm: { codicon: "lightbulb", color: "charts.yellow" },
  cold: { codicon: "archive" },
};

/** `gone` are those that were forgotten or have expired. */
export function memoryRows(
  memories: readonly Memory[],
  gone: readonly Memory[],
  reader: Reader,
): Rows {
  const tiers = TIERS.flatMap((tier) => {
    const own = memories.filter((memory) => memory.tier === tier);
    return own.length === 0 ? [] : [tierNode(tier, own, reader)];
  });
  const nodes = gone.length === 0 ? tiers : [...tiers, goneNode(gone, reader)];
  return nodes.length > 0
    ? { nodes }
    : {
        nodes,
        message: l10n.t(
          "Nothing is remembered yet. Sessions add corrections and errors; “Remember…” adds what you know.",
        ),
      };
}

/** What a memory is, in a few words. */
export function summaryOf({ agent, sector, tags, type }: Memory): string {
  return [agent ? `@${agent}` : "", type || sector, ...tags.map((tag) => `#${tag}`)]
    .filter(Boolean)
    .join(" · ");
}

function tierNode(tier: (typeof TIERS)[number], own: readonly Memory[], reader: Reader): Node {
  const [name, meaning] = tierOf(tier);
  return {
    id: tier,
    label: name,
    description: String(own.length),
    tooltip: described(name, [], meaning),
    kind: "tier",
    folded: tier === "cold",
    children: own.map((memory) => memoryNode(memory, reader)),
  };
}

function goneNode(gone: readonly Memory[], reader: Reader): Node {
  const name = l10n.t("Forgotten");
  return {
    id: "gone",
    label: name,
    description: String(gone.length),
    tooltip: described(name, [], l10n.t("No agent is told these; each can come back.")),
    kind: "tier",
    folded: true,
    children: gone.map((memory) => memoryNode(memory, reader)),
  };
}

function memoryNode(memory: Memory, reader: Reader): Node {
  const { archived, created, expires, id, location, text, tier, title } = memory;
  const description = summaryOf(memory);
  const when = (time: string | null): string =>
    time === null ? "" : moment(time, reader.now, reader.locale);
  return {
    id: `memory/${id}`,
    label: title,
    description,
    tooltip: described(title, [
      [l10n.t("Text"), text === title ? "" : text],
      [l10n.t("Worth"), memory.score.toFixed(2)],
      [l10n.t("Seen"), l10n.t("{0} times", memory.evidence)],
      [l10n.t("Since"), when(created)],
      [l10n.t("Until"), when(expires)],
      [l10n.t("Whose"), memory.agent ? `@${memory.agent}` : l10n.t("all agents")],
      [l10n.t("Kept"), storageOf(memory.storage)],
      [l10n.t("Id"), id],
    ]),
    spoken: [title, description, archived ? l10n.t("forgotten") : tierOf(tier)[0]].join(", "),
    icon: archived ? { codicon: "history" } : (ICONS[tier] ?? { codicon: "circle-outline" }),
    kind: archived ? "memory gone" : "memory",
    subject: id,
    location,
  };
}

function tierOf(tier: string): [name: string, meaning: string] {
  switch (tier) {
    case "hot":
      return [l10n.t("Hot"), l10n.t("Agents are told these unasked.")];
    case "warm":
      return [l10n.t("Warm"), l10n.t("Agents are told these when they match the prompt.")];
    default:
      return [l10n.t("Cold"), l10n.t("Only a search finds these.")];
  }
}

function storageOf(storage: string): string {
  switch (storage) {
    case "session":
      return l10n.t("for its session");
    case "daily":
      return l10n.t("for some days");
    default:
      return l10n.t("for good");
  }
}
