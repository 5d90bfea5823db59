/**
 * This module creates the head of the panel: bracket, size, and the bar of tokens against the
 * budget.
 */

import type { BudgetBar, SummaryView } from "../panelMessages";
import { createButton, createElement } from "./dom";

/** Returns the head of the panel; `showLeftOut` scrolls to the left-out rules. */
export function summaryElement(view: SummaryView, showLeftOut: () => void): HTMLElement {
  return createElement(
    "header",
    { class: `summary ${view.fit}` },
    createElement(
      "div",
      { class: "figures" },
      createElement(
        "div",
        {},
        createElement("h2", {}, view.bracket),
        createElement("span", { class: "left", title: view.leftTitle }, view.left),
      ),
      createElement("span", { class: "size" }, view.size),
    ),
    budgetBarElement(view.bar),
    createElement(
      "div",
      { class: "links" },
      view.fitText !== "" &&
        createButton({ class: "link fit", "data-key": "fit" }, showLeftOut, view.fitText),
      view.leftOut !== "" &&
        createButton({ class: "link", "data-key": "leftOut" }, showLeftOut, view.leftOut),
    ),
    view.parts.length > 0 &&
      createElement(
        "ul",
        { class: "parts" },
        ...view.parts.map(({ name, value }) =>
          createElement(
            "li",
            { title: `${name}: ${value}` },
            createElement("span", { class: "name" }, `${name}: `),
            value,
          ),
        ),
      ),
  );
}

/** Returns the budget bar as a picture; a screen reader gets the same as a sentence. */
function budgetBarElement({ label, segments, budget }: BudgetBar): HTMLElement {
  const parts = segments.map(({ hue, share, title }) => {
    const part = createElement("div", { class: `segment ${hue}`, title });
    // By the object model: the page's policy allows no style attributes.
    part.style.flexGrow = String(share);
    return part;
  });
  const rest = createElement("div", { class: "rest" });
  rest.style.flexGrow = String(
    Math.max(0, 1 - segments.reduce((sum, { share }) => sum + share, 0)),
  );
  const element = createElement(
    "div",
    { class: "bar", role: "img", "aria-label": label },
    ...parts,
    rest,
  );
  if (budget < 1) {
    const end = createElement("div", { class: "budget" });
    end.style.insetInlineStart = `${budget * 100}%`;
    element.append(end);
  }
  return element;
}
