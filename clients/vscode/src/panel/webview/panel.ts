/**
 * This module is the script of the Context panel: it shows what the extension sends and reports the
 * simulation.
 */

import "./style/panel.css";
import type {
  BlockView,
  MessageToPanel,
  NoticeView,
  PanelTexts,
  PanelView,
  ReasonKind,
  Tab,
} from "../panelMessages";
import {
  blockTextElement,
  comparisonElement,
  layersElement,
  leftOutElement,
} from "./blockElements";
import { createButton, createElement, replaceChildren } from "./dom";
import {
  listenForMessages,
  panelState,
  requestPanelState,
  savePanelState,
  sendMessage,
  setPanelState,
} from "./extensionHost";
import { SimulationForm } from "./simulationForm";
import { summaryElement } from "./summaryElement";
import { tabListElement } from "./tabListElement";

const head = createElement("div", { id: "head" });
const body = createElement("div", { id: "body" });
/** Says changes to a screen reader; the head itself would be read out as a whole. */
const announcement = createElement("div", {
  class: "unseen",
  role: "status",
  "aria-live": "polite",
});
const page = createElement("main", {}, head, body, announcement);
document.body.append(page);

/** Milliseconds in which the window gives the keyboard to the page. */
const FOCUS_TIMEOUT = 1_000;

let texts: PanelTexts | undefined;
let form: SimulationForm | undefined;
let shownView: PanelView | undefined;

listenForMessages((message: MessageToPanel) => {
  switch (message.type) {
    case "words":
      texts = message.words;
      form = new SimulationForm(texts);
      break;
    case "save":
      setPanelState(message.saved);
      form?.showState();
      break;
    case "form":
      form?.setFields(message.form);
      break;
    case "focus":
      focusPrompt();
      break;
    case "view":
      shownView = message.view;
      showView();
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
    const signal = AbortSignal.timeout(FOCUS_TIMEOUT);
    window.addEventListener("focus", () => form?.focus(), { once: true, signal });
  }
}

function showView(): void {
  if (shownView?.kind === "notice") {
    showNotice(shownView);
  } else if (shownView !== undefined && texts !== undefined && form !== undefined) {
    showBlock(shownView, texts, form);
  }
}

function showNotice({ busy, text, detail, actions }: NoticeView): void {
  form?.element.remove();
  replaceChildren(head);
  replaceChildren(
    body,
    createElement(
      "div",
      { class: "notice", role: "status" },
      createElement("p", {}, text),
      detail !== "" && createElement("p", { class: "note" }, detail),
      busy && createElement("div", { class: "progress" }),
      ...actions.map(({ action, label }) =>
        createButton(
          { class: "action", "data-key": action },
          () => sendMessage({ type: "act", action }),
          label,
        ),
      ),
    ),
  );
}

function showBlock(view: BlockView, texts: PanelTexts, simulation: SimulationForm): void {
  replaceChildren(head, summaryElement(view, texts, showLeftOut));
  if (!simulation.element.isConnected) {
    page.insertBefore(simulation.element, body);
    simulation.showState();
  }
  simulation.showPromptEffect(view.wakes);
  simulation.showSituation(view.summary.parts);
  const { tab } = panelState();
  const comparison = view.comparison;
  replaceChildren(
    body,
    view.notes.length > 0 &&
      createElement(
        "ul",
        { class: "notes" },
        ...view.notes.map((note) => createElement("li", {}, note)),
      ),
    comparison && comparisonElement(comparison, texts, endComparison),
    tabListElement(texts, tab, chooseTab),
    createElement(
      "div",
      { id: "shown", role: "tabpanel", "aria-labelledby": `tab-${tab}` },
      view.text === undefined ? layersElement(view) : blockTextElement(view.text, view.textNote),
    ),
    leftOutElement(view, texts, chooseReason, (attempt) => simulation.tryRemedy(attempt)),
  );
  if (announcement.textContent !== view.summary.spoken) {
    announcement.textContent = view.summary.spoken;
  }
}

function chooseTab(tab: Tab): void {
  requestPanelState({ ...panelState(), tab });
}

function endComparison(): void {
  requestPanelState({ ...panelState(), kept: undefined });
}

function chooseReason(reason: ReasonKind | undefined): void {
  savePanelState({ ...panelState(), reason });
  showView();
}

function showLeftOut(kind: ReasonKind | undefined): void {
  chooseReason(kind);
  const part = body.querySelector<HTMLDetailsElement>(".left-out");
  if (part !== null) {
    part.open = true;
    part.scrollIntoView();
    part.querySelector("summary")?.focus();
  }
}
