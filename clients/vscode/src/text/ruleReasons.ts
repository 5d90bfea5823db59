/**
 * This module translates the server's reasons and remedies into the editor's language, and finds
 * remedies that can be tried. Pure.
 */

import { l10n } from "vscode";
import { clientTitle } from "../hooks/installChoices";
import type { RemedyAttempt } from "../panel/panelMessages";
import { parseSimulation } from "../panel/panelState";
import type { Phrase, Reason } from "../protocol";

type TranslateSentence = (...values: readonly string[]) => string;

/** `SENTENCES` of the server's `engine/reason_phrases.py`; a test compares codes and places. */
const SENTENCES: Readonly<Record<string, TranslateSentence>> = {
  constitution: () => l10n.t("the constitution holds always"),
  global: () => l10n.t("it holds for every prompt"),
  context: () => l10n.t("it is for the current bracket"),
  session: () => l10n.t("a session is active"),
  handoff: () => l10n.t("an agent or a task is at work"),
  "always-on": () => l10n.t("always on"),
  agent: (...values) => l10n.t("agent @{0} is active", ...values),
  workflow: (...values) => l10n.t("workflow {0} is active", ...values),
  recall: (...values) => l10n.t("the prompt says {0}", ...values),
  recalled: (...values) => l10n.t("a recent prompt said {0}", ...values),
  turns: (...values) => l10n.t("every {0} prompts", ...values),
  "recalled-turns": (...values) =>
    l10n.t("every {0} prompts, and it was so a few prompts ago", ...values),
  tokens: (...values) => l10n.t("more than {0} tokens are used", ...values),
  paths: (...values) => l10n.t("{0} was touched or mentioned", ...values),
  "recalled-paths": (...values) =>
    l10n.t("{0} was touched or mentioned a few prompts ago", ...values),
  identity: () => l10n.t("it says who the agent is"),
  "short-term": () => l10n.t("it is the work at hand"),
  memory: (...values) => l10n.t("found with a score of {0}: {1}", ...values),
  "recalled-memory": (...values) =>
    l10n.t("found a few prompts ago with a score of {0}: {1}", ...values),
  section: () => l10n.t("it is always injected"),
  "squad-active": (...values) => l10n.t("squad {0} is active", ...values),
  "on-command": () => l10n.t("the prompt asks for the command"),
  "has-commands": () => l10n.t("its commands are injected when a prompt asks for them"),
  duplicate: (...values) => l10n.t("the same text is {0} in {1}", ...values),
  "too-large": () => l10n.t("it does not fit into what the client accepts"),
  "over-budget": (...values) =>
    l10n.t("it does not fit into the budget of {0} ({1} tokens)", ...values),
  late: (...values) =>
    l10n.t(
      "it does not fit into the budget of {0} ({1} tokens); most clients inject it with the next replies",
      ...values,
    ),
  "other-part": () => l10n.t("the process injects other parts of the file"),
  "in-window": () => l10n.t("it is in context already"),
  told: (...values) => l10n.t("it was injected with prompt {0}", ...values),
  follows: () => l10n.t("it follows with one of the next replies"),
  "for-guard": () => l10n.t("read by the guard, not injected"),
  "other-bracket": (...values) => l10n.t("it is for {0}; the bracket is {1}", ...values),
  "other-mode": (...values) => l10n.t("it is for mode {0}; the mode is {1}", ...values),
  replaced: (...values) => l10n.t("{0} says it instead", ...values),
  nearer: (...values) =>
    l10n.t("the nearer {0} has {1} too, and CARL v2 takes all of it from there", ...values),
  superseded: () => l10n.t("superseded: Synapse LS itself carries out *synapse …"),
  "no-command": (...values) => l10n.t("the prompt does not say {0}", ...values),
  "other-phase": (...values) => l10n.t("it is for phase {0}; the phase is {1}", ...values),
  degraded: (...values) => l10n.t("its layer could not be assembled ({0})", ...values),
  "not-assembled": () => l10n.t("its section was not assembled"),
  "session-off": () => l10n.t("switched off for this session"),
  inactive: (...values) => l10n.t("{0}_STATE is not active", ...values),
  "no-file": () => l10n.t("it has no rule file"),
  overridden: (...values) =>
    l10n.t("squad domain {0} overrides it while that one is active", ...values),
  independent: (...values) =>
    l10n.t("squad {0} is independent (extends: none) and not active", ...values),
  "other-executor": (...values) => l10n.t("{0} is not for an executor of type {1}", ...values),
  asleep: (...values) => l10n.t("{0} is inactive in {1}", ...values),
  "asleep-until": (...values) => l10n.t("{0} is inactive in {1} until {2} ({3} left)", ...values),
  "asleep-matched": (...values) => l10n.t("{0} is inactive in {1} (“{2}” matches)", ...values),
  "asleep-until-matched": (...values) =>
    l10n.t("{0} is inactive in {1} until {2} ({3} left) (“{4}” matches)", ...values),
  native: (client = "", ...values) =>
    l10n.t("{0} reads {1} by itself", clientTitle(client), ...values),
  "native-main": (client = "", ...values) =>
    l10n.t(
      "{0} reads {1} by itself, but not for its sub-agents {2}",
      clientTitle(client),
      ...values,
    ),
  elsewhere: (client = "", ...values) =>
    l10n.t("it is not injected for {0}, which reads {1} by itself", clientTitle(client), ...values),
  "own-by": (clients = "") =>
    l10n.t(
      "it is not injected for clients that read other instructions of the project by themselves ({0})",
      clientTitles(clients),
    ),
  "read-by": (clients = "", ...values) =>
    l10n.t(
      "it is not injected for clients that read {1} by themselves ({0})",
      clientTitles(clients),
      ...values,
    ),
  "on-request": (...values) => l10n.t("it is injected for nobody: {0}", ...values),
  excluded: (...values) => l10n.t("the prompt says “{0}”, which excludes it", ...values),
  "excluded-global": (...values) =>
    l10n.t("the prompt says “{0}”, which stops all recall", ...values),
  nobody: () => l10n.t("no agent and no task is active"),
  "no-agent": (...values) => l10n.t("it is for @{0}; no agent is active", ...values),
  "other-agent": (...values) => l10n.t("it is for @{1}; @{0} is active", ...values),
  "no-workflow": (...values) => l10n.t("it is for workflow {0}; none is active", ...values),
  "other-workflow": (...values) => l10n.t("it is for workflow {1}; {0} is active", ...values),
  "no-keyword": (...values) => l10n.t("the prompt has none of its keywords ({0})", ...values),
  "waits-turns": (...values) => l10n.t("it is injected every {0} prompts", ...values),
  "waits-tokens": (...values) => l10n.t("fewer than {0} tokens are known to be used", ...values),
  "waits-paths": (...values) => l10n.t("no file of {0} was touched or mentioned", ...values),
  untriggered: () =>
    l10n.t("nothing can activate it: it has no trigger, no keywords and is not always on"),
  "not-in-process": (...values) => l10n.t("the process of {0} does not inject it", ...values),
  "weak-memory": (...values) =>
    l10n.t("found with a score of {0}, which is too little beside what fits better", ...values),
  "memory-too-many": (...values) =>
    l10n.t("found with a score of {0}, but only the best {1} memories are injected", ...values),
  remembered: (...values) => l10n.t("it is remembered: {0}", ...values),
  "memory-not-own": () => l10n.t("a clone gets only what is its own"),
  "memory-expired": (...values) => l10n.t("it expired on {0}", ...values),
  "memory-over": () => l10n.t("its time is over"),
  "memory-begins": () =>
    l10n.t(
      "this bracket wants no memories; a new window begins with a person's corrections and, in some profiles, with HOT ones (a person confirmed them, or they have proved themselves)",
    ),
  "memory-cold": (...values) =>
    l10n.t("its score of {0} is COLD, which only a search finds", ...values),
  "memory-unmatched": () => l10n.t("nothing in the prompt or the work matches it"),
  "memory-no-room": (...values) => l10n.t("the {0} tokens for memories are used up", ...values),
  "memory-private": (...values) => l10n.t("it is private to @{0}", ...values),
  "memory-archived": () => l10n.t("it lies in the archive"),
  "memory-owed": () =>
    l10n.t("the last block had no room or no time for it; a later one injects it"),
  "no-memories": (...values) => l10n.t("no memories are injected: {0}", ...values),
  "no-words": () => l10n.t("neither the prompt nor the work at hand has a word that it is about"),
  "remove-duplicate": (...values) => l10n.t("remove one of the two ({0})", ...values),
  "move-nearer": (...values) =>
    l10n.t("write into {0} what is missing there, or take {1} out of that file", ...values),
  "shorten-state": () => l10n.t("shorten or split the rules of this state"),
  "shorten-kept": (...values) =>
    l10n.t("shorten what is kept: section {0} takes {1} of the {2} tokens", ...values),
  "whole-block": (...values) =>
    l10n.t(
      "choose the profile synapse-live, in which a first block is whole; or shorten what is kept: section {0} takes {1} of the {2} tokens",
      ...values,
    ),
  "try-bracket": (...values) => l10n.t("try the bracket {0}", ...values),
  "delete-command": () => l10n.t("delete it from the tree"),
  "write-command": (...values) => l10n.t("write {0} in the prompt", ...values),
  "move-phase": (...values) => l10n.t("move the workflow on to {0}", ...values),
  "report-bug": () => l10n.t("report this as a bug"),
  "drop-override": (...values) => l10n.t("drop the session's override {0}_STATE", ...values),
  "set-active": (...values) => l10n.t("set {0}_STATE=active in {1}", ...values),
  "create-file": (...values) => l10n.t("create {0}", ...values),
  extend: (...values) =>
    l10n.t("set extends to extend, or mark {0}_NON_NEGOTIABLE=true", ...values),
  "activate-squad": (...values) => l10n.t("activate the squad {0}", ...values),
  "change-executor": () => l10n.t("change the executor's type"),
  "use-live": () => l10n.t("choose the profile synapse-live"),
  "wake-layer": (...values) =>
    l10n.t(
      "add “{0}” to the layers in [profiles.{1}.brackets.{2}] of .synapse/config.toml",
      ...values,
    ),
  "say-words": () => l10n.t("name it in the prompt, or give it tags that say what it is about"),
  "more-memories": () => l10n.t("raise brainiac.memories in .synapse/config.toml"),
  "restore-memory": (...values) => l10n.t("restore {0} in the view Memory", ...values),
  "later-expiry": (...values) =>
    l10n.t("if it still holds, give it a later `expires` in {0}", ...values),
  "vouch-memory": (...values) =>
    l10n.t("if you confirm it, set `explicit: true` in {0}", ...values),
  "fewer-memories": () => l10n.t("shorten or forget memories that rank before it"),
  "enable-memories": () => l10n.t("set enabled = true under [memory] in .synapse/config.toml"),
  "drop-exclude": () => l10n.t("take the word out of _EXCLUDE"),
  "drop-global-exclude": () => l10n.t("take the word out of GLOBAL_EXCLUDE"),
  "activate-agent": (...values) => l10n.t("activate @{0}", ...values),
  "start-workflow": (...values) => l10n.t("start workflow {0}", ...values),
  "start-workflow-in": (...values) =>
    l10n.t("start workflow {0}, and try the bracket {1}", ...values),
  "start-workflow-live": (...values) =>
    l10n.t("start workflow {0}, and choose the profile synapse-live", ...values),
  "say-keyword": (...values) => l10n.t("say “{0}” in the prompt", ...values),
  "say-keyword-in": (...values) =>
    l10n.t("say “{0}” in the prompt, and try the bracket {1}", ...values),
  "say-keyword-live": (...values) =>
    l10n.t("say “{0}” in the prompt, and choose the profile synapse-live", ...values),
  "give-trigger": (...values) =>
    l10n.t("give it {0}_RECALL, a trigger, or {0}_ALWAYS_ON=true", ...values),
};

/** Returns the titles of clients for their ids, both with commas between them. */
function clientTitles(clients: string): string {
  return clients.split(", ").map(clientTitle).join(", ");
}

/** Translates a phrase; undefined for a code that only a newer server knows. */
export function translatePhrase({ code, values }: Phrase): string | undefined {
  return SENTENCES[code]?.(...values);
}

/** Returns the reason in the editor's language; in English where its code is unknown. */
export function translateReason({ because, reason }: Reason): string {
  const sentences = because?.map(translatePhrase) ?? [undefined];
  return sentences.includes(undefined) ? reason : sentences.join("; ");
}

/** Returns the remedy in the editor's language; "" where there is none. */
export function translateRemedy({ change, remedy }: Reason): string {
  return (change && translatePhrase(change)) ?? remedy;
}

/** Returns the change that can be tried in the Context panel without changing a file. */
export function remedyAttempt({ attempt }: Reason): RemedyAttempt | undefined {
  const { prompt = "", ...change } = parseSimulation(attempt);
  const [firstValue] = Object.values(change);
  if (prompt === "" && firstValue === undefined) {
    return undefined;
  }
  const value =
    prompt === "" ? String(firstValue) : prompt.startsWith("*") ? prompt : `“${prompt}”`;
  const label = change.agent === undefined ? value : `@${value}`;
  return { label: l10n.t("Try {0}", label), change, word: prompt };
}
