/** The block: its layers, its text, and what is left out of it. */

import type { Attempt, BlockView, GroupView, LayerView, LeftOutView, Words } from "../messages";
import { button, h } from "./dom";
import { fold } from "./fold";
import { send } from "./host";
import { ruleList } from "./rules";

export function layers(view: BlockView): HTMLElement {
  return h("div", { class: "layers" }, ...view.layers.map(layer));
}

export function blockText(text: string, note: string): HTMLElement {
  return h(
    "div",
    { class: "block" },
    note !== "" && h("p", { class: "note" }, note),
    text !== "" && h("pre", { tabindex: 0, "data-key": "text" }, ...text.split("\n").map(line)),
  );
}

export function leftOut(
  view: BlockView,
  words: Words,
  attempt: (one: Attempt) => void,
): HTMLElement {
  const { count, groups } = view.leftOut;
  return fold(
    { id: "leftOut", open: false, className: "left-out" },
    [h("h3", {}, words.leftOut), h("span", { class: "tokens" }, String(count))],
    count === 0
      ? h("p", { class: "note" }, words.nothingLeftOut)
      : h(
          "div",
          { class: "layers" },
          ...groups.map((group) => leftOutGroup(group, words, attempt)),
        ),
  );
}

function layer(view: LayerView): HTMLElement {
  return fold(
    { id: `layer:${view.id}`, open: view.id !== "SUMMARY", className: "layer", title: view.title },
    [
      h("span", { class: `swatch ${view.hue}`, "aria-hidden": "true" }),
      h("h3", {}, view.name),
      view.detail !== "" && h("span", { class: "detail" }, view.detail),
      h("span", { class: "tokens" }, String(view.tokens)),
    ],
    ...view.groups.map((group, index) => layerGroup(`${view.id}:${index}`, group)),
  );
}

function layerGroup(id: string, { label, reason, rules }: GroupView): HTMLElement {
  return h(
    "div",
    { class: "group" },
    label !== "" && h("p", { class: "why" }, h("span", { class: "domain" }, label), ` ${reason}`),
    ruleList(id, rules),
  );
}

function leftOutGroup(
  view: LeftOutView,
  words: Words,
  attempt: (one: Attempt) => void,
): HTMLElement {
  const { attempt: attempted, place } = view;
  return fold(
    { id: `out:${view.id}`, open: false, className: view.cut ? "layer cut" : "layer" },
    [
      h("h4", view.repeats ? { class: "unseen" } : {}, view.label),
      h("span", { class: "tokens" }, view.count),
      h("span", { class: "reason" }, view.reason),
    ],
    h(
      "p",
      { class: "remedy" },
      attempted === undefined && view.remedy !== "" && h("span", {}, view.remedy),
      attempted !== undefined &&
        button(
          { class: "link", "data-key": `try:${view.id}` },
          () => attempt(attempted),
          attempted.label,
        ),
      place !== undefined &&
        button(
          { class: "link", "data-key": `declared:${view.id}` },
          () => send({ type: "open", place }),
          words.declared,
        ),
    ),
    ruleList(`out:${view.id}`, view.rules),
  );
}

/** A line of the block; headings stand out. */
function line(text: string): HTMLElement {
  const heading = /^(\[.*|<\/?[\w-]+>)$/.test(text);
  return h("span", heading ? { class: "heading" } : {}, `${text}\n`);
}
