/** This module builds the rows of the memory view, grouped by tier (hot, warm, cold). Pure. */

import { l10n } from "vscode";
import type { Memory } from "../protocol";
import { markdownDescription } from "../text/markdown";
import { formatTime } from "../text/timeText";
import type { NodeIcon, ViewNode, ViewRows } from "../views/viewNode";

/** The time and locale for which a row is built. */
interface TimeDisplay {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly locale: string;
}

const MEMORY_TIERS = ["hot", "warm", "cold"] as const;
const TIER_ICONS: { readonly [tier: string]: NodeIcon } = {
  hot: { codicon: "flame", color: "charts.red" },
  warm: { codicon: "lightbulb", color: "charts.yellow" },
  cold: { codicon: "archive" },
};

/** Returns the rows by tier; `archived` are memories that were forgotten or have expired. */
export function memoryRows(
  memories: readonly Memory[],
  archived: readonly Memory[],
  display: TimeDisplay,
): ViewRows {
  const tiers = MEMORY_TIERS.flatMap((tier) => {
    const tierMemories = memories.filter((memory) => memory.tier === tier);
    return tierMemories.length === 0 ? [] : [tierNode(tier, tierMemories, display)];
  });
  const nodes = archived.length === 0 ? tiers : [...tiers, archivedNode(archived, display)];
  return nodes.length > 0
    ? { nodes }
    : {
        nodes,
        message: l10n.t(
          "Nothing is remembered yet. Sessions add corrections and errors; “Remember…” adds what you know.",
        ),
      };
}

/** Returns owner, type and tags of a memory in a few words. */
export function memorySummary({ agent, sector, tags, type }: Memory): string {
  return [agent ? `@${agent}` : "", type || sector, ...tags.map((tag) => `#${tag}`)]
    .filter(Boolean)
    .join(" · ");
}

function tierNode(
  tier: (typeof MEMORY_TIERS)[number],
  memories: readonly Memory[],
  display: TimeDisplay,
): ViewNode {
  const [name, meaning] = tierTexts(tier);
  return {
    id: tier,
    label: name,
    description: String(memories.length),
    tooltip: markdownDescription(name, [], meaning),
    kind: "tier",
    folded: tier === "cold",
    children: memories.map((memory) => memoryNode(memory, display)),
  };
}

function archivedNode(memories: readonly Memory[], display: TimeDisplay): ViewNode {
  const name = l10n.t("Forgotten");
  return {
    id: "gone",
    label: name,
    description: String(memories.length),
    tooltip: markdownDescription(name, [], l10n.t("No agent gets these; each can come back.")),
    kind: "tier",
    folded: true,
    children: memories.map((memory) => memoryNode(memory, display)),
  };
}

function memoryNode(memory: Memory, display: TimeDisplay): ViewNode {
  const { archived, created, expires, id, location, text, tier, title } = memory;
  const description = memorySummary(memory);
  const formatMoment = (time: string | null): string =>
    time === null ? "" : formatTime(time, display.now, display.locale);
  return {
    id: `memory/${id}`,
    label: title,
    description,
    tooltip: markdownDescription(title, [
      [l10n.t("Text"), text === title ? "" : text],
      [l10n.t("Worth"), memory.score.toFixed(2)],
      [l10n.t("Seen"), l10n.t("{0} times", memory.evidence)],
      [l10n.t("Since"), formatMoment(created)],
      [l10n.t("Until"), formatMoment(expires)],
      [l10n.t("Whose"), memory.agent ? `@${memory.agent}` : l10n.t("all agents")],
      [l10n.t("Kept"), storageText(memory.storage)],
      [l10n.t("Id"), id],
    ]),
    spoken: [title, description, archived ? l10n.t("forgotten") : tierTexts(tier)[0]].join(", "),
    icon: archived ? { codicon: "history" } : (TIER_ICONS[tier] ?? { codicon: "circle-outline" }),
    kind: archived ? "memory gone" : "memory",
    subject: id,
    location,
  };
}

function tierTexts(tier: string): [name: string, meaning: string] {
  switch (tier) {
    case "hot":
      return [l10n.t("Hot"), l10n.t("Agents get these unasked.")];
    case "warm":
      return [l10n.t("Warm"), l10n.t("Agents get these when they match the prompt.")];
    default:
      return [l10n.t("Cold"), l10n.t("Only a search finds these.")];
  }
}

function storageText(storage: string): string {
  switch (storage) {
    case "session":
      return l10n.t("for its session");
    case "daily":
      return l10n.t("for some days");
    default:
      return l10n.t("for good");
  }
}
