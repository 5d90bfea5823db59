/**
 * This module creates the elements of the block: layers, block text, left-out rules, comparison.
 */

import type {
  BlockView,
  ComparisonView,
  GroupView,
  LayerView,
  LeftOutGroup,
  PanelTexts,
  ReasonKind,
  RemedyAttempt,
  RuleView,
} from "../panelMessages";
import { createButton, createElement } from "./dom";
import { panelState, sendMessage } from "./extensionHost";
import { foldElement } from "./foldElement";

export function ruleListElement(
  id: string,
  rules: readonly RuleView[],
  sign = "",
): HTMLUListElement {
  return createElement(
    "ul",
    { class: "rules" },
    ...rules.map((rule, index) => ruleElement(`${id}:${index}`, rule, sign)),
  );
}

function ruleElement(key: string, rule: RuleView, sign: string): HTMLLIElement {
  const content = [
    sign !== "" && createElement("span", { class: "sign", "aria-hidden": "true" }, sign),
    createElement("span", { class: "text" }, rule.text),
    createElement("span", { class: "tokens", "aria-hidden": "true" }, String(rule.tokens)),
  ];
  const { place } = rule;
  return createElement(
    "li",
    {},
    place === undefined
      ? createElement("div", { class: "rule", title: rule.title }, ...content)
      : createButton(
          { class: "rule", title: rule.title, "data-key": `rule:${key}` },
          () => sendMessage({ type: "open", place }),
          ...content,
        ),
  );
}

export function comparisonElement(
  view: ComparisonView,
  words: PanelTexts,
  onEnd: () => void,
): HTMLElement {
  return createElement(
    "section",
    { class: "comparison", "aria-label": words.comparison },
    createElement("p", {}, view.title),
    createElement(
      "div",
      { class: "outcome" },
      createElement("strong", {}, view.delta),
      createButton({ class: "link", "data-key": "endComparison" }, onEnd, words.endComparison),
    ),
    view.same !== "" && createElement("p", { class: "note" }, view.same),
    ...view.lists.map(({ label, sign, rules }) =>
      createElement(
        "div",
        { class: `list ${{ "+": "added", "−": "removed", "~": "changed" }[sign]}` },
        createElement("h4", {}, label),
        ruleListElement(`compared:${sign}`, rules, sign),
      ),
    ),
  );
}

export function layersElement(view: BlockView): HTMLElement {
  return createElement("div", { class: "layers" }, ...view.layers.map(layerElement));
}

export function blockTextElement(text: string, note: string): HTMLElement {
  return createElement(
    "div",
    { class: "block" },
    note !== "" && createElement("p", { class: "note" }, note),
    text !== "" &&
      createElement(
        "pre",
        { tabindex: 0, "data-key": "text" },
        ...text.split("\n").map(lineElement),
      ),
  );
}

export function leftOutElement(
  view: BlockView,
  words: PanelTexts,
  chooseReason: (kind: ReasonKind | undefined) => void,
  attempt: (attempt: RemedyAttempt) => void,
): HTMLElement {
  const { count, groups, kinds } = view.leftOut;
  const chosen = kinds.find(({ kind }) => kind === panelState().reason)?.kind;
  const shownGroups = groups.filter(({ kind }) => chosen === undefined || kind === chosen);
  const filters = [{ kind: undefined, label: words.allReasons, count }, ...kinds];
  return foldElement(
    { id: "leftOut", open: false, className: "left-out" },
    [
      createElement("h3", {}, words.leftOut),
      createElement("span", { class: "tokens" }, String(count)),
    ],
    kinds.length > 1 &&
      createElement(
        "div",
        { class: "reasons", role: "group", "aria-label": words.leftOut },
        ...filters.map(({ kind, label, count }) =>
          createButton(
            {
              class: "reason-filter",
              "aria-pressed": String(kind === chosen),
              "data-key": `filter:${kind}`,
            },
            () => chooseReason(kind),
            `${label} ${count}`,
          ),
        ),
      ),
    count === 0
      ? createElement("p", { class: "note" }, words.nothingLeftOut)
      : createElement(
          "div",
          { class: "layers" },
          ...shownGroups.map((group) => leftOutGroupElement(group, words, attempt)),
        ),
  );
}

function layerElement(view: LayerView): HTMLElement {
  return foldElement(
    { id: `layer:${view.id}`, open: view.id !== "SUMMARY", className: "layer", title: view.title },
    [
      createElement("span", { class: `swatch ${view.hue}`, "aria-hidden": "true" }),
      createElement("h3", {}, view.name),
      view.detail !== "" && createElement("span", { class: "detail" }, view.detail),
      createElement("span", { class: "tokens" }, String(view.tokens)),
    ],
    ...view.groups.map((group, index) => groupElement(`${view.id}:${index}`, group)),
  );
}

function groupElement(id: string, { label, reason, rules }: GroupView): HTMLElement {
  return createElement(
    "div",
    { class: "group" },
    label !== "" &&
      createElement(
        "p",
        { class: "why" },
        createElement("span", { class: "domain" }, label),
        ` ${reason}`,
      ),
    ruleListElement(id, rules),
  );
}

function leftOutGroupElement(
  view: LeftOutGroup,
  words: PanelTexts,
  attempt: (one: RemedyAttempt) => void,
): HTMLElement {
  const { attempt: proposed, place } = view;
  return foldElement(
    { id: `out:${view.id}`, open: false, className: view.cut ? "layer cut" : "layer" },
    [
      createElement("h4", {}, view.label),
      createElement("span", { class: "tokens" }, view.count),
      createElement("span", { class: "reason" }, view.reason),
    ],
    createElement(
      "p",
      { class: "remedy" },
      proposed === undefined && view.remedy !== "" && createElement("span", {}, view.remedy),
      proposed !== undefined &&
        createButton(
          { class: "link", "data-key": `try:${view.id}` },
          () => attempt(proposed),
          proposed.label,
        ),
      place !== undefined &&
        createButton(
          { class: "link", "data-key": `declared:${view.id}` },
          () => sendMessage({ type: "open", place }),
          words.declared,
        ),
    ),
    ruleListElement(`out:${view.id}`, view.rules),
  );
}

/** A line of the block; headings stand out. */
function lineElement(text: string): HTMLElement {
  const heading = /^(\[.*|<\/?[\w-]+>)$/.test(text);
  return createElement("span", heading ? { class: "heading" } : {}, `${text}\n`);
}
