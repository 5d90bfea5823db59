/** The server's reasons and remedies by their codes, in the language of the editor. Pure. */

import { l10n } from "vscode";
import type { Phrase } from "./protocol";

type Sentence = (...values: readonly string[]) => string;

/** `SENTENCES` of the server's `engine/phrases.py`; a test compares codes and places. */
const SENTENCES: Readonly<Record<string, Sentence>> = {
  constitution: () => l10n.t("the constitution holds always"),
  global: () => l10n.t("it holds for every prompt"),
  context: () => l10n.t("it is for the current bracket"),
  "always-on": () => l10n.t("always on"),
  agent: (...it) => l10n.t("agent @{0} is active", ...it),
  workflow: (...it) => l10n.t("workflow {0} is active", ...it),
  recall: (...it) => l10n.t("the prompt says {0}", ...it),
  recalled: (...it) => l10n.t("a recent prompt said {0}", ...it),
  turns: (...it) => l10n.t("every {0} prompts", ...it),
  "recalled-turns": (...it) => l10n.t("every {0} prompts, and it was so a few prompts ago", ...it),
  tokens: (...it) => l10n.t("more than {0} tokens are used", ...it),
  paths: (...it) => l10n.t("{0} was touched or mentioned", ...it),
  "recalled-paths": (...it) => l10n.t("{0} was touched or mentioned a few prompts ago", ...it),
  "squad-active": (...it) => l10n.t("squad {0} is active", ...it),
  "on-command": () => l10n.t("the prompt asks for the command"),
  "has-commands": () => l10n.t("its commands are told when a prompt asks for them"),
  duplicate: (...it) => l10n.t("the same text stands as {0} in {1}", ...it),
  "too-large": () => l10n.t("cut: the block is larger than the client accepts"),
  "over-budget": (...it) => l10n.t("cut: {0} has a budget of {1} tokens", ...it),
  "in-window": () => l10n.t("stands in the agent's window already"),
  "for-guard": () => l10n.t("read by the guard, not told to the agent"),
  "other-bracket": (...it) => l10n.t("it is for {0}; the bracket is {1}", ...it),
  superseded: () => l10n.t("superseded: Synapse LS itself carries out *synapse …"),
  "no-command": (...it) => l10n.t("the prompt does not say {0}", ...it),
  "other-phase": (...it) => l10n.t("it is for phase {0}; the phase is {1}", ...it),
  degraded: (...it) => l10n.t("its layer could not be assembled ({0})", ...it),
  "not-assembled": () => l10n.t("its section was not assembled"),
  "session-off": () => l10n.t("switched off for this session"),
  inactive: (...it) => l10n.t("{0}_STATE is not active", ...it),
  "no-file": () => l10n.t("it has no rule file"),
  overridden: (...it) => l10n.t("squad domain {0} overrides it while that one is active", ...it),
  independent: (...it) => l10n.t("squad {0} is independent (extends: none) and not active", ...it),
  "other-executor": (...it) => l10n.t("{0} is not for an executor of type {1}", ...it),
  asleep: (...it) => l10n.t("{0} sleeps in {1}", ...it),
  "asleep-until": (...it) => l10n.t("{0} sleeps in {1} until {2} ({3} left)", ...it),
  "asleep-matched": (...it) => l10n.t("{0} sleeps in {1} (“{2}” matches)", ...it),
  "asleep-until-matched": (...it) =>
    l10n.t("{0} sleeps in {1} until {2} ({3} left) (“{4}” matches)", ...it),
  excluded: (...it) => l10n.t("the prompt says “{0}”, which excludes it", ...it),
  "excluded-global": (...it) => l10n.t("the prompt says “{0}”, which stops all recall", ...it),
  "no-agent": (...it) => l10n.t("it is for @{0}; no agent is active", ...it),
  "other-agent": (...it) => l10n.t("it is for @{1}; @{0} is active", ...it),
  "no-workflow": (...it) => l10n.t("it is for workflow {0}; none is active", ...it),
  "other-workflow": (...it) => l10n.t("it is for workflow {1}; {0} is active", ...it),
  "no-keyword": (...it) => l10n.t("the prompt has none of its keywords ({0})", ...it),
  "waits-turns": (...it) => l10n.t("it is told every {0} prompts", ...it),
  "waits-tokens": (...it) => l10n.t("fewer than {0} tokens are known to be used", ...it),
  "waits-paths": (...it) => l10n.t("no file of {0} was touched or mentioned", ...it),
  untriggered: () =>
    l10n.t("nothing can wake it: it has no trigger, no keywords and is not always on"),
  "remove-duplicate": (...it) => l10n.t("remove one of the two ({0})", ...it),
  "shorten-state": () => l10n.t("shorten or split the rules of this state"),
  "shorten-kept": () =>
    l10n.t("shorten rules that are kept, or mark the domain _NON_NEGOTIABLE=true"),
  "try-bracket": (...it) => l10n.t("try the bracket {0}", ...it),
  "delete-command": () => l10n.t("delete it from the tree"),
  "write-command": (...it) => l10n.t("write {0} in the prompt", ...it),
  "move-phase": (...it) => l10n.t("move the workflow on to {0}", ...it),
  "report-bug": () => l10n.t("report this as a bug"),
  "drop-override": (...it) => l10n.t("drop the session's override {0}_STATE", ...it),
  "set-active": (...it) => l10n.t("set {0}_STATE=active in {1}", ...it),
  "create-file": (...it) => l10n.t("create {0}", ...it),
  extend: (...it) => l10n.t("set extends to extend, or mark {0}_NON_NEGOTIABLE=true", ...it),
  "activate-squad": (...it) => l10n.t("activate the squad {0}", ...it),
  "change-executor": () => l10n.t("change the executor's type"),
  "use-live": () => l10n.t("set the profile synapse-live in .synapse/config.toml"),
  "drop-exclude": () => l10n.t("take the word out of _EXCLUDE"),
  "drop-global-exclude": () => l10n.t("take the word out of GLOBAL_EXCLUDE"),
  "activate-agent": (...it) => l10n.t("activate @{0}", ...it),
  "start-workflow": (...it) => l10n.t("start workflow {0}", ...it),
  "say-keyword": (...it) => l10n.t("say “{0}” in the prompt", ...it),
  "give-trigger": (...it) => l10n.t("give it {0}_RECALL, a trigger, or {0}_ALWAYS_ON=true", ...it),
};

/** Undefined for a code that a newer server brings. */
export function sentenceOf({ code, values }: Phrase): string | undefined {
  return SENTENCES[code]?.(...values);
}
