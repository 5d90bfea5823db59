/** The prompt and the situation that are tried out. Its elements stay, so nobody loses the caret. */

import type { Attempt, Field, Form, Simulation, Words } from "../messages";
import { button, h, replace } from "./dom";
import { fold } from "./fold";
import { state, tryOut } from "./host";

export class SimulationForm {
  readonly element: HTMLElement;
  private readonly prompt: HTMLTextAreaElement;
  private readonly wakes = h("p", { class: "wakes", id: "wakes" });
  private readonly fields = h("div", { class: "fields" });
  private readonly slider = h("input", {
    type: "range",
    id: "remaining",
    min: 0,
    max: 100,
    step: 1,
  });
  private readonly percent = h("output", { for: "remaining" });
  /** Says that this is no more than a trial, and ends it. */
  private readonly triedOut: HTMLElement;
  private form: Form = { fields: [], remaining: 100 };

  constructor(words: Words) {
    this.prompt = h("textarea", {
      id: "prompt",
      rows: 2,
      placeholder: words.promptHint,
      "aria-label": words.prompt,
      "aria-describedby": "wakes",
      spellcheck: "false",
    });
    this.prompt.addEventListener("input", () => {
      this.fit();
      this.change({ prompt: this.prompt.value });
    });
    this.slider.addEventListener("input", () => {
      // Where a bracket is chosen the window left has no say.
      this.change({ remaining: Number(this.slider.value), bracket: undefined });
    });
    this.triedOut = h(
      "div",
      {},
      h(
        "div",
        { class: "tried-out" },
        h("span", {}, words.simulated),
        button({ class: "link" }, () => this.clear(), words.reset),
      ),
    );
    this.element = h(
      "section",
      { class: "form" },
      this.triedOut,
      this.prompt,
      this.wakes,
      fold(
        { id: "simulate", open: false, className: "simulate" },
        [h("span", {}, words.simulate)],
        h(
          "div",
          { class: "field" },
          h("label", { for: "remaining" }, words.remaining),
          h("div", { class: "range" }, this.slider, this.percent),
        ),
        this.fields,
      ),
    );
    this.show();
  }

  focus(): void {
    this.prompt.focus();
  }

  /** What can be chosen. */
  offer(form: Form): void {
    if (JSON.stringify(form) !== JSON.stringify(this.form)) {
      this.form = form;
      replace(this.fields, ...form.fields.map((field) => this.field(field)));
    }
    this.show();
  }

  tellWakes(text: string): void {
    this.wakes.textContent = text;
    this.wakes.hidden = text === "";
  }

  attempt({ change, word }: Attempt): void {
    const prompt = state().simulation.prompt ?? "";
    this.change(word === "" ? change : { ...change, prompt: `${prompt.trimEnd()} ${word}`.trim() });
    // What comes of it begins there.
    window.scrollTo({ top: 0 });
  }

  /** Brings the elements to what is tried out. */
  show(): void {
    const { simulation } = state();
    if (this.prompt.value !== (simulation.prompt ?? "")) {
      this.prompt.value = simulation.prompt ?? "";
    }
    this.fit();
    const remaining = simulation.remaining ?? this.form.remaining;
    this.slider.value = String(remaining);
    this.percent.textContent = `${Math.round(remaining)}%`;
    this.slider.setAttribute("aria-valuetext", `${Math.round(remaining)}%`);
    this.slider.classList.toggle("tried", simulation.remaining !== undefined);
    for (const select of this.fields.querySelectorAll("select")) {
      const field = this.form.fields.find(({ name }) => name === select.name);
      const value = field && simulation[field.name];
      const index = field?.options.findIndex((option) => option.value === value) ?? 0;
      select.selectedIndex = Math.max(0, index);
      select.title = select.selectedOptions[0]?.label ?? "";
      select.classList.toggle("tried", value !== undefined);
    }
    this.triedOut.hidden = Object.keys(simulation).length === 0;
  }

  private field({ name, label, options }: Field): HTMLElement {
    const select = h(
      "select",
      { id: `field-${name}`, name, "data-key": `field:${name}` },
      ...options.map((option) => h("option", {}, option.label)),
    );
    select.addEventListener("change", () => {
      const value = options[select.selectedIndex]?.value;
      // A phase belongs to its workflow.
      this.change({ [name]: value, ...(name === "workflow" ? { phase: undefined } : {}) });
    });
    return h("div", { class: "field" }, h("label", { for: `field-${name}` }, label), select);
  }

  private change(
    change: { readonly [Name in keyof Simulation]: Simulation[Name] | undefined },
  ): void {
    const merged = Object.entries({ ...state().simulation, ...change });
    const kept = merged.filter(
      ([name, value]) => value !== undefined && (name !== "prompt" || value !== ""),
    );
    tryOut({ ...state(), simulation: Object.fromEntries(kept) });
    this.show();
  }

  private clear(): void {
    tryOut({ ...state(), simulation: {} });
    this.show();
    this.prompt.focus();
  }

  /** As high as its text, up to what the style sheet allows. */
  private fit(): void {
    this.prompt.style.height = "auto";
    this.prompt.style.height = `${this.prompt.scrollHeight + 2}px`;
  }
}
