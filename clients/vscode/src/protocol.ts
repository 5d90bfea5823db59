/** The methods that the server adds to the protocol, as `docs/protocol.md` describes them. */

import type { ExecuteCommandParams, Location } from "vscode-languageclient/node";
import { method } from "./connection";

/** The tree that is asked about: the one that a file or folder belongs to. */
export interface TreeParams {
  readonly uri?: string;
}

/** A prompt and the situation it meets; what is left out is as the current session has it. */
export interface QuestionParams extends TreeParams {
  readonly prompt?: string;
  readonly agent?: string;
  readonly workflow?: string;
  readonly phase?: string;
  readonly task?: string;
  readonly story?: string;
  readonly squad?: string;
  readonly bracket?: string;
  /** "" is a new session, with nothing known of it. */
  readonly session?: string;
  /** Percent. */
  readonly remaining?: number;
}

/** An id, and what comes with it. Null where nothing is active. */
export interface Sourced {
  readonly id: string | null;
  readonly source?: string | null;
  readonly phase?: string | null;
  readonly story?: string | null;
}

export interface Status {
  /** A URI, as all places in the protocol. */
  readonly root: string;
  readonly profile: string;
  readonly bracket: string;
  readonly usage: Usage;
  readonly tokens: number;
  readonly budget: number;
  readonly agent: Sourced | null;
  readonly workflow: Sourced | null;
  readonly task: Sourced | null;
  readonly squad: Sourced | null;
  /** How many entries did not fit. */
  readonly cuts: number;
  readonly overBudget: boolean;
  /** The settings in which an agent's hook is registered. */
  readonly hooks: readonly string[];
  readonly session: { readonly id: string | null; readonly title: string | null } | null;
}

export interface Usage {
  readonly remaining: number;
  readonly source: string;
}

/** A line of a block. `key` is "" where it has none, as the lines of a task. */
export interface Entry {
  readonly text: string;
  readonly key: string;
  readonly domain: string;
  readonly tokens: number;
  readonly location: Location | null;
}

export interface Section {
  readonly id: string;
  readonly layer: string;
  readonly heading: string;
  readonly tokens: number;
  readonly entries: readonly Entry[];
}

export interface Context {
  readonly block: string;
  readonly bracket: string;
  readonly usage: Usage;
  readonly budget: number;
  readonly tokens: number;
  readonly sections: readonly Section[];
  readonly cuts: readonly Entry[];
  readonly limited: readonly Entry[];
  readonly overBudget: boolean;
  readonly notes: readonly string[];
}

/** A sentence as a code with values. */
export interface Phrase {
  readonly code: string;
  readonly values: readonly string[];
}

/** Why something is so, and what would change it. A server of an older version has the sentences only. */
export interface Told {
  readonly reason: string;
  readonly because?: readonly Phrase[];
  readonly remedy: string;
  readonly change?: Phrase | null;
  /** Parameters of a question that try the remedy out. */
  readonly attempt?: Readonly<Record<string, string>> | null;
}

export interface RuleAccount extends Told {
  readonly key: string;
  readonly text: string;
  readonly tokens: number;
  readonly rendered: boolean;
  readonly location: Location | null;
}

export interface DomainAccount extends Told {
  readonly label: string;
  /** The layer that takes the domain; null where none does. */
  readonly layer: string | null;
  readonly rules: readonly RuleAccount[];
  readonly location: Location | null;
  /** The URI of its rule file. */
  readonly file: string | null;
}

export interface Explanation {
  readonly bracket: string;
  /** The layers that take part. */
  readonly awake: readonly string[];
  readonly agent: Sourced | null;
  readonly workflow: Sourced | null;
  readonly task: Sourced | null;
  readonly squad: Sourced | null;
  readonly prompt: { readonly commands: readonly string[] };
  readonly domains: readonly DomainAccount[];
}

export interface Choice {
  readonly id: string;
  readonly title: string;
}

/** What the parameters of a question can be. */
export interface Choices {
  readonly brackets: readonly {
    readonly name: string;
    readonly label: string;
    readonly floor: number;
    readonly budget: number;
  }[];
  readonly agents: readonly Choice[];
  readonly workflows: readonly (Choice & { readonly phases: readonly string[] })[];
  readonly tasks: readonly Choice[];
  readonly stories: readonly Choice[];
  readonly squads: readonly Choice[];
  /** What a new rule can belong to; an article's id is its number. */
  readonly commands: readonly Choice[];
  readonly articles: readonly Choice[];
}

export interface Compared {
  readonly bracket: string;
  readonly budget: number;
  readonly tokens: number;
}

/** Two blocks, and the lines that only one of them has. */
export interface Comparison {
  readonly before: Compared;
  readonly after: Compared;
  readonly added: readonly Entry[];
  readonly removed: readonly Entry[];
  readonly changed: readonly { readonly before: Entry; readonly after: Entry }[];
}

export interface CompareParams extends TreeParams {
  readonly before: QuestionParams;
  readonly after: QuestionParams;
}

export interface ContextChange {
  readonly root: string;
}

/** LSP 3.18; what the answer is, each command knows. */
export const executeCommand = method<ExecuteCommandParams, unknown>("workspace/executeCommand");
export const status = method<TreeParams, Status>("synapse/status");
export const context = method<QuestionParams & { readonly delivery?: boolean }, Context>(
  "synapse/context",
);
export const explain = method<QuestionParams, Explanation>("synapse/explain");
export const choices = method<TreeParams, Choices>("synapse/choices");
export const compare = method<CompareParams, Comparison>("synapse/compare");
/** A notification of the server. */
export const DID_CHANGE_CONTEXT = "synapse/didChangeContext";
