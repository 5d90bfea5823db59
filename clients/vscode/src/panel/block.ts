/** The server's answers as the panel shows them. Pure. */

import { l10n } from "vscode";
import type { Context, Entry, Explanation, Section } from "../protocol";
import { leftOf, originOf, partsOf } from "../situation";
import { reasonOf } from "../told";
import { leftOutOf } from "./leftOut";
import type {
  Bar,
  BlockView,
  ComparisonView,
  GroupView,
  LayerView,
  Summary,
  Tab,
} from "./messages";
import { ruleView } from "./rules";
import { hueOf, nameOf, subjectOf } from "./sections";

export interface Answers {
  readonly context: Context;
  readonly explanation: Explanation;
  /** What a hook would send now, where that is shown. */
  readonly delivery: Context | undefined;
  readonly comparison: ComparisonView | undefined;
  /** What the block does not have yet: names of files that are not saved. */
  readonly unsaved: readonly string[];
  /** The star-commands that the tree has rules for. */
  readonly commands: readonly string[];
}

export function blockView(answers: Answers, prompt: string, tab: Tab): BlockView {
  const { context, explanation, delivery } = answers;
  const cuts = [...context.cuts, ...context.limited];
  const leftOut = leftOutOf(explanation, cuts);
  const [text, textNote] = textOf(tab, context, delivery);
  return {
    kind: "block",
    summary: summaryOf(context, explanation, leftOut.count),
    wakes: prompt.trim() === "" ? "" : wakesOf(explanation, answers.commands),
    notes: [...unsavedNote(answers.unsaved), ...context.notes],
    layers: context.sections.map((section) => layerOf(section, explanation)),
    leftOut,
    text,
    textNote,
    comparison: answers.comparison,
  };
}

function summaryOf(context: Context, explanation: Explanation, leftOut: number): Summary {
  const { bracket, usage, tokens, budget, overBudget } = context;
  const left = l10n.t("{0}% of the window left", leftOf(usage));
  const size = l10n.t("{0} of {1} tokens", tokens, budget);
  const lost = context.cuts.length + context.limited.length;
  const fitText = overBudget
    ? l10n.t("{0} tokens over the budget: nothing more may be cut", tokens - budget)
    : lost === 0
      ? ""
      : lost === 1
        ? l10n.t("1 line does not fit and is cut")
        : l10n.t("{0} lines do not fit and are cut", lost);
  return {
    bracket,
    left,
    leftTitle: originOf(usage.source),
    size,
    fit: overBudget ? "over" : lost > 0 ? "cut" : "fits",
    fitText,
    bar: barOf(context, size),
    leftOut: leftOut === 0 ? "" : l10n.t("{0} left out", leftOut),
    parts: partsOf(explanation).map(([name, value]) => ({ name, value })),
    spoken: [bracket, size, fitText].filter(Boolean).join(", "),
  };
}

function barOf({ sections, tokens, budget }: Context, size: string): Bar {
  const whole = Math.max(budget, tokens, 1);
  const named = sections.map((section) => `${nameOf(section)} ${section.tokens}`);
  return {
    label: [size, ...named].join(", "),
    segments: sections.map((section) => ({
      hue: hueOf(section),
      share: section.tokens / whole,
      title: l10n.t("{0}: {1} tokens", nameOf(section), section.tokens),
    })),
    budget: budget / whole,
  };
}

function layerOf(section: Section, explanation: Explanation): LayerView {
  const groups: { label: string; entries: Entry[] }[] = [];
  for (const entry of section.entries) {
    const last = groups.at(-1);
    if (last?.label === entry.domain) {
      last.entries.push(entry);
    } else {
      groups.push({ label: entry.domain, entries: [entry] });
    }
  }
  const known = new Set(explanation.domains.map((domain) => domain.label));
  const isAlone = new Set(groups.map(({ label }) => label).filter((it) => known.has(it))).size < 2;
  const isLayer = /^L\d+$/.test(section.layer);
  return {
    id: section.id,
    hue: hueOf(section),
    name: nameOf(section),
    detail: subjectOf(section),
    tokens: section.tokens,
    title: [section.heading, isLayer ? l10n.t("layer {0}", section.layer) : ""]
      .filter(Boolean)
      .join(" · "),
    groups: groups.map(({ label, entries }) => groupOf(label, entries, isAlone, explanation)),
  };
}

/** A domain that has a section to itself, by whatever trigger that is for, needs no heading in it. */
function groupOf(
  label: string,
  entries: readonly Entry[],
  isAlone: boolean,
  { domains }: Explanation,
): GroupView {
  const domain = domains.find((account) => account.label === label);
  const isPlain = domain === undefined || (isAlone && domain.layer !== "L6");
  return {
    label: isPlain ? "" : label,
    reason: isPlain ? "" : reasonOf(domain),
    rules: entries.map(ruleView),
  };
}

/** What the prompt brings in by its words and its star-commands. */
function wakesOf({ domains, prompt }: Explanation, known: readonly string[]): string {
  const woken = domains.filter(({ layer }) => layer === "L6").map(({ label }) => label);
  const called = prompt.commands.filter((name) => known.includes(name)).map((name) => `*${name}`);
  const other = prompt.commands.filter((name) => !known.includes(name)).map((name) => `*${name}`);
  const all = [...woken, ...called];
  return (
    [
      all.length > 0 ? l10n.t("Brings in {0}.", all.join(", ")) : "",
      other.length > 0 ? l10n.t("The tree has no rules for {0}.", other.join(", ")) : "",
    ]
      .join(" ")
      .trim() || l10n.t("No keyword and no star-command in it.")
  );
}

function unsavedNote(names: readonly string[]): string[] {
  return names.length === 0
    ? []
    : [l10n.t("Not saved, so not in here: {0}. Agents read what is on disk.", names.join(", "))];
}

function textOf(
  tab: Tab,
  context: Context,
  delivery: Context | undefined,
): [string | undefined, string] {
  if (tab === "block") {
    return [context.block, ""];
  }
  if (tab !== "delivery" || delivery === undefined) {
    return [undefined, ""];
  }
  if (delivery.block === "") {
    return ["", l10n.t("Nothing: all of it stands in the agent's window already.")];
  }
  return [
    delivery.block,
    delivery.block === context.block
      ? l10n.t("The whole block, {0} tokens.", delivery.tokens)
      : l10n.t("{0} tokens; the rest stands in the agent's window already.", delivery.tokens),
  ];
}
