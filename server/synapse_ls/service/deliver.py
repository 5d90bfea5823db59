"""A hook event → a reply: what the agent of this window still has to be told."""

from __future__ import annotations

import os

from synapse_ls.engine.situation import Request
from synapse_ls.hosts import event as events
from synapse_ls.service import injections, windows
from synapse_ls.service.compose import compose
from synapse_ls.service.plans import PATIENCE, planned
from synapse_ls.service.usage import usage_of
from synapse_ls.sessions import changes
from synapse_ls.sessions.files import SessionError
from synapse_ls.sessions.store import SessionStore
from synapse_ls.workspace.discover import find_root
from synapse_ls.workspace.folders import SESSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.situation import Situation
    from synapse_ls.hosts.event import Event
    from synapse_ls.service.plans import Planned

    Write = Callable[[dict[str, Any]], None]

LOGGED = 20  # notices of one plan that the log keeps
LOCK_SECONDS = 2.0  # a client waits for its hook; past that a stateless answer is better


def deliver(
    event: Event, host: ModuleType, write: Write, *, root: str = "", now: Callable[[], float]
) -> None:
    """Write the reply to ``event``, then record what it told.

    A crash between the two repeats rules and loses none. Without a session id, or where the
    session cannot be kept, the answer is the full block and nothing is recorded.
    """
    if event.kind == events.OTHER:
        write({})
        return
    found = root or _root_of(event)
    if not found:
        write({})
        return
    plan = planned(found, patience=PATIENCE) if event.kind == events.PROMPT else None
    if not event.session_id:
        _stateless(event, host, write, plan, now())
        return
    store = SessionStore(os.path.join(found, SESSIONS))
    moment = now()
    replied = False

    def once(reply: dict[str, Any]) -> None:
        nonlocal replied
        replied = True
        write(reply)

    try:
        with store.locked(
            event.session_id, cwd=event.cwd or found, now=moment, timeout=LOCK_SECONDS
        ) as transaction:
            session = transaction.session
            if plan is not None:
                _prompt(event, host, once, plan, session, moment)
            elif event.kind == events.SESSION_START:
                _session_start(event, host, once, found, session, moment)
            else:
                _compacting(session)
                once({})
            transaction.commit()
        if plan is not None:
            if plan.cached is None:
                _follow_up(plan)
            if transaction.is_new:
                _tidy(store, moment, plan.plan.settings["stale_hours"])
    except SessionError:
        # Without a place to remember, every prompt is the first one.
        if not replied:
            _stateless(event, host, write, plan, moment)
        raise


def _root_of(event: Event) -> str | None:
    """The tree of the project folder that the client names, else of the working directory.

    An agent that changes its directory works on the same project all the time.
    """
    for start in (*event.projects, event.cwd or os.getcwd()):
        if start and (found := find_root(start)):
            return found
    return None


def _follow_up(plan: Planned) -> None:
    """What a newly compiled plan leaves to do: say what was wrong, finish what was late."""
    if plan.plan.notices:
        from synapse_ls.service import log

        for notice in plan.plan.notices[:LOGGED]:
            log.line(f"{plan.plan.root}: {notice}")
    if plan.incomplete:
        plan.finish()


def _tidy(store: SessionStore, now: float, hours: float) -> None:
    """Archive what nobody has used for long, when a session begins."""
    if store.has_stale(now, hours):
        from synapse_ls.sessions.archive import archive_stale

        archive_stale(store.folder, now=now, hours=hours)


def _stateless(
    event: Event, host: ModuleType, write: Write, plan: Planned | None, now: float
) -> None:
    """The full block for a prompt; ``plan`` is None for any other event, which gets nothing."""
    if plan is None:
        write({})
        return
    agent = _known_agent(plan.plan, event)
    request = Request(event.prompt if event.counts else "", agent=agent)
    usage = usage_of(plan.plan, None, host.usage(event))
    assembly = compose(plan, request, usage, limit=host.LIMIT).assembly
    write(host.reply(event, assembly.text))
    injections.note(plan.plan.root, host.NAME, event, assembly, now)


def _known_agent(plan: Plan, event: Event) -> str:
    """The client's agent where the tree knows it; clients have kinds of agents of their own."""
    return event.agent if event.agent.lower() in plan.agents else ""


def _prompt(
    event: Event,
    host: ModuleType,
    write: Write,
    plan: Planned,
    session: dict[str, Any],
    now: float,
) -> None:
    _settle_compaction(session, now)
    count = session.get("prompt_count")
    turn = (count if isinstance(count, int) else 0) + event.counts
    said = event.prompt if event.counts else ""
    assembly = _tell(event, host, write, plan, session, turn, said, now)
    situation = assembly.situation
    if event.counts:
        changes.record_prompt(session, event.prompt, now)
        changes.record_star_commands(session, (c.name for c in situation.prompt.commands))
    if situation.agent_source == "prompt":
        changes.activate_agent(session, situation.agent, now=now)
    for key, value in situation.switched.items():
        changes.set_override(session, key, value)
    if situation.task_source == "command":
        facts = situation.task_facts
        changes.set_task(
            session,
            situation.task,
            story=situation.story or None,
            executor_type=(facts.executor if facts else "") or None,
            now=now,
        )


def _tell(
    event: Event,
    host: ModuleType,
    write: Write,
    plan: Planned,
    session: dict[str, Any],
    turn: int,
    prompt: str,
    now: float,
) -> Assembly:
    """Reply with what the window of ``event`` lacks, and note what it has then."""
    window = windows.window_of(
        session, f"{host.NAME}:{event.window}" if event.window else host.NAME
    )
    figures = host.usage(event)
    request = Request(
        prompt,
        agent=_known_agent(plan.plan, event),
        session=session,
        recalled=windows.recalled(window, turn, plan.plan.profile.recall_prompts),
        turn=turn,
    )
    before = windows.Known({}, "this client keeps nothing")

    def held(current: Plan, situation: Situation) -> windows.Known:
        nonlocal before
        if host.KEEPS:
            before = windows.known(current, situation, window)
        return before

    usage = usage_of(plan.plan, session, figures)
    assembly = compose(plan, request, usage, window=held, limit=host.LIMIT).assembly
    write(host.reply(event, assembly.text))
    injections.note(plan.plan.root, host.NAME, event, assembly, now)
    windows.record(window, assembly, before)
    _record_usage(session, assembly, figures)
    labels = [
        domain.label
        for layer, taken in sorted(assembly.selection.by_layer.items())
        for domain, verdict in taken
        if verdict.code != "on-command"
    ]
    changes.record_domains(session, labels)
    return assembly


def _record_usage(
    session: dict[str, Any], assembly: Assembly, figures: dict[str, object] | None
) -> None:
    usage = assembly.situation.usage
    changes.record_usage(session, assembly.situation.bracket.name, usage.used, usage.remaining)
    context = session["context"]
    if figures and "used" in figures:
        context["usage"] = {"used": usage.used, "window": usage.window, "source": usage.source}


def _session_start(
    event: Event,
    host: ModuleType,
    write: Write,
    root: str,
    session: dict[str, Any],
    now: float,
) -> None:
    """A window that begins anew is told at once after a compaction, else with its first prompt."""
    if event.source == "resume":
        write({})
        return
    windows.forget(session)
    if event.source != "compact":
        write({})
        return
    context = session.setdefault("context", {})
    context["compacting"] = True
    _settle_compaction(session, now)
    count = session.get("prompt_count")
    _tell(
        event,
        host,
        write,
        planned(root, patience=PATIENCE),
        session,
        count if isinstance(count, int) else 0,
        "",
        now,
    )


def _compacting(session: dict[str, Any]) -> None:
    windows.forget(session)
    session.setdefault("context", {})["compacting"] = True


def _settle_compaction(session: dict[str, Any], now: float) -> None:
    """Count a compaction once, however many events announce it."""
    context = session.get("context")
    if isinstance(context, dict) and context.pop("compacting", False):
        context.pop("usage", None)
        changes.record_compaction(session, now)
