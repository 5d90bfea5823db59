/** This module builds the rows of the squad view, each squad with its domains. Pure. */

import { l10n } from "vscode";
import type { Domain, Explanation, Squad } from "../protocol";
import { ruleCount, tokenCount } from "../text/countTexts";
import { markdownDescription } from "../text/markdown";
import { domainNodes } from "./domainRows";
import type { ViewNode, ViewRows } from "./viewNode";

export function squadRows(
  squads: readonly Squad[],
  domains: readonly Domain[],
  explanation: Explanation,
): ViewRows {
  const nodes = squads.map((squad) => squadNode(squad, domains, explanation));
  return nodes.length > 0 ? { nodes } : { nodes, message: l10n.t("This tree has no squads.") };
}

function squadNode(squad: Squad, domains: readonly Domain[], explanation: Explanation): ViewNode {
  const ownDomains = domains.filter(({ label }) => squad.domains.includes(label));
  const state = squad.active ? l10n.t("active") : "";
  const size = `${ruleCount(squad.rules)} · ${tokenCount(squad.tokens)}`;
  const description = [state, size].filter(Boolean).join(" · ");
  return {
    id: squad.folder,
    label: squad.folder,
    description,
    tooltip: markdownDescription(squad.name || squad.folder, [
      [l10n.t("State"), squad.active ? l10n.t("active") : l10n.t("not active")],
      [l10n.t("Known from"), squad.source],
      [l10n.t("Beside the root"), modeText(squad.mode)],
      [l10n.t("In all"), size],
    ]),
    spoken: `${squad.folder}, ${description}`,
    icon: squad.active
      ? { codicon: "organization", color: "charts.green" }
      : { codicon: "organization" },
    kind: squad.active ? "squad active" : "squad idle",
    subject: squad.folder,
    location: squad.location,
    children: domainNodes(ownDomains, explanation, squad.folder),
  };
}

function modeText(mode: string): string {
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
