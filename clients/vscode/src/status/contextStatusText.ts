/**
 * This module words the status bar item: bracket, context left, agent, tokens of the next block.
 * Pure.
 */

import { l10n } from "vscode";
import type { Status } from "../protocol";
import type { ServerState } from "../server/serverState";
import { blockSize } from "../text/countTexts";
import { deliveryTrouble, lastDelivery } from "../text/deliveryTexts";
import { escapeMarkdown } from "../text/markdown";
import {
  ESTIMATED_SOURCE,
  remainingPercent,
  situationParts,
  usageSourceLabel,
} from "../text/situationTexts";

/** The command that the tooltip links to. */
export const INSTALL_HOOK_COMMAND = "synapse.installHook";

export interface ContextStatusView {
  readonly text: string;
  /** Markdown. */
  readonly tooltip: string;
  /** The text for a screen reader, without icons. */
  readonly label: string;
  readonly command: string;
  readonly isWarning: boolean;
}

/** When it is, in milliseconds, and for whom. */
export interface Reader {
  readonly now: number;
  readonly locale: string;
}

/** Returns the status item; undefined in a folder without a rule tree. */
export function contextStatusView(
  state: ServerState,
  status: Status | undefined,
  reader: Reader,
): ContextStatusView | undefined {
  switch (state.kind) {
    case "starting":
      return {
        text: "$(loading~spin) Synapse",
        tooltip: l10n.t("Synapse is starting."),
        label: l10n.t("Synapse is starting."),
        command: "synapse.showLog",
        isWarning: false,
      };
    case "stopped":
      return {
        text: "$(warning) Synapse",
        tooltip: `${escapeMarkdown(state.failure.problem)}\n\n${escapeMarkdown(state.failure.remedy)}`,
        label: `${state.failure.problem} ${state.failure.remedy}`,
        command: "synapse.showProblem",
        isWarning: true,
      };
    case "running":
      return status && runningStatusView(status, reader);
  }
}

function runningStatusView(status: Status, reader: Reader): ContextStatusView {
  const delivered = lastDelivery(status.delivery, reader.now, reader.locale);
  const trouble = deliveryTrouble(status.delivery);
  const left = remainingPercent(status.usage);
  const about = status.usage.source === ESTIMATED_SOURCE ? "~" : "";
  const agent = status.agent?.id ? `@${status.agent.id}` : "";
  return {
    text: [
      `$(${trouble ? "warning" : "layers"}) ${status.bracket}`,
      l10n.t("{0}% left", `${about}${left}`),
      agent,
      trouble ? l10n.t("last delivered: {0}", delivered) : newTokens(status),
    ]
      .filter(Boolean)
      .join(" · "),
    tooltip: statusTooltip(status, left, delivered),
    label: [
      l10n.t(
        "Synapse: bracket {0}, {1}% of the context window left, {2}, {3}. The next block has {4}.",
        status.bracket,
        left,
        usageSourceLabel(status.usage),
        agent === "" ? l10n.t("no agent") : l10n.t("agent {0}", agent),
        blockSize(status),
      ),
      ...(trouble ? [trouble.sentence, trouble.remedy] : []),
    ].join(" "),
    command: "synapse.showContext",
    isWarning: trouble !== undefined,
  };
}

function statusTooltip(status: Status, left: string, delivered: string): string {
  const rows: [string, string][] = [
    [l10n.t("Window"), l10n.t("{0}% left ({1})", left, usageSourceLabel(status.usage))],
    [l10n.t("Next block"), blockFit(status)],
    ...situationParts(status),
  ];
  if (delivered !== "") {
    rows.push([l10n.t("Last delivered"), delivered]);
  }
  const title = status.session?.title;
  if (title) {
    rows.push([l10n.t("Session"), title]);
  }
  return [
    `**Synapse · ${escapeMarkdown(status.bracket)}**`,
    rows.map(([name, text]) => `${name}: ${escapeMarkdown(text)}`).join("  \n"),
    ...status.notes.map(escapeMarkdown),
    troubleMarkdown(status),
    status.hooks.length === 0 && status.otherHooks?.length > 0
      ? l10n.t("Agents get what {0} injects, not this block.", status.otherHooks.join(", "))
      : "",
    // A session shows that a hook is called, wherever it is registered.
    status.hooks.length === 0 && status.session === null && !status.delivery?.problem
      ? `${l10n.t("No agent gets it yet.")} [${l10n.t("Install Hook…")}](command:${INSTALL_HOOK_COMMAND})`
      : "",
    l10n.t("Click for the Context panel."),
  ]
    .filter(Boolean)
    .join("\n\n");
}

/** Returns what keeps rules from agents, with the way out. */
function troubleMarkdown({ delivery }: Status): string {
  const trouble = deliveryTrouble(delivery);
  return trouble === undefined
    ? ""
    : `$(warning) ${escapeMarkdown(trouble.sentence)} ${escapeMarkdown(trouble.remedy)} [${l10n.t("Install Hook…")}](command:${INSTALL_HOOK_COMMAND})`;
}

function newTokens({ tokens }: Status): string {
  return tokens === 0 ? l10n.t("nothing new") : l10n.t("{0} tokens", tokens);
}

function blockFit(status: Status): string {
  const { cuts, overBudget } = status;
  const size = blockSize(status);
  if (overBudget) {
    return `${size}, ${l10n.t("more than the budget")}`;
  }
  return cuts > 0 ? `${size}, ${l10n.t("{0} cut", cuts)}` : size;
}
