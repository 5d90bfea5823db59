/** The methods that tell what a tree has: domains, sessions, squads, injections, tests, accounts. */

import type { Location, Position, Range } from "vscode-languageclient/node";
import { method } from "./connection";
import type { Told, TreeParams } from "./protocol";

export interface Domain {
  /** Its name, with the prefix of its squad. */
  readonly label: string;
  readonly name: string;
  /** The folder of its squad; null for one of the root. */
  readonly squad: string | null;
  readonly active: boolean;
  readonly nonNegotiable: boolean;
  /** The one that it takes part in, or would. */
  readonly layer: string;
  readonly alwaysOn: boolean;
  readonly agent: string | null;
  readonly workflow: string | null;
  readonly recall: readonly string[];
  readonly paths: readonly string[];
  readonly everyNTurns: number | null;
  readonly onTokens: number | null;
  readonly rules: number;
  readonly tokens: number;
  readonly location: Location | null;
  /** The URI of its rule file. */
  readonly file: string | null;
}

export interface UsagePoint {
  /** ISO 8601, as all times. */
  readonly time: string;
  /** Percent of the window. */
  readonly remaining: number;
  readonly source: string;
  readonly tokens: number;
}

export interface Session {
  /** Null for a file that holds no session; `problem` says why. */
  readonly id: string | null;
  readonly title: string | null;
  readonly label: string | null;
  readonly lastActivity: string;
  readonly prompts: number;
  readonly bracket: string | null;
  readonly agent: string | null;
  readonly problem: string | null;
  /** Its last prompts, the oldest first. */
  readonly history: readonly UsagePoint[];
  readonly file: string | null;
}

export interface Sessions {
  /** The latest first. */
  readonly sessions: readonly Session[];
  readonly current: string | null;
  readonly pinned: string | null;
}

export interface Squad {
  readonly folder: string;
  readonly name: string;
  /** "extend", "override" or "none". */
  readonly mode: string;
  readonly active: boolean;
  readonly source: string | null;
  /** The labels of its domains. */
  readonly domains: readonly string[];
  readonly rules: number;
  readonly tokens: number;
  readonly location: Location | null;
}

export interface InjectedEntry {
  readonly name: string;
  /** Null where the rule no longer says what it said. */
  readonly text: string | null;
  readonly location: Location | null;
}

export interface InjectedSection {
  readonly id: string;
  /** Lines that are no rules have the id for a name. */
  readonly entries: readonly InjectedEntry[];
}

export interface Injection {
  readonly time: string;
  readonly session: string;
  readonly client: string;
  readonly event: string;
  readonly subAgent: string | null;
  readonly bracket: string;
  readonly remaining: number;
  readonly source: string;
  readonly tokens: number;
  readonly budget: number;
  readonly sections: readonly InjectedSection[];
  /** How many entries did not fit. */
  readonly cuts: number;
  readonly hash: string;
  /** Whether the client's transcript shows it; null where it does not tell. */
  readonly arrived?: boolean | null;
  /** What became of the text: "kept", "gone", "off", "quotes"; null where there was none. */
  readonly block?: string | null;
  /** What was sent, byte for byte, where it was asked for and is kept. */
  readonly text?: string | null;
}

export interface TestCase {
  readonly number: number;
  readonly name: string;
  readonly range: Range;
}

export interface TestFile {
  readonly uri: string;
  readonly cases: readonly TestCase[];
  readonly problem: string | null;
}

export interface TestFailure {
  readonly range: Range;
  readonly message: string;
  readonly remedy: string | null;
}

export interface TestOutcome {
  readonly uri: string;
  readonly number: number;
  readonly name: string;
  readonly passed: boolean;
  readonly bracket: string;
  readonly tokens: number;
  readonly failures: readonly TestFailure[];
}

/** What becomes of a rule, or of a domain where `key` is null. */
export interface Account extends Told {
  readonly key: string | null;
  readonly domain: string;
  readonly layer: string | null;
  readonly text: string | null;
  readonly rendered: boolean;
  readonly tokens: number;
  readonly location: Location | null;
}

export interface WhyParams extends TreeParams {
  readonly rule?: string;
  readonly position?: Position;
  readonly prompt?: string;
}

/** What the guard says to something that an agent is about to do. */
export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  /** Null where none is active. */
  readonly agent: string | null;
  /** "off", "warn" or "enforce". */
  readonly mode: string;
  /** The part that it is about. */
  readonly what: string | null;
  readonly reason: string | null;
  /** The agent to ask instead. */
  readonly delegate: string | null;
  /** The boundary that decided. */
  readonly rule: {
    readonly name: string;
    readonly pattern: string;
    readonly location: Location | null;
  } | null;
}

export const domains = method<TreeParams, { readonly domains: readonly Domain[] }>(
  "synapse/domains",
);
export const sessions = method<TreeParams, Sessions>("synapse/sessions");
export const squads = method<TreeParams, { readonly squads: readonly Squad[] }>("synapse/squads");
export const injections = method<
  TreeParams & {
    readonly session?: string;
    readonly limit?: number;
    readonly hash?: string;
    readonly texts?: boolean;
  },
  { readonly injections: readonly Injection[] }
>("synapse/injections");
export const tests = method<TreeParams, { readonly files: readonly TestFile[] }>("synapse/tests");
export const runTests = method<
  TreeParams & { readonly cases?: readonly number[] },
  { readonly outcomes: readonly TestOutcome[] }
>("synapse/runTests");
export const guard = method<
  TreeParams & { readonly command: string; readonly agent?: string },
  Verdict
>("synapse/guard");
export const why = method<
  WhyParams,
  { readonly bracket: string; readonly accounts: readonly Account[] }
>("synapse/why");
