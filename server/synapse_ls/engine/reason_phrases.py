"""The reasons why a rule is in a block or not, and the remedies, as codes with sentences.

Translations are found by the code: a code is never renamed, and its values keep their order.
Sentences begin in lower case and end without a full stop.
"""

from typing import NamedTuple

SENTENCES = {
    # why a rule is told
    "constitution": "the constitution holds always",
    "global": "it holds for every prompt",
    "context": "it is for the current bracket",
    "session": "a session is active",
    "handoff": "an agent or a task is at work",
    "always-on": "always on",
    "agent": "agent @{0} is active",
    "workflow": "workflow {0} is active",
    "recall": "the prompt says {0}",
    "recalled": "a recent prompt said {0}",
    "turns": "every {0} prompts",
    "recalled-turns": "every {0} prompts, and it was so a few prompts ago",
    "tokens": "more than {0} tokens are used",
    "paths": "{0} was touched or mentioned",
    "recalled-paths": "{0} was touched or mentioned a few prompts ago",
    "identity": "it says who the agent is",
    "short-term": "it is the work at hand",
    "memory": "found with a score of {0}: {1}",
    "recalled-memory": "found a few prompts ago with a score of {0}: {1}",
    "section": "it is always injected",
    "squad-active": "squad {0} is active",
    "on-command": "the prompt asks for the command",
    "has-commands": "its commands are injected when a prompt asks for them",
    # why a rule of a domain that takes part is not told
    "duplicate": "the same text is {0} in {1}",
    "too-large": "it does not fit into what the client accepts",
    "over-budget": "it does not fit into the budget of {0} ({1} tokens)",
    "late": "it does not fit into the budget of {0} ({1} tokens); "
    "most clients inject it with the next replies",
    "other-part": "the process injects other parts of the file",
    "in-window": "it is in context already",
    "told": "it was injected with prompt {0}",
    "follows": "it follows with one of the next replies",
    "for-guard": "read by the guard, not injected",
    "other-bracket": "it is for {0}; the bracket is {1}",
    "other-mode": "it is for mode {0}; the mode is {1}",
    "replaced": "{0} says it instead",
    "nearer": "the nearer {0} has {1} too, and CARL v2 takes all of it from there",
    "superseded": "superseded: Synapse LS itself carries out *synapse …",
    "no-command": "the prompt does not say {0}",
    "other-phase": "it is for phase {0}; the phase is {1}",
    "degraded": "its layer could not be assembled ({0})",
    "not-assembled": "its section was not assembled",
    # why a domain does not take part
    "session-off": "switched off for this session",
    "inactive": "{0}_STATE is not active",
    "no-file": "it has no rule file",
    "overridden": "squad domain {0} overrides it while that one is active",
    "independent": "squad {0} is independent (extends: none) and not active",
    "other-executor": "{0} is not for an executor of type {1}",
    "asleep": "{0} is inactive in {1}",
    "asleep-until": "{0} is inactive in {1} until {2} ({3} left)",
    "asleep-matched": '{0} is inactive in {1} ("{2}" matches)',
    "asleep-until-matched": '{0} is inactive in {1} until {2} ({3} left) ("{4}" matches)',
    "native": "{0} reads {1} by itself",
    "native-main": "{0} reads {1} by itself, but not for its sub-agents {2}",
    "elsewhere": "it is not injected for {0}, which reads {1} by itself",
    "own-by": "it is not injected for clients that read other instructions of the project by "
    "themselves ({0})",
    "read-by": "it is not injected for clients that read {1} by themselves ({0})",
    "on-request": "it is injected for nobody: {0}",
    "excluded": 'the prompt says "{0}", which excludes it',
    "excluded-global": 'the prompt says "{0}", which stops all recall',
    "nobody": "no agent and no task is active",
    "no-agent": "no agent is active, not @{0}",
    "other-agent": "@{0} is active, not @{1}",
    "no-workflow": "no workflow is active, not {0}",
    "other-workflow": "{0} is active, not {1}",
    "no-keyword": "the prompt has none of its keywords ({0})",
    "waits-turns": "it is injected every {0} prompts",
    "waits-tokens": "fewer than {0} tokens are known to be used",
    "waits-paths": "no file of {0} was touched or mentioned",
    "untriggered": "nothing can activate it: it has no trigger, no keywords and is not always on",
    "not-in-process": "the process of {0} does not inject it",
    "weak-memory": "found with a score of {0}, which is too little",
    "memory-too-many": "found with a score of {0}, but only the best {1} memories are injected",
    "remembered": "it is remembered: {0}",
    "memory-not-own": "a clone gets only what is its own",
    "memory-expired": "it expired on {0}",
    "memory-over": "its time is over",
    "memory-begins": "this bracket wants no memories; a new window begins with a person's "
    "corrections and, in some profiles, with HOT ones (a person confirmed them, "
    "or they have proved themselves)",
    "memory-cold": "its score of {0} is COLD, which only a search finds",
    "memory-unmatched": "nothing in the prompt or the work matches it",
    "memory-no-room": "the {0} tokens for memories are used up",
    "memory-private": "it is private to @{0}",
    "memory-archived": "it lies in the archive",
    "memory-owed": "the last block had no room or no time for it; a later one injects it",
    "no-memories": "no memories are injected: {0}",
    "no-words": "neither the prompt nor the work at hand has a word that it is about",
    # what would change that
    "remove-duplicate": "remove one of the two ({0})",
    "move-nearer": "write into {0} what is missing there, or take {1} out of that file",
    "shorten-state": "shorten or split the rules of this state",
    "shorten-kept": "shorten what is kept: section {0} takes {1} tokens, and the budget is {2}",
    "whole-block": "run `synapse profile use synapse-live`, in which a first block is whole; or "
    "shorten what is kept: section {0} takes {1} tokens, and the budget is {2}",
    "try-bracket": "try --bracket {0}",
    "delete-command": "delete it from the tree",
    "write-command": "write {0} in the prompt",
    "move-phase": "move the workflow on to {0}",
    "report-bug": "report this as a bug",
    "drop-override": "drop the session's override {0}_STATE",
    "set-active": "set {0}_STATE=active in {1}",
    "create-file": "create {0}",
    "extend": "set extends to extend, or mark {0}_NON_NEGOTIABLE=true",
    "activate-squad": "activate the squad, for example with --squad {0}",
    "change-executor": "change the executor's type",
    "use-live": "run `synapse profile use synapse-live`",
    "wake-layer": 'add "{0}" to the layers in [profiles.{1}.brackets.{2}] of .synapse/config.toml',
    "say-words": "name it in the prompt, or give it tags that say what it is about",
    "more-memories": "raise brainiac.memories in .synapse/config.toml",
    "restore-memory": "restore it with `synapse memory restore {0}`",
    "later-expiry": "if it still holds, give it a later `expires` in {0}",
    "vouch-memory": "if you confirm it, set `explicit: true` in {0}",
    "fewer-memories": "shorten or forget memories that rank before it",
    "enable-memories": "set enabled = true under [memory] in .synapse/config.toml",
    "drop-exclude": "take the word out of _EXCLUDE",
    "drop-global-exclude": "take the word out of GLOBAL_EXCLUDE",
    "activate-agent": "activate @{0}",
    "start-workflow": "start workflow {0}",
    "start-workflow-in": "start workflow {0}, and try --bracket {1}",
    "start-workflow-live": "start workflow {0}, and run `synapse profile use synapse-live`",
    "say-keyword": 'say "{0}" in the prompt',
    "say-keyword-in": 'say "{0}" in the prompt, and try --bracket {1}',
    "say-keyword-live": 'say "{0}" in the prompt, and run `synapse profile use synapse-live`',
    "give-trigger": "give it {0}_RECALL, a trigger, or {0}_ALWAYS_ON=true",
}

# What people call the layers of all rule systems.
LAYER_NAMES = {
    "L0": "constitution", "L1": "global", "L2": "agent", "L3": "workflow", "L4": "task",
    "L5": "squad", "L6": "keyword", "L7": "star-command", "IDENTITY": "core identity",
    "STM": "short-term memory", "LTM": "long-term memory", "EVENT": "new event", "LOG": "event log",
    "CANDIDATES": "promotion candidates", "ACCESS": "access patterns", "SECTIONS": "sections",
}  # fmt: skip

# Remedies that can be tried out by asking again: which parameters of a question their values are
# for.
ATTEMPTS = {
    "try-bracket": ("bracket",),
    "activate-squad": ("squad",),
    "activate-agent": ("agent",),
    "start-workflow": ("workflow",),
    "move-phase": ("phase",),
    "say-keyword": ("prompt",),
    "write-command": ("prompt",),
    "start-workflow-in": ("workflow", "bracket"),
    "say-keyword-in": ("prompt", "bracket"),
}


class Phrase(NamedTuple):
    """A reason or a remedy: ``code`` is a key of `SENTENCES`; ``values`` fill its places."""

    code: str
    values: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The phrase in English."""
        return SENTENCES[self.code].format(*self.values)

    @property
    def attempt(self) -> dict[str, str] | None:
        """What to ask in addition to see it come true; what is for ``prompt`` is added to that.
        None: not by asking.
        """
        parameters = ATTEMPTS.get(self.code)
        return None if parameters is None else dict(zip(parameters, self.values, strict=False))


def make_phrase(code: str, *values: object) -> Phrase:
    """Return the phrase of ``code`` with ``values`` in their places."""
    return Phrase(code, tuple(map(str, values)))


class Explanation(NamedTuple):
    """Why something is so (several phrases all hold), and the smallest change of it, if one is
    known.
    """

    reasons: tuple[Phrase, ...]
    remedy_phrase: Phrase | None = None

    @property
    def reason(self) -> str:
        """Why, in English."""
        return "; ".join(reason.sentence for reason in self.reasons)

    @property
    def remedy(self) -> str:
        """The change in English; "" where there is none."""
        return self.remedy_phrase.sentence if self.remedy_phrase else ""

    @property
    def attempt(self) -> dict[str, str] | None:
        """What to ask in addition to see the change come true; None where files must change."""
        return self.remedy_phrase.attempt if self.remedy_phrase else None


def explain(code: str, *values: object, remedy: Phrase | None = None) -> Explanation:
    """Return the explanation by the one reason of ``code``, and what would change it."""
    return Explanation((make_phrase(code, *values),), remedy)
