/**
 * This module types the messages between the extension and the webview of the Context panel. Types
 * only.
 */

/** The simulated situation; a field that is left out has its current value. */
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

/** The state that the shown one is compared with, and its label. */
export interface ComparisonBase {
  readonly simulation: Simulation;
  readonly label: string;
}

export const TABS = ["layers", "block", "delivery"] as const;
export type Tab = (typeof TABS)[number];

/** The state that outlives the script, since a hidden view is a closed page. */
export interface PanelState {
  readonly simulation: Simulation;
  readonly tab: Tab;
  readonly kept?: ComparisonBase | undefined;
  /** Parts that are folded otherwise than they come. */
  readonly folded?: Readonly<Record<string, boolean>>;
  /** The kind of reason whose left-out rules are shown; without it those of all. */
  readonly reason?: ReasonKind | undefined;
}

/** Why rules are left out, as far as a list is worth being narrowed to it. */
export type ReasonKind =
  | "cut"
  | "agent"
  | "workflow"
  | "prompt"
  | "bracket"
  | "squad"
  | "inactive"
  | "incomplete"
  | "window"
  | "other";

export interface SourceLine {
  readonly uri: string;
  /** From 0. */
  readonly line: number;
}

export type MessageToExtension =
  | { readonly type: "ready" }
  /** A state to store that changes no answer. */
  | { readonly type: "keep"; readonly saved: PanelState }
  | { readonly type: "ask"; readonly saved: PanelState }
  | { readonly type: "open"; readonly place: SourceLine }
  | { readonly type: "act"; readonly action: PanelAction };

/** What a button in a notice does. */
export type PanelAction = "interpreter" | "retry" | "install" | "log" | "newTree" | "adopt";

export type MessageToPanel =
  | { readonly type: "words"; readonly words: PanelTexts }
  | { readonly type: "form"; readonly form: FormFields }
  /** Show this, whatever is tried out now. */
  | { readonly type: "save"; readonly saved: PanelState }
  /** Put the keyboard into the prompt. */
  | { readonly type: "focus" }
  | { readonly type: "view"; readonly view: PanelView };

/** The fixed texts. */
export interface PanelTexts {
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
  readonly allReasons: string;
  /** "{0} more". */
  readonly more: string;
  /** The name of the comparison for a screen reader. */
  readonly comparison: string;
  readonly endComparison: string;
  /** Where a domain is declared. */
  readonly declared: string;
}

/** A list to choose one part of the situation from; the option without a value is as it is now. */
export interface FormField {
  readonly name: Exclude<keyof Simulation, "prompt" | "remaining">;
  readonly label: string;
  readonly options: readonly { readonly value?: string; readonly label: string }[];
}

export interface FormFields {
  readonly fields: readonly FormField[];
  /** Percent of the window that is left now. */
  readonly remaining: number;
}

export type PanelView = NoticeView | BlockView;

/** A notice why there is no block to show. */
export interface NoticeView {
  readonly kind: "notice";
  readonly busy: boolean;
  readonly text: string;
  readonly detail: string;
  readonly actions: readonly { readonly action: PanelAction; readonly label: string }[];
}

export interface BlockView {
  readonly kind: "block";
  readonly summary: SummaryView;
  /** A sentence on what the prompt brings in; "" without a prompt. */
  readonly wakes: string;
  readonly notes: readonly string[];
  readonly layers: readonly LayerView[];
  readonly leftOut: LeftOutRules;
  /** The text of the tab that is shown, undefined where that has none. */
  readonly text: string | undefined;
  /** The note above the text. */
  readonly textNote: string;
  readonly comparison: ComparisonView | undefined;
}

export interface SummaryView {
  readonly bracket: string;
  readonly left: string;
  readonly leftTitle: string;
  readonly size: string;
  readonly fit: "fits" | "cut" | "over";
  /** What does not fit; "" where all does. */
  readonly fitText: string;
  readonly bar: BudgetBar;
  /** How much is left out, which goes on with the kinds of reasons; "" where nothing is. */
  readonly leftOut: string;
  readonly parts: readonly { readonly name: string; readonly value: string }[];
  /** What a screen reader says when it has changed. */
  readonly spoken: string;
}

/** Shares are parts of 1 of the bar, which is as long as the budget or the block, if that is more. */
export interface BudgetBar {
  readonly label: string;
  readonly segments: readonly {
    readonly hue: Hue;
    readonly share: number;
    readonly title: string;
  }[];
  /** Where the budget ends. */
  readonly budget: number;
}

/** The colours of sections, in the bar and beside their names. */
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
  readonly place: SourceLine | undefined;
}

export interface LeftOutRules {
  readonly count: number;
  readonly groups: readonly LeftOutGroup[];
  /** The kinds of reasons, the commonest first. */
  readonly kinds: readonly {
    readonly kind: ReasonKind;
    readonly label: string;
    readonly count: number;
  }[];
}

export interface LeftOutGroup {
  readonly id: string;
  readonly label: string;
  readonly kind: ReasonKind;
  readonly count: string;
  readonly reason: string;
  readonly remedy: string;
  /** The change that tries the remedy in the panel. */
  readonly attempt: RemedyAttempt | undefined;
  /** Where the domain is declared. */
  readonly place: SourceLine | undefined;
  /** Left out for want of room, and not because it does not apply. */
  readonly cut: boolean;
  readonly rules: readonly RuleView[];
}

/** A change of the simulation. `word` is added to the prompt. */
export interface RemedyAttempt {
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
