/**
 * This module turns the server's answers into the block view of the Context panel: summary, budget
 * bar, layers. Pure.
 */

import { l10n } from "vscode";
import { clientTitle } from "../hooks/installChoices";
import type { Context, Entry, Explanation, Section } from "../protocol";
import { blockSize } from "../text/countTexts";
import type { DeliveryTrouble } from "../text/deliveryTexts";
import { translateReason } from "../text/ruleReasons";
import { remainingPercent, situationParts, usageSourceLabel } from "../text/situationTexts";
import { leftOutRules } from "./leftOutRules";
import type {
  BlockView,
  BudgetBar,
  ComparisonView,
  GroupView,
  Hue,
  LayerView,
  Simulation,
  SummaryView,
  Tab,
} from "./panelMessages";
import { ruleView } from "./ruleViews";

const SECTION_HUES: Readonly<Record<string, Hue>> = {
  CONSTITUTION: "purple",
  GLOBAL: "blue",
  AGENT: "green",
  WORKFLOW: "orange",
  TASK: "cyan",
  SQUAD: "magenta",
  KEYWORD: "yellow",
};

/** Domains that are named in the line of what is cut. */
const SHOWN_OWNERS = 3;

export function sectionHue(section: Section): Hue {
  return SECTION_HUES[section.id] ?? "plain";
}

export function sectionName(section: Section): string {
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

/** Returns who or what a section is about, from its heading: `[ACTIVE AGENT: @dev]`. */
export function sectionSubject(section: Section): string {
  return /^\[[^\]:]*:\s*([^\]]+)\]/.exec(section.heading)?.[1] ?? "";
}

export interface BlockAnswers {
  readonly context: Context;
  readonly explanation: Explanation;
  /** What a hook would send now; only requested where the tab shows it. */
  readonly delivery: Context | undefined;
  readonly comparison: ComparisonView | undefined;
  /** The names of unsaved files, which the block does not contain yet. */
  readonly unsavedFiles: readonly string[];
  /** The star-commands that the tree has rules for. */
  readonly commands: readonly string[];
  /** Whether the hook hands anything over. */
  readonly delivered: DeliveryTexts;
}

export interface DeliveryTexts {
  /** When it last did; "" where that is not known. */
  readonly last: string;
  readonly trouble: DeliveryTrouble | undefined;
}

export function blockView(answers: BlockAnswers, simulation: Simulation, tab: Tab): BlockView {
  const { context, explanation } = answers;
  const cuts = [...context.cuts, ...context.limited];
  const leftOut = leftOutRules(explanation, cuts);
  // What is cut has a line of its own.
  const uncutCount = leftOut.kinds.reduce(
    (sum, { kind, count }) => (kind === "cut" ? sum : sum + count),
    0,
  );
  const [text, textNote] = tabText(tab, answers);
  return {
    kind: "block",
    summary: {
      ...summaryView(context, explanation, uncutCount, answers.delivered.last),
      // What is left now need not be within a bracket that is tried out.
      ...(simulation.bracket !== undefined && simulation.remaining === undefined && { left: "" }),
    },
    wakes: simulation.prompt?.trim() ? promptEffect(explanation, answers.commands) : "",
    notes: [
      ...troubleNotes(answers.delivered),
      ...unsavedNotes(answers.unsavedFiles),
      ...context.notes,
    ],
    layers: context.sections.map((section) => layerView(section, explanation)),
    leftOut,
    text,
    textNote,
    comparison: answers.comparison,
  };
}

function summaryView(
  context: Context,
  explanation: Explanation,
  leftOut: number,
  delivered: string,
): SummaryView {
  const { bracket, usage, tokens, budget, overBudget } = context;
  const left = l10n.t("{0}% left", remainingPercent(usage));
  const size = blockSize(context);
  const cutEntries = [...context.cuts, ...context.limited];
  const cutCount = cutEntries.length;
  const owners = [...new Set(cutEntries.map(({ domain }) => domain))].slice(0, SHOWN_OWNERS);
  const fitText = overBudget
    ? l10n.t("{0} tokens over the budget: nothing more may be cut", tokens - budget)
    : cutCount === 0
      ? ""
      : cutCount === 1
        ? l10n.t("1 line of {0} cut: no room", owners.join(", "))
        : l10n.t("{0} lines of {1} cut: no room", cutCount, owners.join(", "));
  return {
    bracket,
    left,
    leftTitle: `${l10n.t("{0}% of the window left", remainingPercent(usage))} (${usageSourceLabel(usage)})`,
    size,
    fit: overBudget ? "over" : cutCount > 0 ? "cut" : "fits",
    fitText,
    bar: budgetBar(context, size),
    leftOut: leftOut === 0 ? "" : l10n.t("{0} left out:", leftOut),
    parts: [
      ...situationParts(explanation).map(([name, value]) => ({ name, value })),
      ...(delivered === "" ? [] : [{ name: l10n.t("Last delivered"), value: delivered }]),
    ],
    spoken: [bracket, size, fitText].filter(Boolean).join(", "),
  };
}

function budgetBar({ sections, tokens, budget }: Context, size: string): BudgetBar {
  const whole = Math.max(budget, tokens, 1);
  const segmentTexts = sections.map((section) => `${sectionName(section)} ${section.tokens}`);
  return {
    label: [size, ...segmentTexts].join(", "),
    segments: sections.map((section) => ({
      hue: sectionHue(section),
      share: section.tokens / whole,
      title: l10n.t("{0}: {1} tokens", sectionName(section), section.tokens),
    })),
    budget: budget / whole,
  };
}

function layerView(section: Section, explanation: Explanation): LayerView {
  const groups: { label: string; entries: Entry[] }[] = [];
  for (const entry of section.entries) {
    const last = groups.at(-1);
    if (last?.label === entry.domain) {
      last.entries.push(entry);
    } else {
      groups.push({ label: entry.domain, entries: [entry] });
    }
  }
  const domainLabels = new Set(explanation.domains.map((domain) => domain.label));
  const isAlone =
    new Set(groups.map(({ label }) => label).filter((it) => domainLabels.has(it))).size < 2;
  const isLayer = /^L\d+$/.test(section.layer);
  return {
    id: section.id,
    hue: sectionHue(section),
    name: sectionName(section),
    detail: sectionSubject(section),
    tokens: section.tokens,
    title: [section.heading, isLayer ? l10n.t("layer {0}", section.layer) : ""]
      .filter(Boolean)
      .join(" · "),
    groups: groups.map(({ label, entries }) => groupView(label, entries, isAlone, explanation)),
  };
}

/**
 * Returns a group of rules; a domain that is alone in its section needs no heading, unless clients
 * read its file by themselves: the reason says which.
 */
function groupView(
  label: string,
  entries: readonly Entry[],
  isAlone: boolean,
  { domains }: Explanation,
): GroupView {
  const domain = domains.find((account) => account.label === label);
  const isPlain =
    domain === undefined || (isAlone && domain.layer !== "L6" && domain.readBy.length === 0);
  return {
    label: isPlain ? "" : label,
    reason: isPlain ? "" : translateReason(domain),
    rules: entries.map(ruleView),
  };
}

/** Returns sentences on what the prompt activates, and what it names without activating it. */
function promptEffect(
  { agent, bracket, domains, prompt }: Explanation,
  treeCommands: readonly string[],
): string {
  const wokenAgents = agent?.source === "prompt" && agent.id ? [`@${agent.id}`] : [];
  const wokenDomains = domains.filter(({ layer }) => layer === "L6").map(({ label }) => label);
  const knownCommands = prompt.commands
    .filter((name) => treeCommands.includes(name))
    .map((name) => `*${name}`);
  const unknownCommands = prompt.commands
    .filter((name) => !treeCommands.includes(name))
    .map((name) => `*${name}`);
  const inactiveDomains = domains
    .filter(({ because }) => because.some(({ code }) => /^asleep.*-matched$/.test(code)))
    .map(({ label }) => label);
  const all = [...wokenAgents, ...wokenDomains, ...knownCommands];
  return (
    [
      all.length > 0 ? l10n.t("Activates {0}.", all.join(", ")) : "",
      unknownCommands.length > 0
        ? l10n.t("The tree has no rules for {0}.", unknownCommands.join(", "))
        : "",
      inactiveDomains.length > 0
        ? l10n.t("Matches {0}, which is inactive in {1}.", inactiveDomains.join(", "), bracket)
        : "",
    ]
      .join(" ")
      .trim() || l10n.t("Activates nothing.")
  );
}

function troubleNotes({ last, trouble }: DeliveryTexts): string[] {
  return trouble === undefined
    ? []
    : [`${l10n.t("last delivered: {0}", last)}. ${trouble.sentence} ${trouble.remedy}`];
}

function unsavedNotes(names: readonly string[]): string[] {
  return names.length === 0
    ? []
    : [l10n.t("Not saved, so not in here: {0}. Agents read what is on disk.", names.join(", "))];
}

function tabText(
  tab: Tab,
  { context, explanation, delivery }: BlockAnswers,
): [string | undefined, string] {
  if (tab === "block") {
    return [context.block, ""];
  }
  if (tab !== "delivery" || delivery === undefined) {
    return [undefined, ""];
  }
  if (delivery.block === "") {
    return ["", l10n.t("Nothing: all of it is in context already.")];
  }
  const size =
    delivery.block === context.block
      ? l10n.t("The whole block, {0} tokens.", delivery.tokens)
      : l10n.t("{0} tokens; the rest is in context already.", delivery.tokens);
  const inBlock = explanation.domains.filter(({ layer }) => layer !== null);
  const readers = [...new Set(inBlock.flatMap(({ readBy }) => readBy))].map(clientTitle);
  return [
    delivery.block,
    readers.length === 0
      ? size
      : `${size} ${l10n.t("Less for clients that read some of it by themselves: {0}.", readers.join(", "))}`,
  ];
}
