/** The squads of a tree with their domains. Pure. */

import { l10n } from "vscode";
import { rules, tokens } from "../counts";
import { described } from "../markdown";
import type { Explanation } from "../protocol";
import type { Domain, Squad } from "../protocolTree";
import { domainNodes } from "./domains";
import type { Node, Rows } from "./node";

export function squadRows(
  all: readonly Squad[],
  domains: readonly Domain[],
  explanation: Explanation,
): Rows {
  const nodes = all.map((squad) => squadNode(squad, domains, explanation));
  return nodes.length > 0 ? { nodes } : { nodes, message: l10n.t("This tree has no squads.") };
}

function squadNode(squad: Squad, domains: readonly Domain[], explanation: Explanation): Node {
  const own = domains.filter(({ label }) => squad.domains.includes(label));
  const state = squad.active ? l10n.t("active") : "";
  const size = `${rules(squad.rules)} · ${tokens(squad.tokens)}`;
  const description = [state, size].filter(Boolean).join(" · ");
  return {
    id: squad.folder,
    label: squad.folder,
    description,
    tooltip: described(squad.name || squad.folder, [
      [l10n.t("State"), squad.active ? l10n.t("active") : l10n.t("not active")],
      [l10n.t("Known from"), squad.source],
      [l10n.t("Beside the root"), modeOf(squad.mode)],
      [l10n.t("In all"), size],
    ]),
    spoken: `${squad.folder}, ${description}`,
    icon: squad.active
      ? { codicon: "organization", color: "charts.green" }
      : { codicon: "organization" },
    kind: squad.active ? "squad active" : "squad idle",
    subject: squad.folder,
    location: squad.location,
    children: domainNodes(own, explanation, squad.folder),
  };
}

function modeOf(mode: string): string {
  switch (mode) {
    case "extend":
      return l10n.t("adds its domains to those of the root");
    case "override":
      return l10n.t("replaces domains of the root that have the same name");
    case "none":
      return l10n.t("stands alone");
    default:
      return mode;
  }
}
