"""Change the state of a session: prompts, usage, compactions, active work, window content.

``now`` is in seconds since the epoch.
"""

from __future__ import annotations

from synapse_ls.engine import delivery_difference
from synapse_ls.engine.active_task import find_story_path
from synapse_ls.engine.context_usage import shrink_reason, used_amount
from synapse_ls.formats import session_file, window_state
from synapse_ls.formats.session_values import COMPACTION, PASSES, STANDS, UNSURE
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Final

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation

TITLE_LENGTH: Final = 50
LEDGER_LENGTH: Final = 50
LONG_ABSENCE: Final = 12 * 3600.0  # seconds after which somebody may have forgotten the work
MAX_WAITING: Final = 24  # tasks of other agents that a session keeps

_TITLE_SOURCE: Final = 1000  # characters of a prompt that are looked at for its title


def record_prompt(session: session_file.SessionState, prompt: str, now: float) -> None:
    """Record a prompt in the session, and take the title from the first one that has one to
    give.
    """
    session.context.prompts = session.prompts_since_compaction + 1
    session.prompt_count += 1
    session.last_activity = format_timestamp(now)
    if not session.title:
        session.title = title_of(prompt)


def record_compaction(session: session_file.SessionState, now: float) -> None:
    """Record a compaction in the session; the prompts that estimate the usage start again at 0, and
    what a client repeats of the window before says nothing now.
    """
    context = session.context
    outdated = context.figures.get("used")
    context.forget(COMPACTION)
    context.outdated_used = outdated
    context.compactions += 1
    session.last_activity = format_timestamp(now)


def record_usage(
    session: session_file.SessionState, bracket: str, tokens_used: int | None, percent: float
) -> None:
    """Record what was last known of the window: bracket, tokens used (None: unknown), percent
    left.
    """
    context = session.context
    context.bracket = bracket
    if tokens_used is not None:
        context.tokens_used = tokens_used
    context.percent_left = percent


# Without one of these, words of letters alone hold no secret: the search for some is slow to load.
_SECRET_SIGNS: Final = (
    ":", "pass", "pwd", "pw", "key", "token", "secret", "phrase", "mnemonic", "auth", "cred",
    "senha", "clave", "chave", "chiave", "kennwort", "jeton", "parola", "heslo", "salasana",
    "wachtwoord", "adgangskode", "geheim", "segred", "segret", "zugang", "licen", "bearer", "psk",
    "cookie", "salt", "dsn", "jwt",
)  # fmt: skip


def title_of(prompt: str) -> str | None:
    """Return the title that recording a ``prompt`` gives a session, on one line, or None if it
    gives none.

    Star-commands, single words and texts of fewer than three characters give none; others their
    first 50 characters, cut back to the last space.
    """
    text = prompt.lstrip()
    if len(text) > _TITLE_SOURCE:  # … without a part of a secret, which nothing would mask
        text = text[:_TITLE_SOURCE].rpartition(" ")[0]
    if text.startswith("*"):
        return None
    words = [word.lstrip("*@").rstrip(".,;?!") for word in text.split()]
    is_plain = text.isascii() and all(
        word.isalpha() and (word[1:] == word[1:].lower() or (word.isupper() and len(word) < 6))
        for word in words
    )
    if not is_plain or any(map(text.lower().__contains__, _SECRET_SIGNS)):
        from synapse_ls.text import hidden_characters, secret_masking

        # First masked, then without what nobody sees: a part of that would hide a secret.
        text = hidden_characters.text_layers(secret_masking.mask_secrets(text))[0][0]
    text = "".join(filter(str.isprintable, " ".join(text.split())))
    if len(text) < 3 or " " not in text:
        return None
    head = text[:TITLE_LENGTH]
    return (head.rpartition(" ")[0] or head) if len(text) > TITLE_LENGTH else head


def set_override(session: session_file.SessionState, key: str, value: bool | None) -> None:
    """Override ``DEVMODE`` or a ``{DOMAIN}_STATE``; None takes the override away."""
    overrides = {name: override for name, override in session.overrides.items() if name != key}
    session.overrides = overrides if value is None else {**session.overrides, key: value}


def activate_agent(
    session: session_file.SessionState, agent: str | None, *, quality: str = "", now: float
) -> None:
    """Make ``agent`` the active one of a session.

    ``quality``: how it was activated, "full", "partial" or "fallback"; "" leaves what is known of
    that as it is, None of an agent that was only called.
    """
    if agent is None or session.agent.id != agent:
        session.agent = session_file.ActiveAgent()
    if agent is None:
        return
    active = session.agent
    active.id = agent
    active.activated_at = active.activated_at or format_timestamp(now)
    active.quality = quality or active.quality
    session.history.agents = _append_to_ledger(session.history.agents, (agent,))


def set_workflow(
    session: session_file.SessionState, workflow: str | None, phase: str | None, now: float
) -> None:
    """Make ``workflow`` the active one, in no instance and at no step in particular, or update its
    phase.
    """
    if workflow is None:
        session.workflow = None
        return
    active = session.workflow
    if active is None or (active.id, active.instance_id) != (workflow, None):
        active = session.workflow = session_file.ActiveWorkflow()
    active.id, active.step, active.phase = workflow, None, phase
    active.started_at = active.started_at or format_timestamp(now)


def set_task(
    session: session_file.SessionState, task: str | None, story: str | None, now: float
) -> None:
    """Make ``task`` the active one, of no executor in particular, or update its story."""
    if task is None:
        session.task = None
        return
    active = session.task
    if active is None or active.id != task:
        active = session.task = session_file.ActiveTask()
    active.id, active.story, active.executor = task, story, None
    active.started_at = active.started_at or format_timestamp(now)


def record_work(
    session: session_file.SessionState, plan: Plan, situation: Situation, now: float
) -> None:
    """Record who is at work on what after a prompt or a change: the words that still hold, and
    those of the prompt.
    """
    if (spoken_work := situation.said) is not None:
        session.workflow, session.squad, session.task = (
            spoken_work.workflow,
            spoken_work.squad,
            spoken_work.task,
        )
        session.waiting_tasks = dict(spoken_work.waiting)
        if session.workflow is not None:
            session.workflow.phase = spoken_work.phase or None
        states = session_file.SeenStates()
        states.files, states.latest = spoken_work.seen, spoken_work.latest
        session.seen_states = states
        if spoken_work.is_handed_over and situation.agent_source == "state":
            session.agent = session_file.ActiveAgent()
    if situation.unheard:
        session.mention_explained = session.mention_explained or situation.turn
    workflow, phase = situation.detected
    session.detected = (
        session_file.DetectedWork({"id": workflow, "phase": phase}) if workflow else None
    )
    if situation.agent_source == "prompt":
        activate_agent(session, situation.agent or None, now=now)
    if situation.task_source == "command":
        # Make the task of a command the last one.
        agent, last = situation.agent, session.task
        waiting = {name: task for name, task in session.waiting_tasks.items() if name != agent}
        if last is not None and last.agent and last.agent != agent:
            waiting[last.agent] = last
        session.waiting_tasks = dict(list(waiting.items())[-MAX_WAITING:])
        session.task = _taken_task(plan, situation, now)


def record_window_task(
    session: session_file.SessionState, key: str, plan: Plan, situation: Situation, now: float
) -> None:
    """Record the task that a prompt takes up in a sub-agent's window, which is that window's
    only.
    """
    open_windows = session.window_keys()
    tasks = {name: task for name, task in session.window_tasks.items() if name in open_windows}
    tasks.pop(key, None)
    if situation.task_source == "command":
        tasks[key] = _taken_task(plan, situation, now)
    session.window_tasks = tasks


def _taken_task(plan: Plan, situation: Situation, now: float) -> session_file.ActiveTask:
    """Return the task that a command has taken up, with its story by an id that finds it again."""
    facts, story = situation.task_facts, situation.story
    if facts is not None and facts.story_path:
        is_enough = find_story_path(plan.stories, facts.story) == facts.story_path
        story = facts.story if is_enough else facts.story_path
    task = session_file.ActiveTask()
    task.id, task.story, task.agent = situation.task, story or None, situation.agent or None
    task.executor = (facts.executor if facts else "") or None
    task.started_at = format_timestamp(now)
    task.story_was_done = facts is not None and facts.story_state == "done"
    return task


def record_star_commands(session: session_file.SessionState, names: Iterable[str]) -> None:
    """Record star-commands as used, the most recent last."""
    history = session.history
    history.star_commands = _append_to_ledger(history.star_commands, names)


def _append_to_ledger(ledger: tuple[str, ...], items: Iterable[str]) -> tuple[str, ...]:
    """Move or add ``items`` to the end of a ledger that holds each once, and drop its oldest."""
    new = tuple(dict.fromkeys(items))
    return (*(item for item in ledger if item not in new), *new)[-LEDGER_LENGTH:]


RECALL_PROMPTS = 10  # prompts for which a match is kept, though its domain may be gone before
BLIND_PROMPTS = 4  # prompts after which all is told again where a compaction would not be seen


class WindowContent(Record):
    """What a window holds of blocks. full_reason: why rules are told that may stand, "" where a
    difference will do. repeat: which of them (`delivery_difference`). is_compacted: its history was
    compacted and nothing was told since, so that the next reply tells everything. keeps: whether
    the client keeps what it is given. is_new_agent: the agent has come into the window since the
    last reply.

    uncertain: what it may hold beside that, which has to be taken back once it is not wanted. owed:
    memories that begin a window were cut from the last reply, or late for it. files: identity of a
    memory -> its file and the time of that, when it was delivered. bracket: name of the one that
    was told last, "".
    """

    stands: window_state.StandingEntries
    full_reason: str
    uncertain: window_state.StandingEntries
    repeat: str = ""
    is_compacted: bool = False
    keeps: bool = True
    is_new_agent: bool = False
    owed: bool = False
    files: Mapping[str, window_state.MemoryFile] | None = None
    bracket: str = ""

    @property
    def memory_identities(self) -> set[str]:
        """The identities of the memories that the window holds, or may hold."""
        return {
            identity
            for part in (self.stands, self.uncertain)
            for heading, entries in part.items()
            if _is_memory_heading(heading)
            for identity in entries
        }

    def without_memories(self) -> tuple[window_state.StandingEntries, window_state.StandingEntries]:
        """Return what the window holds and may hold, without its memories."""
        stands, maybe = (
            {
                heading: entries
                for heading, entries in part.items()
                if not _is_memory_heading(heading)
            }
            for part in (self.stands, self.uncertain)
        )
        return stands, maybe


def _is_memory_heading(heading: str) -> bool:
    """Return whether memories stand under a heading, in whatever grammar."""
    return "memory" in heading.lower()


def window_content(
    plan: Plan,
    situation: Situation,
    window: window_state.WindowState,
    *,
    keeps: bool = True,
    within_turn: bool = False,
) -> WindowContent:
    """Return what the window holds in ``situation``, and whether the full block is due.

    keeps: whether the client keeps what it injects. within_turn: something happens within a turn,
    whose prompt was given everything that each prompt is given.
    """
    stands, maybe = window.standing, window.doubtful
    if within_turn:
        stands = delivery_difference.merge_standing(stands, window.passing)
    else:
        maybe = delivery_difference.merge_standing(maybe, window.passing)
    if not stands:
        why = "nothing is in context"
        return WindowContent({}, why, maybe, is_compacted=window.is_compacted, keeps=keeps)
    if why := shrink_reason(window, situation.usage):
        return WindowContent(
            {}, why, delivery_difference.merge_standing(stands, maybe), keeps=keeps
        )
    if not within_turn:
        if not keeps:
            return WindowContent({}, "this client keeps nothing", {}, keeps=False)
        if plan.settings["injection"] == "always":
            why = "every prompt gets the full block (injection = always)"
            return WindowContent({}, why, delivery_difference.merge_standing(stands, maybe))
    brackets = plan.profile.brackets
    repeat, why = delivery_difference.refresh_due(
        window, situation.turn, situation.bracket, situation.usage, brackets
    )
    wanted = plan.settings["refresh"]
    if (
        window.history is not None
        and not window.history[0]
        and situation.turn - (window.full_block_prompt or 0) >= BLIND_PROMPTS
    ):
        repeat, why = delivery_difference.ALL, "a compaction of this chat could not be seen"
    elif situation.usage.may_be_compacted and not within_turn:
        repeat, why = delivery_difference.ALL, "the client may compact before it asks the model"
    if not repeat or wanted == "never":
        repeat = why = ""
    elif wanted == delivery_difference.ALL:
        repeat = delivery_difference.ALL
    return WindowContent(
        stands,
        why,
        maybe,
        repeat=repeat,
        is_compacted=window.is_compacted,
        keeps=keeps,
        is_new_agent=bool(situation.agent) and situation.agent not in window.agents,
        owed=window.owes_memories,
        files=window.memory_files,
        bracket=window.told_bracket,
    )


def record_delivery(
    window: window_state.WindowState,
    assembly: Assembly,
    before: WindowContent,
    certainty: str = STANDS,
) -> None:
    """Note what a reply has delivered as content of the window.

    before: what the window held when it was composed. certainty: what is known of a text that came
    in this way (`delivery_certainty`).
    """
    situation = assembly.situation
    usage = situation.usage
    is_full = bool((before.full_reason or before.is_compacted) and assembly.text)
    if is_full or usage.source != window.full_block_source:
        window.full_block_source = usage.source
        window.full_block_bracket = situation.bracket.name
        window.full_block_remaining = usage.remaining
    sent, review = assembly.sent_sections, assembly.review
    if review is not None:
        window.standing = delivery_difference.standing_after(before.stands, sent, situation, review)
        window.doubtful = delivery_difference.doubtful_after(
            before.uncertain, sent, window.standing, review
        )
        if certainty != STANDS or window.passing:
            # Keep in `window.standing`, of what a reply left there, only what is known to stand.
            parts: dict[str, window_state.StandingEntries] = {STANDS: {}, PASSES: {}, UNSURE: {}}
            for heading, entries in window.standing.items():
                standing, passing = (
                    part.get(heading, {}) for part in (before.stands, window.passing)
                )
                for identity, record in entries.items():
                    how = certainty
                    if identity in standing and identity not in passing:
                        how = STANDS
                    elif standing.get(identity) == record:
                        how = PASSES
                    parts[how].setdefault(heading, {})[identity] = record
            window.standing, window.passing = parts[STANDS], parts[PASSES]
            window.doubtful = delivery_difference.merge_standing(window.doubtful, parts[UNSURE])
    if is_full:
        # What was told a moment before is not told with the others: its own time comes later, but
        # not at once for a bracket's sake.
        window.full_block_prompt = (
            situation.turn
            if before.repeat == delivery_difference.OLDER
            else delivery_difference.oldest_essential(
                assembly.wanted_sections, window.standing, situation
            )
        )
    if assembly.text:
        window.told_bracket = situation.bracket.name
    window.is_compacted = False
    left_out = (*assembly.cut_entries, *assembly.limited_entries)
    may_lack = certainty == UNSURE and any(section.entries for section in sent)
    window.owes_rules = may_lack or any(entry.lifetime != "turn" for entry in left_out)
    memories = situation.memories
    is_late = memories is not None and memories.level != "none" and not memories.is_complete
    window.owes_memories = is_late or any(entry.domain == "MEMORY" for entry in left_out)
    is_new_agent = situation.agent and situation.agent not in window.agents
    if is_new_agent and not window.owes_memories:
        window.agents = (*window.agents, situation.agent)
    window.used, window.usage_source = used_amount(usage), usage.source
    # Note in the window which domains matched, and forget matches of long ago.
    turn = assembly.situation.turn
    recalled = dict(window.recalled)
    for domains in assembly.selection.by_layer.values():
        for domain, verdict in domains:
            if verdict.recall and verdict.code in window_state.RECALLED_CODES:
                recalled[domain.label] = (turn, tuple(verdict.detail), verdict.code)
    window.recalled = {
        label: match for label, match in recalled.items() if turn - match[0] <= RECALL_PROMPTS
    }
