/** The head of the panel: bracket, size, and the bar of tokens against the budget. */

import type { Bar, Summary } from "../messages";
import { button, h } from "./dom";

/** `showLeftOut` leads to what is left out, from the sentence that lines are cut too. */
export function summary(view: Summary, showLeftOut: () => void): HTMLElement {
  return h(
    "header",
    { class: `summary ${view.fit}` },
    h(
      "div",
      { class: "figures" },
      h(
        "div",
        {},
        h("h2", {}, view.bracket),
        h("span", { class: "left", title: view.leftTitle }, view.left),
      ),
      h("span", { class: "size" }, view.size),
    ),
    bar(view.bar),
    h(
      "div",
      { class: "links" },
      view.fitText !== "" &&
        button({ class: "link fit", "data-key": "fit" }, showLeftOut, view.fitText),
      view.leftOut !== "" &&
        button({ class: "link", "data-key": "leftOut" }, showLeftOut, view.leftOut),
    ),
    view.parts.length > 0 &&
      h(
        "ul",
        { class: "parts" },
        ...view.parts.map(({ name, value }) =>
          h("li", { title: `${name}: ${value}` }, h("span", { class: "name" }, `${name}: `), value),
        ),
      ),
  );
}

/** A picture for the eye; a screen reader gets the same as a sentence. */
function bar({ label, segments, budget }: Bar): HTMLElement {
  const parts = segments.map(({ hue, share, title }) => {
    const part = h("div", { class: `segment ${hue}`, title });
    // By the object model: the page's policy allows no style attributes.
    part.style.flexGrow = String(share);
    return part;
  });
  const rest = h("div", { class: "rest" });
  rest.style.flexGrow = String(
    Math.max(0, 1 - segments.reduce((sum, { share }) => sum + share, 0)),
  );
  const element = h("div", { class: "bar", role: "img", "aria-label": label }, ...parts, rest);
  if (budget < 1) {
    const end = h("div", { class: "budget" });
    end.style.insetInlineStart = `${budget * 100}%`;
    element.append(end);
  }
  return element;
}
