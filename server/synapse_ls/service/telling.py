"""Telling an agent what its window lacks, and noting what it has then."""

from __future__ import annotations

from synapse_ls.engine.delivery import was_compacted
from synapse_ls.engine.situation import Request
from synapse_ls.service import (
    compactions,
    confirming,
    figures,
    memory,
    touched,
    unchanged,
    windows,
)
from synapse_ls.service.acting import known_agent, turn_of
from synapse_ls.service.compose import compose
from synapse_ls.service.usage import usage_of
from synapse_ls.sessions import changes
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType
    from typing import Any

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.situation import Situation
    from synapse_ls.service.call import Call

    Session = dict[str, Any]
    Window = dict[str, Any]

TEXT = "text"  # in a window of a client that keeps nothing: the reply of this turn
COMMANDS = "commands"  # the star-commands of the prompt that is being worked on


def limit_of(host: ModuleType, kind: str) -> int:
    """Code points that the client passes on whole in a reply to an event of this kind."""
    limits = getattr(host, "LIMITS", {})
    limit: int = limits.get(kind, host.LIMIT)
    return limit


def prepared(call: Call, session: Session, window: Window) -> Mapping[str, object] | None:
    """Notice what became of the window since the last reply; what the client says of its usage."""
    event = call.event
    main = not event.window
    if main:
        compactions.settle(session, call.moment)
    found = figures.figures_of(call, session)
    if main:
        now = usage_of(call.plan.plan, session, found)
        if compactions.is_shorter(window, event) or was_compacted(window, now):
            compactions.seen(session, call.moment)
            load("synapse_ls.service.keeping").due(session, event, "compact", call.moment)
    elif compactions.is_shorter(window, event):
        windows.lose(window)
    return found


def tell(
    call: Call,
    session: Session,
    window: Window,
    prompt: str,
    turn: int,
    found: Mapping[str, object] | None,
    *,
    within: bool = False,
    whole: bool = False,
    beside: str = "",
) -> Assembly:
    """Reply with what ``window`` lacks.

    found: what the client says of usage. within: this is no prompt, but something that happens
    while one is worked on. whole: there will be no other reply that could bring what the budget
    leaves over. beside: text for the agent that is told whatever the window holds.
    """
    event, host = call.event, call.host
    limit = limit_of(host, event.kind)
    main = not event.window
    before = windows.Known({}, "")

    waiting = window.get(windows.WARNINGS)
    if isinstance(waiting, list):
        beside = "\n\n".join(filter(None, (beside, *map(str, waiting))))

    def held(current: Plan, situation: Situation) -> windows.Known:
        nonlocal before
        before = windows.known(current, situation, window, keeps=host.KEEPS, within=within)
        return before

    plan = call.plan.plan
    touched.remember(window, touched.touched(call.root, event), turn)
    request = Request(
        prompt,
        agent=known_agent(plan, event, window),
        session=session,
        recalled=windows.recalled(window, turn, plan.profile.recall_prompts),
        files=touched.recent(window, turn),
        turn=turn,
        resumes=main and not window.get("stands"),
        hosted=True,
    )
    left = usage_of(plan, session if main else None, found)
    made = compose(
        call.plan,
        request,
        left,
        window=held,
        limit=max(1, limit - len(beside) - 2) if beside else limit,
        whole=whole,
    )
    assembly = made.assembly
    text = f"{assembly.text}\n\n{beside}".strip() if beside else assembly.text
    told = call.reply(text)
    if told:
        window.pop(windows.WARNINGS, None)
        _record(call, session, window, made.plan, assembly, text, before)
        memory.after(call.root, window, assembly, call.moment)
        if text and host.KEEPS and main:
            confirming.expect(window, text, call.moment)
        elif not host.KEEPS and not within:
            window[TEXT] = text
    if main:
        _note_state(session, assembly, found)
    return assembly


def tell_again(call: Call, session: Session, window: Window) -> None:
    """After a compaction: the block at once, with the matches of the prompt that is worked on."""
    if not call.takes_context or window.get("stands"):
        call.reply()
        return
    found = figures.figures_of(call, session)
    commands = window.get(COMMANDS)
    names = commands if isinstance(commands, list) else []
    prompt = " ".join(f"*{name}" for name in names if isinstance(name, str))
    tell(call, session, window, prompt, turn_of(call, session, window), found, within=True)


def _record(
    call: Call,
    session: Session,
    window: Window,
    plan: Plan,
    assembly: Assembly,
    text: str,
    before: windows.Known,
) -> None:
    windows.record(window, assembly, before)
    cached = call.plan.cached
    written = cached.written if cached is not None and cached.plan is plan else 0
    unchanged.note(window, session, call.event, plan, written, assembly)
    if text or call.event.prompt:
        call.note(plan, assembly, text, before.why, touched.known(window))


def _note_state(session: Session, assembly: Assembly, found: Mapping[str, object] | None) -> None:
    situation = assembly.situation
    left = situation.usage
    figures.keep(session, found)
    changes.record_usage(session, situation.bracket.name, left.used, left.remaining)
    labels = [
        domain.label
        for layer, taken in sorted(assembly.selection.by_layer.items())
        for domain, verdict in taken
        if verdict.code != "on-command"
    ]
    changes.record_domains(session, labels)
