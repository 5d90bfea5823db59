/**
 * This module creates the head of the panel: bracket, size, and the bar of tokens against the
 * budget.
 */

import type { BlockView, BudgetBar, PanelTexts, ReasonKind } from "../panelMessages";
import { createButton, createElement } from "./dom";

/** Returns the head of the panel; `showLeftOut` scrolls to the rules left out for a kind of reason. */
export function summaryElement(
  { summary: view, leftOut }: BlockView,
  words: PanelTexts,
  showLeftOut: (kind: ReasonKind | undefined) => void,
): HTMLElement {
  const [first, ...others] = leftOut.kinds.filter(({ kind }) => kind !== "cut");
  const rest = others.reduce((sum, { count }) => sum + count, 0);
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
    view.fitText !== "" &&
      createButton(
        { class: "link fit", "data-key": "fit", title: view.fitText },
        () => showLeftOut("cut"),
        view.fitText,
      ),
    first !== undefined &&
      createElement(
        "p",
        { class: "left-out-line" },
        `${view.leftOut} `,
        createButton(
          { class: "link", "data-key": "reason" },
          () => showLeftOut(first.kind),
          `${first.count} ${first.label}`,
        ),
        rest > 0 && ", ",
        rest > 0 &&
          createButton(
            {
              class: "link",
              "data-key": "leftOut",
              "aria-label": words.more.replace("{0}", String(rest)),
            },
            () => showLeftOut(undefined),
            `+${rest}`,
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
