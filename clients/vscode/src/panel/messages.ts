/** What the extension and the script in the Context panel say to each other. Types only. */

/** What a person tries out; what is left out is as it is now. */
export interface Simulation {
  readonly prompt?: string;
  readonly bracket?: string;
  /** Percent of the window left. */
  readonly remaining?: number;
  readonly agent?: string;
  readonly workflow?: string;
  readonly phase?: string;
  readonly task?: string;
  readonly story?: string;
  readonly squad?: string;
  /** "" is a new session. */
  readonly session?: string;
}

/** Another state that the shown one is compared with, and how it was called when it was kept. */
export interface Kept {
  readonly simulation: Simulation;
  readonly label: string;
}

export const TABS = ["layers", "block", "delivery"] as const;
export type Tab = (typeof TABS)[number];

/** What outlives the script: a hidden view is a closed page, and a window can be reloaded. */
export interface Saved {
  readonly simulation: Simulation;
  readonly tab: Tab;
  readonly kept?: Kept | undefined;
  /** Parts that are folded otherwise than they come. */
  readonly folded?: Readonly<Record<string, boolean>>;
}

export interface Place {
  readonly uri: string;
  /** From 0. */
  readonly line: number;
}

export type ToExtension =
  | { readonly type: "ready" }
  /** What is remembered, where it changes no answer. */
  | { readonly type: "keep"; readonly saved: Saved }
  | { readonly type: "ask"; readonly saved: Saved }
  | { readonly type: "open"; readonly place: Place }
  | { readonly type: "act"; readonly action: Action };

/** What a button in a notice does. */
export type Action = "interpreter" | "retry" | "install" | "log" | "newTree" | "adopt";

export type ToPanel =
  | { readonly type: "words"; readonly words: Words }
  | { readonly type: "form"; readonly form: Form }
  /** Show this, whatever is tried out now. */
  | { readonly type: "save"; readonly saved: Saved }
  /** Put the keyboard into the prompt. */
  | { readonly type: "focus" }
  | { readonly type: "view"; readonly view: View };

/** The fixed texts. */
export interface Words {
  readonly prompt: string;
  readonly promptHint: string;
  readonly simulate: string;
  readonly simulated: string;
  readonly reset: string;
  readonly remaining: string;
  readonly tabs: Readonly<Record<Tab, string>>;
  readonly tabList: string;
  readonly leftOut: string;
  readonly nothingLeftOut: string;
  /** What a comparison is, for a screen reader. */
  readonly comparison: string;
  readonly endComparison: string;
  /** Where a domain is declared. */
  readonly declared: string;
}

/** A list to choose one part of the situation from; the option without a value is as it is now. */
export interface Field {
  readonly name: Exclude<keyof Simulation, "prompt" | "remaining">;
  readonly label: string;
  readonly options: readonly { readonly value?: string; readonly label: string }[];
}

export interface Form {
  readonly fields: readonly Field[];
  /** Percent of the window that is left now. */
  readonly remaining: number;
}

export type View = NoticeView | BlockView;

/** There is no block to show, and why. */
export interface NoticeView {
  readonly kind: "notice";
  readonly busy: boolean;
  readonly text: string;
  readonly detail: string;
  readonly actions: readonly { readonly action: Action; readonly label: string }[];
}

export interface BlockView {
  readonly kind: "block";
  readonly summary: Summary;
  /** What the prompt wakes; "" without a prompt. */
  readonly wakes: string;
  readonly notes: readonly string[];
  readonly layers: readonly LayerView[];
  readonly leftOut: LeftOut;
  /** The text of the tab that is shown, undefined where that has none. */
  readonly text: string | undefined;
  /** What stands above it. */
  readonly textNote: string;
  readonly comparison: ComparisonView | undefined;
}

export interface Summary {
  readonly bracket: string;
  readonly left: string;
  readonly leftTitle: string;
  readonly size: string;
  readonly fit: "fits" | "cut" | "over";
  /** What does not fit; "" where all does. */
  readonly fitText: string;
  readonly bar: Bar;
  /** How much is left out, as a link to it; "" where nothing is. */
  readonly leftOut: string;
  readonly parts: readonly { readonly name: string; readonly value: string }[];
  /** What a screen reader says when it has changed. */
  readonly spoken: string;
}

/** Shares are parts of 1 of the bar, which is as long as the budget or the block, if that is more. */
export interface Bar {
  readonly label: string;
  readonly segments: readonly {
    readonly hue: Hue;
    readonly share: number;
    readonly title: string;
  }[];
  /** Where the budget ends. */
  readonly budget: number;
}

/** What colour a section has, in the bar and beside its name. */
export const HUES = [
  "purple",
  "blue",
  "green",
  "orange",
  "cyan",
  "magenta",
  "yellow",
  "plain",
] as const;
export type Hue = (typeof HUES)[number];

export interface LayerView {
  readonly id: string;
  readonly hue: Hue;
  readonly name: string;
  readonly detail: string;
  readonly tokens: number;
  readonly title: string;
  readonly groups: readonly GroupView[];
}

/** Rules of one domain, with the reason that they share; without a label where it goes without saying. */
export interface GroupView {
  readonly label: string;
  readonly reason: string;
  readonly rules: readonly RuleView[];
}

export interface RuleView {
  readonly text: string;
  readonly title: string;
  readonly tokens: number;
  readonly place: Place | undefined;
}

export interface LeftOut {
  readonly count: number;
  readonly groups: readonly LeftOutView[];
}

export interface LeftOutView {
  readonly id: string;
  readonly label: string;
  /** Whether the group before it is of the same domain, so that the name need not be shown again. */
  readonly repeats: boolean;
  readonly count: string;
  readonly reason: string;
  readonly remedy: string;
  /** What tries the remedy out here. */
  readonly attempt: Attempt | undefined;
  /** Where the domain is declared. */
  readonly place: Place | undefined;
  /** Left out for want of room, and not because it does not apply. */
  readonly cut: boolean;
  readonly rules: readonly RuleView[];
}

/** A change of what is tried out. `word` is added to the prompt. */
export interface Attempt {
  readonly label: string;
  readonly change: Simulation;
  readonly word: string;
}

export interface ComparisonView {
  readonly title: string;
  readonly delta: string;
  readonly same: string;
  readonly lists: readonly {
    readonly label: string;
    readonly sign: "+" | "−" | "~";
    readonly rules: readonly RuleView[];
  }[];
}
