/** Who is at work on what, and how much of the window is left, in words. Pure. */

import { l10n } from "vscode";
import type { Sourced, Usage } from "./protocol";

/** Counted from the prompts, so no measurement. */
export const ESTIMATED = "estimated";

/** A percentage with at most one decimal, as the command line writes it. */
export function percent(remaining: number): string {
  return remaining.toFixed(1).replace(/\.0$/, "");
}

/** What is left of a window in percent; without decimals where it is estimated, and so not that exact. */
export function leftOf({ remaining, source }: Usage): string {
  return source === ESTIMATED ? remaining.toFixed(0) : percent(remaining);
}

/** Where a percentage comes from, in the words of the engine's usage sources. */
export function originOf(source: string): string {
  switch (source) {
    case "default":
      return l10n.t("no session yet, so a fresh window");
    case "measured":
      return l10n.t("measured");
    case "reported":
      return l10n.t("reported by the client");
    case ESTIMATED:
      return l10n.t("estimated from the prompts");
    default:
      return source;
  }
}

/** What the next prompt meets beside the window. */
export interface Situation {
  readonly agent: Sourced | null;
  readonly workflow: Sourced | null;
  readonly task: Sourced | null;
  readonly squad: Sourced | null;
}

/** Each part that is active: its name for people, and its value. */
export function partsOf({ agent, workflow, task, squad }: Situation): [string, string][] {
  const parts: [string, string][] = [
    [l10n.t("Agent"), agent?.id ? `@${agent.id}` : ""],
    [l10n.t("Workflow"), [workflow?.id, workflow?.phase].filter(Boolean).join(", ")],
    [l10n.t("Task"), task?.id ?? ""],
    [l10n.t("Squad"), squad?.id ?? ""],
  ];
  return parts.filter(([, value]) => value !== "");
}
