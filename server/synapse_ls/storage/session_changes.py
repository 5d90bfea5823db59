"""This module changes the state of a session: it records prompts, compactions, usage, the active
agent, workflow, task and squad, and overrides.

``now`` is always in seconds since the epoch.
"""

from __future__ import annotations

import time

from synapse_ls.formats.switch_words import parse_switch
from synapse_ls.storage.session_state import (
    ActiveAgent,
    ActiveSquad,
    ActiveTask,
    ActiveWorkflow,
    DetectedWork,
    SeenStates,
)
from synapse_ls.storage.state_record import COMPACTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.situation import Situation
    from synapse_ls.storage.session_state import SessionState

TITLE_LENGTH: Final = 50
LEDGER_LENGTH: Final = 50
LONG_ABSENCE: Final = 12 * 3600.0  # seconds after which somebody may have forgotten the work
MAX_WAITING: Final = 24  # tasks of other agents that a session keeps

_TITLE_SOURCE: Final = 1000  # characters of a prompt that are looked at for its title


def format_timestamp(now: float) -> str:
    """Writes the time ``now`` as sessions record it, in UTC with milliseconds:
    "2026-11-21T20:46:22.468Z".
    """
    seconds, milliseconds = divmod(round(now * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(seconds)) + f".{milliseconds:03d}Z"


def record_prompt(session: SessionState, prompt: str, now: float) -> None:
    """Records a prompt in the session, and takes the title from the first one that has one to give."""
    session.context.prompts = session.prompts_since_compaction + 1
    session.prompt_count += 1
    session.last_activity = format_timestamp(now)
    if not session.title:
        session.title = title_of(prompt)


def record_compaction(session: SessionState, now: float) -> None:
    """Records a compaction in the session; the prompts that estimate the usage start again at 0,
    and what a client repeats of the window before says nothing now.
    """
    context = session.context
    outdated = context.figures.get("used")
    context.forget(COMPACTION)
    context.outdated_used = outdated
    context.compactions += 1
    session.last_activity = format_timestamp(now)


def record_usage(
    session: SessionState, bracket: str, tokens_used: int | None, percent: float
) -> None:
    """Records what was last known of the window: bracket, tokens used (None: unknown), percent
    left.
    """
    context = session.context
    context.bracket = bracket
    if tokens_used is not None:
        context.tokens_used = tokens_used
    context.percent_left = percent


def title_of(prompt: str) -> str | None:
    """Returns the title that recording a ``prompt`` gives a session, on one line, or None if it
    gives none.

    Star-commands, single words and texts of fewer than three characters give none; others their
    first 50 characters, cut back to the last space.
    """
    text = " ".join(prompt.lstrip()[:_TITLE_SOURCE].split())
    text = "".join(filter(str.isprintable, text))
    if len(text) < 3 or " " not in text or text.startswith("*"):
        return None
    if _may_hold_secret(text):
        from synapse_ls.text.secret_tokens import mask_secrets

        text = mask_secrets(text)
    head = text[:TITLE_LENGTH]
    if len(text) > TITLE_LENGTH:
        return head[: head.rfind(" ")] if " " in head else head
    return head


def _may_hold_secret(text: str) -> bool:
    """Returns whether a word of ``text`` has six characters and a digit, or a mark, as passwords
    and keys have; few prompts have one, and only these pay for a closer look. A star-command and an
    agent are words.
    """
    return any(
        len(word) >= 6 and not word.lstrip("*@").rstrip(".,;:?!").isalpha()
        for word in text.split(" ")
    )


def read_override(session: SessionState, key: str) -> bool | None:
    """Returns what the session says about ``DEVMODE`` or a ``{DOMAIN}_STATE``; None: as the tree
    says.

    CARL and hand-written files hold words such as "inactive", which count as what they say.
    """
    return parse_switch(session.overrides.get(key))


def set_override(session: SessionState, key: str, value: bool | None) -> None:
    """Overrides ``DEVMODE`` or a ``{DOMAIN}_STATE``; None takes the override away."""
    others = {name: kept for name, kept in session.overrides.items() if name != key}
    session.overrides = others if value is None else {**session.overrides, key: value}


def activate_agent(
    session: SessionState, agent: str | None, *, quality: str = "", now: float
) -> None:
    """Makes ``agent`` the active one of a session.

    ``quality``: how it was activated, "full", "partial" or "fallback"; "" leaves what is known of
    that as it is, None of an agent that was only called.
    """
    if agent is None or session.agent.id != agent:
        session.agent = ActiveAgent()
    if agent is None:
        return
    active = session.agent
    active.id = agent
    active.activated_at = active.activated_at or format_timestamp(now)
    active.quality = quality or active.quality
    session.history.agents = _append_to_ledger(session.history.agents, (agent,))


def set_workflow(
    session: SessionState,
    workflow: str | None,
    *,
    instance_id: str | None = None,
    current_step: int | str | None = None,
    current_phase: str | None = None,
    now: float,
) -> None:
    """Makes ``workflow`` the active one, or updates its step and phase."""
    if workflow is None:
        session.workflow = None
        return
    active = session.workflow
    if active is None or (active.id, active.instance_id) != (workflow, instance_id):
        active = session.workflow = ActiveWorkflow()
    active.id, active.instance_id = workflow, instance_id
    active.step, active.phase = current_step, current_phase
    active.started_at = active.started_at or format_timestamp(now)


def set_task(
    session: SessionState,
    task: str | None,
    *,
    story: str | None = None,
    executor_type: str | None = None,
    now: float,
) -> None:
    """Makes ``task`` the active one, or updates its story and executor."""
    if task is None:
        session.task = None
        return
    active = session.task
    if active is None or active.id != task:
        active = session.task = ActiveTask()
    active.id, active.story, active.executor = task, story, executor_type
    active.started_at = active.started_at or format_timestamp(now)


def record_work(session: SessionState, plan: Plan, situation: Situation, now: float) -> None:
    """Records who is at work on what after a prompt or a change: the words that still hold, and
    those of the prompt.
    """
    said = situation.said
    if said is not None:
        session.workflow, session.squad, session.task = said.workflow, said.squad, said.task
        session.waiting_tasks = dict(said.waiting)
        if session.workflow is not None:
            session.workflow.phase = said.phase or None
        seen = SeenStates()
        seen.files, seen.latest = said.seen, said.latest
        session.seen_states = seen
        if said.is_handed_over and situation.agent_source == "state":
            session.agent = ActiveAgent()
    if situation.prompt.called not in ("", situation.agent):
        session.mention_explained = session.mention_explained or situation.turn
    workflow, phase = situation.detected
    session.detected = DetectedWork({"id": workflow, "phase": phase}) if workflow else None
    if situation.agent_source == "prompt":
        activate_agent(session, situation.agent or None, now=now)
    if situation.task_source == "command":
        _take_up_task(session, plan, situation, now)


def mark_old_states(session: SessionState, now: float) -> None:
    """Marks what was seen of the workflow states as old where the session was left for long, so
    that what differs is named.
    """
    if session.seen_states and session.last_activity < format_timestamp(now - LONG_ABSENCE):
        session.seen_states.is_old = True


def note_seen_states(session: SessionState, plan: Plan) -> None:
    """Notes in the session what the workflow state files say now, so that what somebody sets comes
    after it.
    """
    latest = session.seen_states.latest if session.seen_states else ""
    session.seen_states = SeenStates()
    session.seen_states.files = {state.path: state.values for state in plan.states}
    session.seen_states.latest = latest or (plan.states[0].path if plan.states else "")


def record_window_task(
    session: SessionState, key: str, plan: Plan, situation: Situation, now: float
) -> None:
    """Records the task that a prompt takes up in a sub-agent's window, which is that window's only."""
    open_windows = session.window_keys()
    tasks = {name: task for name, task in session.window_tasks.items() if name in open_windows}
    tasks.pop(key, None)
    if situation.task_source == "command":
        tasks[key] = _taken_task(plan, situation, now)
    session.window_tasks = tasks


def _take_up_task(session: SessionState, plan: Plan, situation: Situation, now: float) -> None:
    """Makes the task of a command the last one; that of another agent waits for its agent."""
    agent, last = situation.agent, session.task
    waiting = {name: task for name, task in session.waiting_tasks.items() if name != agent}
    if last is not None and last.agent and last.agent != agent:
        waiting[last.agent] = last
    session.waiting_tasks = dict(list(waiting.items())[-MAX_WAITING:])
    session.task = _taken_task(plan, situation, now)


def _taken_task(plan: Plan, situation: Situation, now: float) -> ActiveTask:
    """Returns the task that a command has taken up, with its story by an id that finds it again."""
    facts, story = situation.task_facts, situation.story
    if facts is not None and facts.story_path:
        from synapse_ls.engine.story_names import find_story_path

        is_enough = find_story_path(plan.stories, facts.story) == facts.story_path
        story = facts.story if is_enough else facts.story_path
    task = ActiveTask()
    task.id, task.story, task.agent = situation.task, story or None, situation.agent or None
    task.executor = (facts.executor if facts else "") or None
    task.started_at = format_timestamp(now)
    task.story_was_done = facts is not None and facts.story_state == "done"
    return task


def set_squad(
    session: SessionState,
    squad: str | None,
    *,
    path: str | None = None,
    domains: Iterable[str] = (),
) -> None:
    """Makes ``squad`` the active one, with the domains it has loaded."""
    if squad is None:
        session.squad = None
        return
    active = session.squad
    if active is None or active.name != squad:
        active = session.squad = ActiveSquad()
    active.name, active.path, active.domains = squad, path, tuple(domains)


def record_star_commands(session: SessionState, names: Iterable[str]) -> None:
    """Records star-commands as used, the most recent last."""
    history = session.history
    history.star_commands = _append_to_ledger(history.star_commands, names)


def record_domains(session: SessionState, names: Iterable[str]) -> None:
    """Records the domains that the last prompt loaded, in place of those of the one before."""
    session.history.domains = tuple(dict.fromkeys(names))[:LEDGER_LENGTH]


def _append_to_ledger(ledger: tuple[str, ...], items: Iterable[str]) -> tuple[str, ...]:
    """Moves or adds ``items`` to the end of a ledger that holds each once and drops its oldest."""
    new = tuple(dict.fromkeys(items))
    return (*(item for item in ledger if item not in new), *new)[-LEDGER_LENGTH:]
