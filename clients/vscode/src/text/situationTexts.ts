/**
 * This module words the situation (agent, workflow, task, squad) and the remaining context window.
 * Pure.
 */

import { l10n } from "vscode";
import type { SituationPart, Usage } from "../protocol";

/** What is left of a context window, and where that is known from. */
export type Remaining = Pick<Usage, "remaining" | "source">;

/** The source of a usage that is counted from the prompts, not measured. */
export const ESTIMATED_SOURCE = "estimated";

/** A percentage with at most one decimal, as the command line writes it. */
export function formatPercent(remaining: number): string {
  return remaining.toFixed(1).replace(/\.0$/, "");
}

/** Returns the remaining percent of a window; without decimals where it is only estimated. */
export function remainingPercent({ remaining, source }: Remaining): string {
  return source === ESTIMATED_SOURCE ? remaining.toFixed(0) : formatPercent(remaining);
}

/** What is known of where a usage comes from; `origin` is whose figures they are, in words. */
export type UsageSource = Pick<Usage, "source"> & Partial<Pick<Usage, "origin">>;

/** Returns where a usage percentage comes from: measured by whom, told by whom, or estimated. */
export function usageSourceLabel({ source, origin }: UsageSource): string {
  switch (source) {
    case "default":
      return l10n.t("no session yet, so a fresh window");
    case "measured":
      return origin ? l10n.t("measured: {0}", origin) : l10n.t("measured");
    case "reported":
      return origin
        ? l10n.t("reported by the client: {0}", origin)
        : l10n.t("reported by the client");
    case ESTIMATED_SOURCE:
      return l10n.t("estimated from the prompts");
    default:
      return source;
  }
}

/** The active agent, workflow, task and squad. */
export interface ActiveWork {
  readonly agent: SituationPart | null;
  readonly workflow: SituationPart | null;
  readonly task: SituationPart | null;
  readonly squad: SituationPart | null;
}

/** Returns label and value of each active part. */
export function situationParts({ agent, workflow, task, squad }: ActiveWork): [string, string][] {
  const parts: [string, string][] = [
    [l10n.t("Agent"), agent?.id ? `@${agent.id}` : ""],
    [l10n.t("Workflow"), [workflow?.id, workflow?.phase].filter(Boolean).join(", ")],
    [l10n.t("Task"), task?.id ?? ""],
    [l10n.t("Squad"), squad?.id ?? ""],
  ];
  return parts.filter(([, value]) => value !== "");
}
