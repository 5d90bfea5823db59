/** What the status bar says, in words. Pure. */

import { l10n } from "vscode";
import { escaped } from "./markdown";
import type { Status } from "./protocol";
import type { Failure } from "./remedy";
import { ESTIMATED, leftOf, originOf, partsOf } from "./situation";

/** The one command that the tooltip leads to. */
export const INSTALL = "synapse.installHook";

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

function windowView(status: Status): StatusView {
  const left = leftOf(status.usage);
  const about = status.usage.source === ESTIMATED ? "~" : "";
  const agent = status.agent?.id ? `@${status.agent.id}` : "";
  return {
    text: [
      `$(layers) ${status.bracket}`,
      l10n.t("{0}% left", `${about}${left}`),
      agent,
      l10n.t("{0} tokens", status.tokens),
    ]
      .filter(Boolean)
      .join(" · "),
    tooltip: tooltipOf(status, left),
    label: l10n.t(
      "Synapse: bracket {0}, {1}% of the context window left, {2}, {3}. The next block has {4} of {5} tokens.",
      status.bracket,
      left,
      originOf(status.usage.source),
      agent === "" ? l10n.t("no agent") : l10n.t("agent {0}", agent),
      status.tokens,
      status.budget,
    ),
    command: "synapse.showContext",
    alarming: false,
  };
}

function tooltipOf(status: Status, left: string): string {
  const rows: [string, string][] = [
    [l10n.t("Window"), l10n.t("{0}% left ({1})", left, originOf(status.usage.source))],
    [l10n.t("Next block"), blockOf(status)],
    ...partsOf(status),
  ];
  const title = status.session?.title;
  if (title) {
    rows.push([l10n.t("Session"), title]);
  }
  return [
    `**Synapse · ${escaped(status.bracket)}**`,
    rows.map(([name, text]) => `${name}: ${escaped(text)}`).join("  \n"),
    // A session shows that a hook is called, wherever it is registered.
    status.hooks.length === 0 && status.session === null
      ? `${l10n.t("No agent gets it yet.")} [${l10n.t("Install Hook…")}](command:${INSTALL})`
      : "",
    l10n.t("Click for the Context panel."),
  ]
    .filter(Boolean)
    .join("\n\n");
}

function blockOf({ tokens, budget, cuts, overBudget }: Status): string {
  const size = l10n.t("{0} of {1} tokens", tokens, budget);
  if (overBudget) {
    return `${size}, ${l10n.t("more than the budget")}`;
  }
  return cuts > 0 ? `${size}, ${l10n.t("{0} cut", cuts)}` : size;
}
