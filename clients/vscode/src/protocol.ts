/**
 * The methods that the server adds to the protocol, and the types of their parameters and answers.
 * Written by `scripts/gen-docs` from the classes of the server; `docs/protocol.md` says more.
 */

import type { Location, Position, Range } from "vscode-languageclient/node";
import { method } from "./connection";

/**
 * The parameters that name the tree that is asked about: `uri` is that of its folder or of
 * anything in it.
 *
 * Without one it is the only tree, or the first of several. `for_model`: a language model gets
 * the answer, so that there is none from a tree that is not as it was pinned.
 */
export interface TreeParams {
  readonly uri?: string;
  readonly forModel?: boolean;
}

/**
 * The parameters of a question, a prompt and the situation it meets; what is left out is as the
 * current session has it.
 *
 * `remaining` is the percentage of the window that is left. `session` is the id of a session;
 * "" is a new one, with nothing known of it. `client`: whose agent gets the block, which leaves
 * out what that client reads by itself; "" is nobody's.
 */
export interface QuestionParams extends TreeParams {
  readonly prompt?: string;
  readonly agent?: string;
  readonly workflow?: string;
  readonly phase?: string;
  readonly task?: string;
  readonly story?: string;
  readonly squad?: string;
  readonly bracket?: string;
  readonly remaining?: number;
  readonly session?: string;
  readonly profile?: string;
  readonly client?: string;
}

/**
 * The parameters of `synapse/context`. `delivery`: only what a hook would send now, which
 * leaves out what the window holds.
 */
export interface ContextParams extends QuestionParams {
  readonly delivery?: boolean;
}

/**
 * The parameters of `synapse/status`. `chats`: the path of the folder in which the editor
 * keeps the chats of this workspace; a prompt there on which no hook was called is reported.
 */
export interface StatusParams extends QuestionParams {
  readonly chats?: string;
}

/**
 * The parameters of `synapse/why`: the key of a `rule`, or a `position` in the file that
 * `uri` names.
 *
 * Where both are sent, the rule counts.
 */
export interface WhyParams extends TreeParams {
  readonly rule?: string;
  readonly position?: Position;
  readonly prompt?: string;
}

/**
 * The parameters of `synapse/guard`, what an agent is about to do: a `command` line,
 * files, or a `tool` of its client.
 *
 * `agent`: who does it; the active one unless it is sent.
 */
export interface GuardParams extends TreeParams {
  readonly command?: string;
  readonly read?: readonly string[];
  readonly write?: readonly string[];
  readonly delete?: readonly string[];
  readonly tool?: string;
  readonly agent?: string;
}

/**
 * The parameters of `synapse/compare`, two questions to one tree; what is left out of either
 * is as the current session has it.
 */
export interface CompareParams extends TreeParams {
  readonly before?: QuestionParams;
  readonly after?: QuestionParams;
}

/**
 * The parameters of `synapse/runTests`. `uri`: a file of tests, or anything else in the
 * tree for all of its files.
 *
 * `cases`: the numbers of those to run, in a file of tests.
 */
export interface RunTestsParams extends TreeParams {
  readonly cases?: readonly number[];
}

/**
 * The parameters of `synapse/injections`. `session`: only those of this one. `limit`: how
 * many at most.
 *
 * `hash`: only blocks whose hash begins so. `texts`: with the exact blocks.
 */
export interface InjectionsParams extends TreeParams {
  readonly session?: string;
  readonly limit?: number;
  readonly hash?: string;
  readonly texts?: boolean;
}

/**
 * The parameters of `synapse/compact`: a history, the file that `uri` names, or
 * `messages`; and what is wanted of it.
 *
 * The other fields are those of `CompactionRequest`. `shape`: what the messages of the answer
 * are written as.
 */
export interface CompactParams extends TreeParams {
  readonly messages?: readonly unknown[];
  readonly strategy?: string;
  readonly limit?: number;
  readonly keepLast?: number;
  readonly keepFirst?: number;
  readonly keepResults?: number;
  readonly force?: boolean;
  readonly ratio?: number;
  readonly unit?: string;
  readonly shape?: string;
}

/**
 * The parameters of `synapse/memory`: what the memories are about (`query`), and their
 * `tier`, `sector` and `tags`.
 *
 * `agent`: as this agent sees them; without it, all. `archived`: those that were put away.
 */
export interface MemoryParams extends TreeParams {
  readonly query?: string;
  readonly agent?: string;
  readonly tier?: string;
  readonly sector?: string;
  readonly tags?: readonly string[];
  readonly archived?: boolean;
}

/**
 * The parameters of `synapse/activation`: the `agent` to bring up, by its id, an alias or
 * its name.
 *
 * `session`: the current one unless it is given, "" for a new one. `executor`: "Agente",
 * "Worker", "Humano" or "Clone". `occasion`: "new", "existing" or "workflow". `greeting`:
 * "auto", "minimal", "named" or "archetypal". What is not given is found out.
 */
export interface ActivationParams extends TreeParams {
  readonly agent: string;
  readonly session?: string;
  readonly executor?: string;
  readonly occasion?: string;
  readonly greeting?: string;
}

/**
 * The parameters of `synapse/audit`. `days`: how long ago a session may have been used
 * last; 7 unless given.
 */
export interface AuditParams extends TreeParams {
  readonly days?: number;
}

/** The parameters of `synapse/rulePage`: the code or the name of a lint `rule`. */
export interface RulePageParams extends TreeParams {
  readonly rule: string;
}

/**
 * The part of a situation's report on how much of the context window is left, in percent and,
 * where known, in tokens.
 */
export interface Usage {
  readonly remaining: number;
  readonly source: string;
  readonly origin: string;
  readonly model: string;
  readonly used: number | null;
  readonly window: number | null;
  readonly prompts: number | null;
}

/**
 * A line of a block in the report of a context. `key` is "" where it has none, as the lines of
 * a task.
 */
export interface Entry {
  readonly text: string;
  readonly key: string;
  readonly domain: string;
  readonly location: Location | null;
  readonly tokens: number;
}

/** A section of a block in the report of a context: a heading and the entries under it. */
export interface Section {
  readonly id: string;
  readonly layer: string;
  readonly heading: string;
  readonly tokens: number;
  readonly entries: readonly Entry[];
}

/**
 * A rule that a context block would have in two places, in the block's report: the entry that
 * was left out, and the one that stays.
 */
export interface Duplicate {
  readonly leftOut: Entry;
  readonly stays: Entry;
}

/**
 * A memory of the situation that is in the block, or could be: `text` is as much of it as
 * `level` discloses.
 *
 * `factors` are those of its score by name, and what its rank adds to them. `reasons` say why
 * it is in the block; `reason` why it is not.
 */
export interface Hint {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly level: string;
  readonly type: string;
  readonly sector: string;
  readonly tier: string;
  readonly tags: readonly string[];
  readonly agent: string | null;
  readonly confidence: number;
  readonly score: number;
  readonly rank: number;
  readonly factors: Readonly<Record<string, number>>;
  readonly reasons: readonly string[];
  readonly explicit: boolean;
  readonly provider: string | null;
  readonly location: Location | null;
  readonly reason: string | null;
}

/**
 * The part of a situation's report on memories: those that are in the block, best first, and
 * those that were left out.
 */
export interface Hints {
  readonly level: string;
  readonly tokens: number;
  readonly reason: string | null;
  readonly told: readonly Hint[];
  readonly left: readonly Hint[];
}

/**
 * The report of a context block, what it is made of, and what did not fit: `cuts` into the
 * budget, `limited` into the client's hard limit. `unbounded`: no budget bounds it.
 */
export interface Context {
  readonly block: string;
  readonly bracket: string;
  readonly usage: Usage;
  readonly budget: number;
  readonly unbounded: boolean;
  readonly tokens: number;
  readonly sections: readonly Section[];
  readonly cuts: readonly Entry[];
  readonly limited: readonly Entry[];
  readonly duplicates: readonly Duplicate[];
  readonly overBudget: boolean;
  readonly degraded: Readonly<Record<string, string>>;
  readonly memory: Hints;
  readonly notes: readonly string[];
}

/**
 * A part of a situation in its report: the id of an agent, workflow, task or squad, and the
 * source that it is known from.
 */
export interface SituationPart {
  readonly id: string | null;
  readonly source: string | null;
  readonly phase: string | null;
  readonly story: string | null;
  readonly executor: string | null;
}

/**
 * What the report of a situation says of the prompt: star-commands, mentions, and what was
 * skipped.
 */
export interface Prompt {
  readonly commands: readonly string[];
  readonly mentions: readonly string[];
  readonly skipped: readonly string[];
}

/** The report of a situation: who is at work on what, null for what is not known. */
export interface Situation {
  readonly agent: SituationPart | null;
  readonly workflow: SituationPart | null;
  readonly task: SituationPart | null;
  readonly squad: SituationPart | null;
  readonly prompt: Prompt;
}

/** A reason or a remedy as a code with values, for clients that write it in another language. */
export interface Phrase {
  readonly code: string;
  readonly values: readonly string[];
}

/**
 * The reason why something is so, and what would change it. `attempt` has parameters of a
 * question that try the remedy out.
 */
export interface Reason {
  readonly reason: string;
  readonly because: readonly Phrase[];
  readonly remedy: string;
  readonly change: Phrase | null;
  readonly attempt: Readonly<Record<string, string>> | null;
}

/** What an explanation says of a rule: whether it is in the block, and why. */
export interface RuleAccount extends Reason {
  readonly key: string;
  readonly text: string;
  readonly location: Location | null;
  readonly tokens: number;
  readonly rendered: boolean;
}

/**
 * What an explanation says of a domain: by which layer it takes part (null: by none), or why
 * not and what would change that. `read_by` are the clients that read its file by themselves.
 */
export interface DomainAccount extends Reason {
  readonly label: string;
  readonly layer: string | null;
  readonly file: string | null;
  readonly location: Location | null;
  readonly rules: readonly RuleAccount[];
  readonly readBy: readonly string[];
}

/**
 * The report that explains a block: the situation, the layers that are awake in it, and the
 * account of every domain and rule.
 */
export interface Explanation extends Situation {
  readonly profile: string;
  readonly bracket: string;
  readonly usage: Usage;
  readonly budget: number;
  readonly tokens: number;
  readonly awake: readonly string[];
  readonly cuts: readonly Entry[];
  readonly overBudget: boolean;
  readonly degraded: Readonly<Record<string, string>>;
  readonly domains: readonly DomainAccount[];
  readonly memory: Hints;
  readonly notes: readonly string[];
}

/**
 * A step of a workflow in the report of the navigation; `number` counts those that belong to
 * somebody, null for any other.
 */
export interface WorkflowStep {
  readonly number: number | null;
  readonly name: string;
  readonly agent: string | null;
  readonly phase: string | null;
  readonly action: string | null;
  readonly task: string | null;
  readonly status: string | null;
  readonly optional: boolean;
}

/**
 * A star-command that may follow, in the report of the navigation, without its star, and the
 * agent that has it.
 */
export interface NextCommand {
  readonly command: string;
  readonly agent: string | null;
  readonly arguments: string | null;
  readonly description: string | null;
}

/**
 * The report for navigation, finding one's way in a workflow: where the work is, what comes
 * next and who does it.
 *
 * `source`: "state", "session", "given", "commands", "chain", "story" or "handoff". `where`
 * and `then` are sentences without a full stop; `turn` is the agent whose turn it is.
 * `begun` is the command that is at work, `why` how a place in a chain is known, `state`
 * what commands show.
 */
export interface Navigation {
  readonly workflow: string;
  readonly source: string;
  readonly where: string;
  readonly then: string | null;
  readonly turn: string | null;
  readonly status: string | null;
  readonly step: WorkflowStep | null;
  readonly begun: string | null;
  readonly why: string | null;
  readonly done: number | null;
  readonly total: number | null;
  readonly finished: boolean;
  readonly following: readonly WorkflowStep[];
  readonly failing: WorkflowStep | null;
  readonly waiting: readonly WorkflowStep[];
  readonly state: string | null;
  readonly commands: readonly NextCommand[];
  readonly location: Location | null;
  readonly notes: readonly string[];
}

/** The session that is followed, in a status report. */
export interface CurrentSession {
  readonly id: string | null;
  readonly title: string | null;
  readonly prompts: number | null;
  readonly lastActivity: string | null;
}

/**
 * How many domains or rules a status report counts, and how many of them have a rule in the
 * block.
 */
export interface BlockShare {
  readonly total: number;
  readonly inBlock: number;
}

/**
 * Why the hook's deliveries bring no rules to agents, and what to do. `code`: "no-program" for
 * a hook that cannot be started; for a prompt in the editor's chat on which no hook was called,
 * "not-registered" or "not-called" where nothing says why. `client`: the agent client.
 */
export interface DeliveryProblem {
  readonly code: string;
  readonly client: string;
  readonly sentence: string;
  readonly remedy: string;
}

/**
 * What the hook has handed over in its deliveries. `last`: when it last gave an agent anything,
 * null for never; `client`: to which client.
 */
export interface Delivery {
  readonly last: string | null;
  readonly client: string | null;
  readonly problem: DeliveryProblem | null;
}

/**
 * A client in a report that calls the hook, and whether it `asks` the guard before a tool is
 * used: "yes", "partly" (about some tools), "untrusted" (not before this tree is trusted), "no",
 * or "cannot".
 */
export interface GuardClient {
  readonly client: string;
  readonly asks: string;
}

/**
 * The status of a tree: the state that the next prompt would meet. `cuts`: how many entries do
 * not fit. `hooks`: the settings in which an agent's hook is registered. `other_hooks`: other
 * engines whose hooks are called, with their settings. `delivery`: what it has
 * handed over. `guard`: the mode of the guard, "off", "warn" or "enforce"; `guard_clients`: the
 * clients that call the hook, and whether they ask it; `guard_effect`: what it does with these.
 * `policy`: the policies that hold over the tree's own settings.
 */
export interface Status extends Situation {
  readonly root: string;
  readonly profile: string;
  readonly bracket: string;
  readonly usage: Usage;
  readonly tokens: number;
  readonly budget: number;
  readonly unbounded: boolean;
  readonly cuts: number;
  readonly overBudget: boolean;
  readonly navigation: Navigation | null;
  readonly session: CurrentSession | null;
  readonly domains: BlockShare;
  readonly rules: BlockShare;
  readonly hooks: readonly string[];
  readonly otherHooks: readonly string[];
  readonly delivery: Delivery;
  readonly guard: string;
  readonly guardClients: readonly GuardClient[];
  readonly guardEffect: string;
  readonly policy: string | null;
  readonly notes: readonly string[];
}

/**
 * The report of a domain as it is declared; `layer` is the one that it takes part in, or would
 * take part in.
 *
 * `label` is its name with the prefix of its squad; `squad` is the folder of that, null for a
 * domain of the root. `read_by` are the clients that read its file by themselves.
 */
export interface Domain {
  readonly label: string;
  readonly name: string;
  readonly squad: string | null;
  readonly active: boolean;
  readonly alwaysOn: boolean;
  readonly nonNegotiable: boolean;
  readonly agent: string | null;
  readonly workflow: string | null;
  readonly recall: readonly string[];
  readonly exclude: readonly string[];
  readonly paths: readonly string[];
  readonly everyNTurns: number | null;
  readonly onTokens: number | null;
  readonly layer: string;
  readonly wakesBy: string | null;
  readonly rules: number;
  readonly tokens: number;
  readonly file: string | null;
  readonly location: Location | null;
  readonly readBy: readonly string[];
}

/** The report of every domain, in the order of the manifests. */
export interface Domains {
  readonly domains: readonly Domain[];
}

/**
 * What the report of a session has of a prompt: what was left of the context window, in
 * percent, and the tokens of the reply.
 */
export interface UsagePoint {
  readonly time: string;
  readonly remaining: number;
  readonly source: string;
  readonly used: number | null;
  readonly tokens: number;
}

/**
 * The report of a session, a summary; `history` has its last prompts, the oldest first.
 *
 * `id` is null for a file that holds no session; `problem` says why.
 */
export interface Session {
  readonly id: string | null;
  readonly title: string | null;
  readonly label: string | null;
  readonly lastActivity: string;
  readonly prompts: number;
  readonly bracket: string | null;
  readonly agent: string | null;
  readonly file: string | null;
  readonly problem: string | null;
  readonly history: readonly UsagePoint[];
}

/**
 * The report of all sessions, the latest first, and the ids of the one that is followed and of
 * the one that is pinned.
 */
export interface Sessions {
  readonly sessions: readonly Session[];
  readonly current: string | null;
  readonly pinned: string | null;
}

/**
 * A bracket that can be chosen for a situation: the percentage from which on it holds, its
 * budget, and the layers that are awake.
 */
export interface BracketInfo {
  readonly name: string;
  readonly label: string;
  readonly floor: number;
  readonly budget: number;
  readonly layers: readonly string[];
}

/** A value that a person can choose for a part of a situation. */
export interface Choice {
  readonly id: string;
  readonly title: string;
}

/** A workflow that can be chosen for a situation, with the phases that its rules can be for. */
export interface WorkflowChoice {
  readonly id: string;
  readonly title: string;
  readonly phases: readonly string[];
}

/**
 * The choices that the parts of a situation have; `commands` and `articles` are what a new rule
 * can belong to, an article by its number.
 */
export interface Choices {
  readonly brackets: readonly BracketInfo[];
  readonly agents: readonly Choice[];
  readonly workflows: readonly WorkflowChoice[];
  readonly tasks: readonly Choice[];
  readonly stories: readonly Choice[];
  readonly squads: readonly Choice[];
  readonly commands: readonly Choice[];
  readonly articles: readonly Choice[];
}

/**
 * A squad: how its domains relate to the root's ("extend", "override" or "none"), and whether
 * it is active now. `domains` are their labels.
 */
export interface Squad {
  readonly folder: string;
  readonly name: string;
  readonly mode: string;
  readonly active: boolean;
  readonly source: string | null;
  readonly domains: readonly string[];
  readonly rules: number;
  readonly tokens: number;
  readonly location: Location | null;
}

/** The report of the squads of a tree with their domains, sorted by folder. */
export interface Squads {
  readonly squads: readonly Squad[];
}

/**
 * Whether what was looked up, a rule, a memory, or a domain as a whole (`key` null), is in the
 * block, and why.
 */
export interface Account extends Reason {
  readonly key: string | null;
  readonly layer: string | null;
  readonly domain: string;
  readonly rendered: boolean;
  readonly text: string | null;
  readonly tokens: number;
  readonly location: Location | null;
}

/** The accounts of the rules that were looked up, in the current situation. */
export interface Why {
  readonly bracket: string;
  readonly accounts: readonly Account[];
}

/** The authority boundary behind a guard's verdict, with the pattern that it names. */
export interface GuardRule {
  readonly name: string;
  readonly location: Location | null;
  readonly pattern: string;
}

/**
 * The report of the guard's verdict, what it says: `decision` is "allow", "ask" or "deny",
 * `what` the part that this is about, `delegate` the agent that may do it.
 *
 * `mode` is "off", "warn" or "enforce"; `agent` is null where none is active; `policy` names the
 * policies that hold over the tree's own settings.
 */
export interface Verdict {
  readonly decision: "allow" | "ask" | "deny";
  readonly agent: string | null;
  readonly mode: string;
  readonly policy: string | null;
  readonly what: string | null;
  readonly reason: string | null;
  readonly delegate: string | null;
  readonly rule: GuardRule | null;
}

/** One block of a comparison of two. */
export interface ComparedBlock {
  readonly block: string;
  readonly bracket: string;
  readonly usage: Usage;
  readonly budget: number;
  readonly tokens: number;
  readonly overBudget: boolean;
}

/** An entry that has another text in the second block of a comparison. */
export interface ChangedEntry {
  readonly before: Entry;
  readonly after: Entry;
}

/**
 * The report of a comparison: two blocks, and the lines that only one of them has.
 *
 * `crowded` are those of the removed that still apply, but do not fit any more; `fitting` those
 * of the added that applied before too, but did not fit.
 */
export interface Comparison {
  readonly before: ComparedBlock;
  readonly after: ComparedBlock;
  readonly added: readonly Entry[];
  readonly removed: readonly Entry[];
  readonly changed: readonly ChangedEntry[];
  readonly crowded: readonly Entry[];
  readonly fitting: readonly Entry[];
}

/** A case of a file of tree tests; `number` counts from 0. */
export interface TestCase {
  readonly number: number;
  readonly name: string;
  readonly range: Range;
}

/** A file of tree tests; `problem` says why it has no cases where it cannot be read. */
export interface TestFile {
  readonly uri: string;
  readonly cases: readonly TestCase[];
  readonly problem: string | null;
}

/** The files of tree tests, sorted by path. */
export interface Tests {
  readonly files: readonly TestFile[];
}

/** An expectation of a tree's test that does not hold. */
export interface TestFailure {
  readonly range: Range;
  readonly message: string;
  readonly remedy: string | null;
}

/**
 * The result of one case of the tree's tests. `bracket` and `tokens` are those of the block it
 * met.
 */
export interface TestOutcome {
  readonly uri: string;
  readonly number: number;
  readonly name: string;
  readonly passed: boolean;
  readonly bracket: string;
  readonly tokens: number;
  readonly failures: readonly TestFailure[];
}

/** The result of each case of the tree's tests. */
export interface TestRun {
  readonly outcomes: readonly TestOutcome[];
}

/** A domain that took part in an injection, and why: in English, and as a phrase. */
export interface DomainContribution extends Phrase {
  readonly layer: string;
  readonly label: string;
  readonly reason: string;
}

/**
 * A line that was injected for an agent; `text` is null where no rule has this text any more.
 * What is taken back has its heading for a name, other lines that are no rules the id of their
 * section.
 */
export interface InjectedEntry {
  readonly name: string;
  readonly text: string | null;
  readonly location: Location | null;
}

/** The entries that were injected under one heading. */
export interface InjectedSection {
  readonly id: string;
  readonly entries: readonly InjectedEntry[];
}

/**
 * The report of one injection, a reply of the hook, as the log has it. `subAgent` is the
 * sub-agent whose window it went to.
 *
 * `why`: the reason for a full block, null for a difference. `arrived`: whether the client's
 * transcript shows it on the branch that leads to the newest message, null where it does not tell.
 * `cancelled`: whether it was taken back with its prompt, and stands no more. `cuts`: how many
 * entries did not fit. `block`: what became of its text, "kept", "gone", "off" or "quotes", null
 * where there was none. `text`: what was sent, byte for byte, where it was asked for and is kept.
 */
export interface Injection {
  readonly time: string;
  readonly subAgent: string | null;
  readonly session: string | null;
  readonly agent: string | null;
  readonly workflow: string | null;
  readonly phase: string | null;
  readonly why: string | null;
  readonly client: string;
  readonly event: string;
  readonly bracket: string;
  readonly remaining: number;
  readonly source: string;
  readonly used: number | null;
  readonly tokens: number;
  readonly budget: number;
  readonly cuts: number;
  readonly hash: string;
  readonly turn: number | null;
  readonly arrived: boolean | null;
  readonly cancelled: boolean;
  readonly domains: readonly DomainContribution[];
  readonly sections: readonly InjectedSection[];
  readonly cut: readonly string[];
  readonly limited: readonly string[];
  readonly block: string | null;
  readonly text: string | null;
}

/** The report of all injections, what agents received from hooks, the latest first. */
export interface Injections {
  readonly injections: readonly Injection[];
}

/**
 * Where the tokens of a request are; the parts add up to `total`.
 *
 * system: messages with instructions, whole. overhead: of the other messages. text, thinking,
 * summaries, tool_calls, tool_results, media, other: their blocks. tools: definitions of tools.
 */
export interface Breakdown {
  readonly system: number;
  readonly overhead: number;
  readonly text: number;
  readonly thinking: number;
  readonly summaries: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly media: number;
  readonly other: number;
  readonly tools: number;
}

/** How long a conversation's history is. */
export interface HistorySize {
  readonly messages: number;
  readonly tokens: number;
  readonly parts: Breakdown;
}

/** A message that was removed from the history; `number` counts from 1. */
export interface DroppedMessage {
  readonly number: number | null;
  readonly role: string;
  readonly tokens: number;
  readonly words: string;
  readonly summarized: boolean;
}

/**
 * A tool result that the compaction of a history has cleared, in the message of this number,
 * and its tokens before.
 */
export interface ClearedResult {
  readonly number: number | null;
  readonly id: string;
  readonly tokens: number;
}

/** What was removed from a message history, and `messages`, the history that is left. */
export interface Compaction {
  readonly kind: string;
  readonly strategy: string;
  readonly limit: number;
  readonly before: HistorySize;
  readonly after: HistorySize;
  readonly dropped: readonly DroppedMessage[];
  readonly cleared: readonly ClearedResult[];
  readonly messages: readonly unknown[];
}

/**
 * A word by which a search lists a memory, and where it was found: in a tag, the title or the
 * text.
 */
export interface MatchedWord {
  readonly word: string;
  readonly place: string;
}

/**
 * A memory in a listing, with its score of today. `type`: what it is, such as "decision".
 * `agent`: whose it is, null where it is shared. `storage`: "session", "daily" or "durable".
 * `tier`: "hot", "warm" or "cold".
 */
export interface Memory {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly type: string;
  readonly tags: readonly string[];
  readonly agent: string | null;
  readonly scope: string;
  readonly sector: string;
  readonly storage: string;
  readonly confidence: number;
  readonly evidence: number;
  readonly accesses: number;
  readonly created: string | null;
  readonly updated: string | null;
  readonly accessed: string | null;
  readonly expires: string | null;
  readonly explicit: boolean;
  readonly source: string | null;
  readonly tier: string;
  readonly score: number;
  readonly factors: Readonly<Record<string, number>>;
  readonly lifted: boolean;
  readonly relevance: number | null;
  readonly matches: readonly MatchedWord[];
  readonly archived: boolean;
  readonly location: Location | null;
}

/** How many memories a listing counts, by tier, sector, storage and agent. */
export interface MemoryCounts {
  readonly total: number;
  readonly tiers: Readonly<Record<string, number>>;
  readonly sectors: Readonly<Record<string, number>>;
  readonly storage: Readonly<Record<string, number>>;
  readonly agents: Readonly<Record<string, number>>;
  readonly shared: number;
  readonly explicit: number;
  readonly expired: number;
  readonly archived: number;
}

/** A listing of memories, best first, and how many there are in all. */
export interface Memories {
  readonly memories: readonly Memory[];
  readonly counts: MemoryCounts;
}

/** A command of an agent in the report of an activation, without its star. */
export interface AgentCommand {
  readonly name: string;
  readonly arguments: string | null;
  readonly description: string | null;
  readonly visibility: readonly string[];
}

/** An agent in the report of an activation, as its definition has it. */
export interface Agent {
  readonly id: string;
  readonly name: string | null;
  readonly title: string | null;
  readonly icon: string | null;
  readonly role: string | null;
  readonly archetype: string | null;
  readonly file: string | null;
  readonly commands: readonly AgentCommand[];
}

/**
 * A section of a greeting in the report of an activation; `why`: the reason where it is
 * empty.
 */
export interface GreetingSection {
  readonly name: string;
  readonly text: string;
  readonly why: string | null;
}

/** How freely the agent may act, in the report of an activation: "explore", "ask" or "auto". */
export interface PermissionMode {
  readonly mode: string;
  readonly badge: string;
}

/**
 * Files that differ from the last commit, in the report of an activation; `atLeast`: git had no
 * time to name all.
 */
export interface ChangeCounts {
  readonly total: number;
  readonly staged: number;
  readonly modified: number;
  readonly untracked: number;
  readonly conflicted: number;
  readonly atLeast: boolean;
  readonly files: readonly string[];
}

/** A commit in the report of an activation; `time` is in seconds since 1970. */
export interface CommitInfo {
  readonly hash: string;
  readonly time: number;
  readonly subject: string;
}

/**
 * The status of the project in git, in the report of an activation. `state`: "branch",
 * "detached" or "unborn"; null where it is not known.
 */
export interface Project {
  readonly repository: boolean;
  readonly branch: string | null;
  readonly state: string | null;
  readonly commit: string | null;
  readonly worktree: string | null;
  readonly underWay: string | null;
  readonly changes: ChangeCounts | null;
  readonly commits: readonly CommitInfo[] | null;
}

/** The story that is worked on, in the report of an activation, and how that is known. */
export interface Story {
  readonly id: string;
  readonly title: string | null;
  readonly state: string | null;
  readonly epic: string | null;
  readonly file: string | null;
  readonly why: string | null;
  readonly others: number;
}

/**
 * What another agent has left for this one, in the report of an activation; `consumed`: whether
 * it was taken over.
 */
export interface AgentHandoff {
  readonly file: string | null;
  readonly fromAgent: string | null;
  readonly toAgent: string | null;
  readonly at: string | null;
  readonly consumed: boolean;
  readonly lastCommand: string | null;
  readonly story: string | null;
  readonly storyStatus: string | null;
  readonly task: string | null;
  readonly branch: string | null;
  readonly decisions: readonly string[];
  readonly files: readonly string[];
  readonly blockers: readonly string[];
  readonly nextAction: string | null;
  readonly leftOut: number;
}

/**
 * One of an agent's memories in one line of its greeting. `tier`: "hot" or "warm";
 * `sector`: which kind of knowledge it is.
 */
export interface MemoryLine {
  readonly id: string;
  readonly title: string;
  readonly sector: string;
  readonly tier: string;
  readonly score: number;
}

/** The memories that matter most, in the report of an activation, and how many there are. */
export interface AgentMemories {
  readonly total: number;
  readonly shown: readonly MemoryLine[];
}

/**
 * The result of a loader in the report of an activation: "loaded", "late" or "failed"; `why`:
 * what is missing.
 */
export interface Loader {
  readonly name: string;
  readonly tier: string;
  readonly state: string;
  readonly milliseconds: number;
  readonly why: string | null;
}

/**
 * The report of an activation: an agent with all that was loaded for it.
 *
 * `quality`: "full", "partial" or "fallback". `greeting` is its text in Markdown, "" for a Worker.
 * `recorded`: whether it became the active agent of the session.
 */
export interface Activation {
  readonly agent: Agent;
  readonly session: string | null;
  readonly occasion: string;
  readonly occasionWhy: string;
  readonly executor: string;
  readonly quality: string;
  readonly greeting: string;
  readonly kind: string;
  readonly sections: readonly GreetingSection[];
  readonly permission: PermissionMode;
  readonly project: Project | null;
  readonly story: Story | null;
  readonly workflow: Navigation | null;
  readonly handoff: AgentHandoff | null;
  readonly memories: AgentMemories;
  readonly loaders: readonly Loader[];
  readonly milliseconds: number;
  readonly missing: readonly string[];
  readonly notes: readonly string[];
  readonly recorded: boolean;
}

/**
 * A breach in the report of an audit, an act that broke a rule: its place in the transcript,
 * who did it, and whether the rule stood in the agent's window (`standing`): "told", "cut", "lost"
 * (by a compaction), "asleep", "untold", "younger" (the rule's file was changed since) or
 * "not-for-agents" (a boundary of the guard alone). `time`: that of the prompt.
 */
export interface Breach {
  readonly transcript: string;
  readonly line: number;
  readonly turn: number;
  readonly time: string | null;
  readonly agent: string | null;
  readonly what: string;
  readonly standing: string;
  readonly why: string;
  readonly remedy: string;
}

/**
 * A rule in the report of an audit, by what it can be checked, and how it fared. `check` is a
 * check as written, or the patterns of a boundary; `told` the key of the rule that agents are
 * told, null where there is none. `undecided`: how often it applied, and a transcript cannot tell
 * whether it was followed.
 */
export interface AuditedRule {
  readonly key: string;
  readonly told: string | null;
  readonly file: string | null;
  readonly location: Location | null;
  readonly text: string;
  readonly check: string;
  readonly applied: number;
  readonly followed: number;
  readonly broken: number;
  readonly undecided: number;
  readonly remedy: string;
  readonly breaches: readonly Breach[];
}

/**
 * The report of an audit: what past sessions say of the rules. `unchecked` counts the rules
 * that nothing can check; `evidence` says of each transcript what shows what was told:
 * "transcript", "log" or "replay".
 */
export interface Audit {
  readonly transcripts: readonly string[];
  readonly evidence: readonly string[];
  readonly turns: number;
  readonly acts: number;
  readonly unchecked: number;
  readonly rules: readonly AuditedRule[];
}

/** The page of a lint rule, as Markdown. */
export interface RulePage {
  readonly code: string;
  readonly name: string;
  readonly markdown: string;
}

/**
 * What a layer contributes to the block that has changed, byte for byte; "" where it no longer
 * does.
 */
export interface LayerText {
  readonly id: string;
  readonly text: string;
}

/**
 * The block of the next prompt has changed, or the state around it.
 *
 * `layers` are those whose text differs from before, null where none does. `reason`:
 * "loaded", "buffer", "files", "session" or "configuration".
 */
export interface ContextChange {
  readonly root: string;
  readonly hash: string;
  readonly bracket: string;
  readonly remaining: number;
  readonly source: string;
  readonly tokens: number;
  readonly budget: number;
  readonly agent: string | null;
  readonly session: string | null;
  readonly layers: readonly LayerText[] | null;
  readonly reason: string;
}

export const context = method<ContextParams, Context>("synapse/context");
export const explain = method<QuestionParams, Explanation>("synapse/explain");
export const status = method<StatusParams, Status>("synapse/status");
export const domains = method<TreeParams, Domains>("synapse/domains");
export const sessions = method<TreeParams, Sessions>("synapse/sessions");
export const choices = method<TreeParams, Choices>("synapse/choices");
export const squads = method<TreeParams, Squads>("synapse/squads");
export const why = method<WhyParams, Why>("synapse/why");
export const guard = method<GuardParams, Verdict>("synapse/guard");
export const compare = method<CompareParams, Comparison>("synapse/compare");
export const tests = method<TreeParams, Tests>("synapse/tests");
export const runTests = method<RunTestsParams, TestRun>("synapse/runTests");
export const injections = method<InjectionsParams, Injections>("synapse/injections");
export const compact = method<CompactParams, Compaction>("synapse/compact");
export const memory = method<MemoryParams, Memories>("synapse/memory");
export const activation = method<ActivationParams, Activation>("synapse/activation");
export const audit = method<AuditParams, Audit>("synapse/audit");
export const rulePage = method<RulePageParams, RulePage>("synapse/rulePage");
/** A notification of the server. */
export const DID_CHANGE_CONTEXT = "synapse/didChangeContext";
