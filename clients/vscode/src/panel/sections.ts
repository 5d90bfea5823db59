/** What the sections of a block are called, and their colours. Pure. */

import { l10n } from "vscode";
import type { Section } from "../protocol";
import type { Hue } from "./messages";

const HUE_OF: Readonly<Record<string, Hue>> = {
  CONSTITUTION: "purple",
  GLOBAL: "blue",
  AGENT: "green",
  WORKFLOW: "orange",
  TASK: "cyan",
  SQUAD: "magenta",
  KEYWORD: "yellow",
};

export function hueOf(section: Section): Hue {
  return HUE_OF[section.id] ?? "plain";
}

export function nameOf(section: Section): string {
  switch (section.id) {
    case "CONSTITUTION":
      return l10n.t("Constitution");
    case "GLOBAL":
      return l10n.t("Global");
    case "AGENT":
      return l10n.t("Agent");
    case "WORKFLOW":
      return l10n.t("Workflow");
    case "TASK":
      return l10n.t("Task");
    case "SQUAD":
      return l10n.t("Squad");
    case "KEYWORD":
      return l10n.t("Keywords");
    case "BRACKET":
      return l10n.t("Bracket");
    case "STAR":
      return l10n.t("Star-commands");
    case "SUMMARY":
      return l10n.t("Summary");
    case "WITHDRAWN":
      return l10n.t("No longer valid");
    case "NOTICE":
      return l10n.t("Notices");
    default:
      return section.heading.replace(/[[\]]/g, "");
  }
}

/** Who or what a section is about, where its heading names it: `[ACTIVE AGENT: @dev]`. */
export function subjectOf(section: Section): string {
  return /^\[[^\]:]*:\s*([^\]]+)\]/.exec(section.heading)?.[1] ?? "";
}
