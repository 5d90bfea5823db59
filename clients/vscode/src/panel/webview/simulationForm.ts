/**
 * This module implements the form with the prompt and the simulated situation. Its elements stay in
 * the page, so that the caret is kept.
 */

import type {
  FormField,
  FormFields,
  PanelTexts,
  RemedyAttempt,
  Simulation,
  SummaryView,
} from "../panelMessages";
import { createButton, createElement, replaceChildren } from "./dom";
import { panelState, requestPanelState } from "./extensionHost";
import { foldElement } from "./foldElement";

export class SimulationForm {
  readonly element: HTMLElement;
  private readonly prompt: HTMLTextAreaElement;
  private readonly promptEffect = createElement("p", { class: "wakes", id: "wakes" });
  /** What is at work now, beside the words that lead to trying something else. */
  private readonly situation = createElement("ul", { class: "parts" });
  private readonly fieldsElement = createElement("div", { class: "fields" });
  private readonly slider = createElement("input", {
    type: "range",
    id: "remaining",
    min: 0,
    max: 100,
    step: 1,
  });
  private readonly percentOutput = createElement("output", { for: "remaining" });
  /** The notice that the situation is simulated, with the button that ends it. */
  private readonly trialNotice: HTMLElement;
  private form: FormFields = { fields: [], remaining: 100 };

  constructor(words: PanelTexts) {
    this.prompt = createElement("textarea", {
      id: "prompt",
      rows: 1,
      placeholder: words.promptHint,
      "aria-label": words.prompt,
      "aria-describedby": "wakes",
      spellcheck: "false",
    });
    this.prompt.addEventListener("input", () => {
      this.fitPromptHeight();
      this.changeSimulation({ prompt: this.prompt.value });
    });
    this.slider.addEventListener("input", () => {
      // Where a bracket is chosen the window left has no say.
      this.changeSimulation({ remaining: Number(this.slider.value), bracket: undefined });
    });
    this.trialNotice = createElement(
      "div",
      {},
      createElement(
        "div",
        { class: "tried-out" },
        createElement("span", {}, words.simulated),
        createButton({ class: "link" }, () => this.clearSimulation(), words.reset),
      ),
    );
    this.element = createElement(
      "section",
      { class: "form" },
      this.trialNotice,
      this.prompt,
      this.promptEffect,
      foldElement(
        { id: "simulate", open: false, className: "simulate" },
        [createElement("span", {}, words.simulate), this.situation],
        createElement(
          "div",
          { class: "field" },
          createElement("label", { for: "remaining" }, words.remaining),
          createElement("div", { class: "range" }, this.slider, this.percentOutput),
        ),
        this.fieldsElement,
      ),
    );
    this.showState();
  }

  focus(): void {
    this.prompt.focus();
  }

  /** Replaces the fields of the form. */
  setFields(form: FormFields): void {
    if (JSON.stringify(form) !== JSON.stringify(this.form)) {
      this.form = form;
      replaceChildren(this.fieldsElement, ...form.fields.map((field) => this.fieldElement(field)));
    }
    this.showState();
  }

  showPromptEffect(text: string): void {
    this.promptEffect.textContent = text;
    this.promptEffect.hidden = text === "";
  }

  showSituation(parts: SummaryView["parts"]): void {
    this.situation.title = parts.map(({ name, value }) => `${name}: ${value}`).join("\n");
    replaceChildren(
      this.situation,
      ...parts.map(({ name, value }) => createElement("li", {}, `${name}: ${value}`)),
    );
  }

  tryRemedy({ change, word }: RemedyAttempt): void {
    const prompt = panelState().simulation.prompt ?? "";
    this.changeSimulation(
      word === "" ? change : { ...change, prompt: `${prompt.trimEnd()} ${word}`.trim() },
    );
    // What comes of it begins there.
    window.scrollTo({ top: 0 });
  }

  /** Updates the elements to the current state. */
  showState(): void {
    const { simulation } = panelState();
    if (this.prompt.value !== (simulation.prompt ?? "")) {
      this.prompt.value = simulation.prompt ?? "";
    }
    this.fitPromptHeight();
    const remaining = simulation.remaining ?? this.form.remaining;
    this.slider.value = String(remaining);
    this.percentOutput.textContent = `${Math.round(remaining)}%`;
    this.slider.setAttribute("aria-valuetext", `${Math.round(remaining)}%`);
    this.slider.classList.toggle("tried", simulation.remaining !== undefined);
    for (const select of this.fieldsElement.querySelectorAll("select")) {
      const field = this.form.fields.find(({ name }) => name === select.name);
      const value = field && simulation[field.name];
      const index = field?.options.findIndex((option) => option.value === value) ?? 0;
      select.selectedIndex = Math.max(0, index);
      select.title = select.selectedOptions[0]?.label ?? "";
      select.classList.toggle("tried", value !== undefined);
    }
    this.trialNotice.hidden = Object.keys(simulation).length === 0;
  }

  private fieldElement({ name, label, options }: FormField): HTMLElement {
    const select = createElement(
      "select",
      { id: `field-${name}`, name, "data-key": `field:${name}` },
      ...options.map((option) => createElement("option", {}, option.label)),
    );
    select.addEventListener("change", () => {
      const value = options[select.selectedIndex]?.value;
      // A phase belongs to its workflow.
      this.changeSimulation({
        [name]: value,
        ...(name === "workflow" ? { phase: undefined } : {}),
      });
    });
    return createElement(
      "div",
      { class: "field" },
      createElement("label", { for: `field-${name}` }, label),
      select,
    );
  }

  private changeSimulation(
    change: { readonly [Name in keyof Simulation]: Simulation[Name] | undefined },
  ): void {
    const entries = Object.entries({ ...panelState().simulation, ...change });
    const filledEntries = entries.filter(
      ([name, value]) => value !== undefined && (name !== "prompt" || value !== ""),
    );
    requestPanelState({ ...panelState(), simulation: Object.fromEntries(filledEntries) });
    this.showState();
  }

  private clearSimulation(): void {
    requestPanelState({ ...panelState(), simulation: {} });
    this.showState();
    this.prompt.focus();
  }

  /** Makes the prompt field as high as its text, up to the limit of the style sheet. */
  private fitPromptHeight(): void {
    this.prompt.style.height = "auto";
    this.prompt.style.height = `${this.prompt.scrollHeight + 2}px`;
  }
}
