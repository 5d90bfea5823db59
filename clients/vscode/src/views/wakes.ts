/** What brings a domain in, in a few words. Pure. */

import { l10n } from "vscode";
import type { Domain } from "../protocolTree";

/** The domains whose names every tree gives the same meaning. */
const BUILT_IN: Readonly<Record<string, () => string>> = {
  CONSTITUTION: () => l10n.t("always on"),
  GLOBAL: () => l10n.t("always on"),
  CONTEXT: () => l10n.t("by bracket"),
  COMMANDS: () => l10n.t("star-commands"),
};

/** "" where nothing can. */
export function wakesByOf(domain: Domain): string {
  const { squad, alwaysOn, agent, workflow, recall, paths, everyNTurns, onTokens } = domain;
  const builtIn = BUILT_IN[domain.label];
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
