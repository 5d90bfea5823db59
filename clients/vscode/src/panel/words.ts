/** The fixed texts of the Context panel. Pure. */

import { l10n } from "vscode";
import type { Words } from "./messages";

export function words(): Words {
  return {
    prompt: l10n.t("Prompt"),
    promptHint: l10n.t("Type a prompt to see what it would get"),
    simulate: l10n.t("Try another situation"),
    simulated: l10n.t("Tried out, not as it is now"),
    reset: l10n.t("Reset"),
    remaining: l10n.t("Window left"),
    tabs: {
      layers: l10n.t("Layers"),
      block: l10n.t("Full block"),
      delivery: l10n.t("Sent now"),
    },
    tabList: l10n.t("What is shown"),
    leftOut: l10n.t("Left out"),
    nothingLeftOut: l10n.t("Every rule of the tree is in the block."),
    comparison: l10n.t("Comparison"),
    endComparison: l10n.t("End comparison"),
    declared: l10n.t("Declaration"),
  };
}
