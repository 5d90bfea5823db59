/** What the status bar says, in words. Pure. */

import { l10n } from "vscode";
import type { Status } from "./protocol";
import type { Failure } from "./remedy";

export type ServerState =
  | { readonly kind: "starting" }
  | { readonly kind: "running" }
  | { readonly kind: "stopped"; readonly failure: Failure };

export interface StatusView {
  readonly text: string;
  /** Markdown. */
  readonly tooltip: string;
  /** What a screen reader says; without icons. */
  readonly label: string;
  readonly command: string;
  readonly alarming: boolean;
}

/** The item, or undefined where there is nothing to say: a folder without a rule tree. */
export function viewOf(state: ServerState, status: Status | undefined): StatusView | undefined {
  switch (state.kind) {
    case "starting":
      return {
        text: "$(loading~spin) Synapse",
        tooltip: l10n.t("Synapse is starting."),
        label: l10n.t("Synapse is starting."),
        command: "synapse.showLog",
        alarming: false,
      };
    case "stopped":
      return {
        text: "$(warning) Synapse",
        tooltip: `${escaped(state.failure.problem)}\n\n${escaped(state.failure.remedy)}`,
        label: `${state.failure.problem} ${state.failure.remedy}`,
        command: "synapse.showProblem",
        alarming: true,
      };
    case "running":
      return status && windowView(status);
  }
}

/** A percentage with at most one decimal, as the command line writes it. */
export function percent(remaining: number): string {
  return remaining.toFixed(1).replace(/\.0$/, "");
}

function windowView(status: Status): StatusView {
  const left = percent(status.usage.remaining);
  return {
    text: `$(layers) ${l10n.t("{0} · {1}% left", status.bracket, left)}`,
    tooltip: tooltipOf(status, left),
    label: l10n.t("Synapse: bracket {0}, {1}% of the context window left", status.bracket, left),
    command: "synapse.previewContext",
    alarming: false,
  };
}

function tooltipOf(status: Status, left: string): string {
  const { agent, workflow, task, usage } = status;
  const rows = [
    [l10n.t("Window"), `${left}% (${originOf(usage.source)})`],
    [l10n.t("Block"), l10n.t("{0} of {1} tokens", status.tokens, status.budget)],
    [l10n.t("Agent"), agent?.id ? `@${agent.id}` : ""],
    [l10n.t("Workflow"), [workflow?.id, workflow?.phase].filter(Boolean).join(", ")],
    [l10n.t("Task"), task?.id ?? ""],
  ] as const;
  const table = rows.filter(([, text]) => text !== "");
  return [
    `**Synapse · ${escaped(status.bracket)}**`,
    table.map(([name, text]) => `${name}: ${escaped(text)}`).join("  \n"),
    l10n.t("Click to see the block that the next prompt would get."),
  ].join("\n\n");
}

/** Where the percentage comes from, in the words of the engine's usage sources. */
function originOf(source: string): string {
  switch (source) {
    case "default":
      return l10n.t("no session yet, so a fresh window");
    case "measured":
      return l10n.t("measured");
    case "reported":
      return l10n.t("reported by the client");
    case "estimated":
      return l10n.t("estimated from the prompts");
    default:
      return source;
  }
}

/** Text that Markdown shows as it is. */
function escaped(text: string): string {
  return text.replace(/[\\`*_{}[\]()#+!|<>~$]/g, "\\$&");
}
