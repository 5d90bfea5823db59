/** What only one of two states has. */

import type { ComparisonView, Words } from "../messages";
import { button, h } from "./dom";
import { ruleList } from "./rules";

export function comparison(view: ComparisonView, words: Words, end: () => void): HTMLElement {
  return h(
    "section",
    { class: "comparison", "aria-label": words.comparison },
    h("p", {}, view.title),
    h(
      "div",
      { class: "outcome" },
      h("strong", {}, view.delta),
      button({ class: "link", "data-key": "endComparison" }, end, words.endComparison),
    ),
    view.same !== "" && h("p", { class: "note" }, view.same),
    ...view.lists.map(({ label, sign, rules }) =>
      h(
        "div",
        { class: `list ${{ "+": "added", "−": "removed", "~": "changed" }[sign]}` },
        h("h4", {}, label),
        ruleList(`compared:${sign}`, rules, sign),
      ),
    ),
  );
}
