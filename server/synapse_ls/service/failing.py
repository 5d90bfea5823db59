"""A tool has failed: the error is counted, and what is known of it is told with the reply.

While a command fails, the session notes what is done, under ``recovery.failing``::

    {key: {"pattern": …, "at": seconds, "done": ["changed src/a.ts", "ran `npm ci`"]}}

so that a later success of the same command tells how the error went away. An event without an error
comes here only while something fails.
"""

from __future__ import annotations

from synapse_ls.hosts import tools
from synapse_ls.hosts.uses import use_of
from synapse_ls.service import keeping, log, windows
from synapse_ls.service.acting import AGENT
from synapse_ls.sessions.files import SessionError
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    from synapse_ls.service.call import Call

    Session = dict[str, Any]

FAILING: Final = "failing"
MOST: Final = 8  # commands that are waited for
DONE: Final = 6  # things that are noted while one fails
LASTING: Final = 3 * 3600.0  # seconds after which a success has nothing to do with it


def is_awaited(session: Mapping[str, Any]) -> bool:
    """Whether a success could tell how an error went away."""
    return bool(keeping.peek(session).get(FAILING))


def met(call: Call, session: Mapping[str, Any]) -> tuple[str, str]:
    """Count the failure of the event: (what the agent is told, the pattern of the error).

    Both are "" where the error says nothing or cannot be counted.
    """
    store = load("synapse_ls.memory.gotchas.store")
    ledger = load("synapse_ls.memory.gotchas.ledger")
    event = call.event
    use = use_of(event, call.root)
    within = load("synapse_ls.service.touched").within
    files = tuple(filter(None, (within(call.root, path, event.cwd) for path in event.files)))
    failure = ledger.Failure(event.error, use.command, files, _agent(call, session))
    try:
        found = store.meet(call.root, failure, now=call.moment)
    except SessionError as error:
        log.note(error)
        return "", ""
    if found is None:
        return "", ""
    return (store.told(found) if found.record is not None else ""), found.counted.pattern


def note(call: Call, pattern: str) -> None:
    """Wait for the command of the event to succeed."""
    with call.locked() as transaction:
        if transaction.is_new:
            return
        failing = _failing(transaction.session)
        failing.pop(_key(call), None)
        failing[_key(call)] = {"pattern": pattern, "at": call.moment, "done": []}
        while len(failing) > MOST:
            del failing[next(iter(failing))]
        transaction.commit()


def passed(call: Call) -> None:
    """Something went well while something else fails, or what has failed does no longer."""
    key = _key(call)
    solved: dict[str, Any] = {}
    with call.locked() as transaction:
        failing = _failing(transaction.session)
        for name in list(failing):
            entry = failing[name]
            if not isinstance(entry, dict) or call.moment - _time(entry) > LASTING:
                del failing[name]
            elif name == key:
                solved = failing.pop(name)
            else:
                _add(entry, call)
        transaction.commit()
    pattern = solved.get("pattern")
    if isinstance(pattern, str):
        done = solved.get("done")
        steps = ", ".join(step for step in done if isinstance(step, str)) if done else ""
        said = f"`{key}` succeeded " + (f"after: {steps}" if steps else "when it was run again")
        try:
            load("synapse_ls.memory.gotchas.store").solve(call.root, pattern, said, now=call.moment)
        except SessionError as error:
            log.note(error)


def _add(entry: dict[str, Any], call: Call) -> None:
    """Note what the event did, where that may be why something goes well later."""
    command = use_of(call.event, call.root).command
    program = load("synapse_ls.memory.gotchas.programs").program_of(command)
    steps = [f"ran `{program}`"] if program else [f"changed {path}" for path in _edited(call)]
    known = entry.get("done")
    done = [step for step in known if isinstance(step, str)] if isinstance(known, list) else []
    entry["done"] = [*(s for s in done if s not in steps), *steps][-DONE:]


def _edited(call: Call) -> list[str]:
    within = load("synapse_ls.service.touched").within
    found = (within(call.root, path, call.event.cwd) for path in call.event.edited)
    return [path for path in found if path]


def _key(call: Call) -> str:
    """What fails, or went well: the program of a command, else the tool with its first file."""
    command = use_of(call.event, call.root).command
    if program := load("synapse_ls.memory.gotchas.programs").program_of(command):
        return str(program)
    name, _ = tools.called(call.event.raw)
    within = load("synapse_ls.service.touched").within
    files = [within(call.root, path, call.event.cwd) or path for path in call.event.files[:1]]
    return " ".join((name, *files))


def _agent(call: Call, session: Mapping[str, Any]) -> str:
    if call.event.window:
        agent = windows.peek(session, call.key).get(AGENT) or call.event.agent
        return agent if isinstance(agent, str) else ""
    active = session.get("active_agent")
    name = active.get("id") if isinstance(active, dict) else ""
    return name if isinstance(name, str) else ""


def _failing(session: Session) -> dict[str, Any]:
    recovery = keeping.noted(session)
    failing = recovery.get(FAILING)
    if not isinstance(failing, dict):
        failing = recovery[FAILING] = {}
    return failing


def _time(entry: Mapping[str, Any]) -> float:
    at = entry.get("at")
    return float(at) if isinstance(at, int | float) else 0.0
