/** This module names the layers L0 to L7 of a block. Pure. */

import { l10n } from "vscode";

export const LAYERS = ["L0", "L1", "L2", "L3", "L4", "L5", "L6", "L7"] as const;

export function layerName(layer: string): string {
  switch (layer) {
    case "L0":
      return l10n.t("Constitution");
    case "L1":
      return l10n.t("Global");
    case "L2":
      return l10n.t("Agent");
    case "L3":
      return l10n.t("Workflow");
    case "L4":
      return l10n.t("Task");
    case "L5":
      return l10n.t("Squad");
    case "L6":
      return l10n.t("Keywords");
    case "L7":
      return l10n.t("Star-commands");
    default:
      return layer;
  }
}
