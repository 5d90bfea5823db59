/** The script of the Context panel: shows what the extension sends, and says what is tried out. */

import "./style/panel.css";
import type { BlockView, NoticeView, Tab, ToPanel, View, Words } from "../messages";
import { blockText, layers, leftOut } from "./block";
import { comparison } from "./comparison";
import { button, h, replace } from "./dom";
import { SimulationForm } from "./form";
import { listen, send, state, take, tryOut } from "./host";
import { summary } from "./summary";
import { tabList } from "./tabs";

const head = h("div", { id: "head" });
const body = h("div", { id: "body" });
/** Says changes to a screen reader; the head itself would be read out as a whole. */
const spoken = h("div", { class: "unseen", role: "status", "aria-live": "polite" });
const page = h("main", {}, head, body, spoken);
document.body.append(page);

/** Milliseconds in which the window gives the keyboard to the page. */
const PATIENCE = 1_000;

let words: Words | undefined;
let form: SimulationForm | undefined;
let shown: View | undefined;

listen((message: ToPanel) => {
  switch (message.type) {
    case "words":
      words = message.words;
      form = new SimulationForm(words);
      break;
    case "save":
      take(message.saved);
      form?.show();
      break;
    case "form":
      form?.offer(message.form);
      break;
    case "focus":
      focusPrompt();
      break;
    case "view":
      shown = message.view;
      show();
      break;
  }
});

/**
 * Whoever has gone on to the palette or an editor keeps the keyboard. The page gets it from the window,
 * which may take longer than what the extension says.
 */
function focusPrompt(): void {
  if (document.hasFocus()) {
    form?.focus();
  } else {
    const signal = AbortSignal.timeout(PATIENCE);
    window.addEventListener("focus", () => form?.focus(), { once: true, signal });
  }
}

function show(): void {
  if (shown?.kind === "notice") {
    showNotice(shown);
  } else if (shown !== undefined && words !== undefined && form !== undefined) {
    showBlock(shown, words, form);
  }
}

function showNotice({ busy, text, detail, actions }: NoticeView): void {
  form?.element.remove();
  replace(head);
  replace(
    body,
    h(
      "div",
      { class: "notice", role: "status" },
      h("p", {}, text),
      detail !== "" && h("p", { class: "note" }, detail),
      busy && h("div", { class: "progress" }),
      ...actions.map(({ action, label }) =>
        button({ class: "action", "data-key": action }, () => send({ type: "act", action }), label),
      ),
    ),
  );
}

function showBlock(view: BlockView, texts: Words, simulation: SimulationForm): void {
  replace(head, summary(view.summary, showLeftOut));
  if (!simulation.element.isConnected) {
    page.insertBefore(simulation.element, body);
    simulation.show();
  }
  simulation.tellWakes(view.wakes);
  const { tab } = state();
  const kept = view.comparison;
  replace(
    body,
    view.notes.length > 0 &&
      h("ul", { class: "notes" }, ...view.notes.map((note) => h("li", {}, note))),
    kept && comparison(kept, texts, endComparison),
    tabList(texts, tab, choose),
    h(
      "div",
      { id: "shown", role: "tabpanel", "aria-labelledby": `tab-${tab}` },
      view.text === undefined ? layers(view) : blockText(view.text, view.textNote),
    ),
    leftOut(view, texts, (one) => simulation.attempt(one)),
  );
  if (spoken.textContent !== view.summary.spoken) {
    spoken.textContent = view.summary.spoken;
  }
}

function choose(tab: Tab): void {
  tryOut({ ...state(), tab });
}

function endComparison(): void {
  tryOut({ ...state(), kept: undefined });
}

function showLeftOut(): void {
  const part = body.querySelector<HTMLDetailsElement>(".left-out");
  if (part !== null) {
    part.open = true;
    part.scrollIntoView();
    part.querySelector("summary")?.focus();
  }
}
