/** This module summarises the triggers of a domain in a few words. Pure. */

import { l10n } from "vscode";
import type { Domain } from "../protocol";

/** The triggers of domains whose names have the same meaning in every tree. */
const BUILT_IN_TRIGGERS: Readonly<Record<string, () => string>> = {
  CONSTITUTION: () => l10n.t("always on"),
  GLOBAL: () => l10n.t("always on"),
  CONTEXT: () => l10n.t("by bracket"),
  COMMANDS: () => l10n.t("star-commands"),
};

/** Returns the triggers of a domain; "" where nothing activates it. */
export function triggerSummary(domain: Domain): string {
  const { squad, alwaysOn, agent, workflow, recall, paths, everyNTurns, onTokens } = domain;
  const builtIn = BUILT_IN_TRIGGERS[domain.label];
  if (builtIn !== undefined) {
    return builtIn();
  }
  return [
    alwaysOn ? l10n.t("always on") : "",
    agent ? `@${agent}` : "",
    workflow ? l10n.t("workflow {0}", workflow) : "",
    recall.length > 0 ? l10n.t("keywords") : "",
    paths.length > 0 ? l10n.t("paths") : "",
    everyNTurns ? l10n.t("every {0} prompts", everyNTurns) : "",
    onTokens ? l10n.t("past {0} tokens", onTokens) : "",
    squad ? l10n.t("squad {0}", squad) : "",
  ]
    .filter(Boolean)
    .join(", ");
}
