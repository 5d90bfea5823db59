"""A tool has failed: the error is counted, and what is known of it is told with the reply.

While a command fails, the session notes what is done, under ``recovery.failing``::

    {key: {"pattern": …, "at": seconds, "done": ["changed src/a.ts", "ran `npm ci`"]}}

so that a later success of the same command tells how the error went away. An event without an error
comes here only while something fails.

What was met by clients whose transcripts do not tell of failures stands under ``recovery.met`` until a
digest has told how it went away::

    {pattern: [message, what failed, how often, how it went away]}
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
MET: Final = 12  # errors that are kept for a digest
LASTING: Final = 3 * 3600.0  # seconds after which a success has nothing to do with it


def is_awaited(session: Mapping[str, Any]) -> bool:
    """Whether a success could tell how an error went away."""
    return bool(keeping.peek(session).get(FAILING))


def met(call: Call, session: Mapping[str, Any]) -> tuple[str, str, str]:
    """Count the failure of the event: (what the agent is told, the error's pattern, its headline).

    All are "" where the error says nothing or cannot be counted.
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
        return "", "", ""
    if found is None:
        return "", "", ""
    told = store.told(found) if found.record is not None else ""
    return told, found.counted.pattern, found.counted.message


def note(call: Call, pattern: str, message: str) -> None:
    """Wait for the command of the event to succeed."""
    with call.locked() as transaction:
        if transaction.is_new:
            return
        failing = _failing(transaction.session)
        failing.pop(_key(call), None)
        failing[_key(call)] = {"pattern": pattern, "at": call.moment, "done": []}
        while len(failing) > MOST:
            del failing[next(iter(failing))]
        if getattr(call.host, "UNTOLD_FAILURES", False) and not call.event.window:
            _meet(transaction.session, pattern, message, _key(call))
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
        pattern, said = solved.get("pattern"), _solution(key, solved)
        if isinstance(pattern, str):
            for row in _rows(transaction.session, pattern):
                row[3] = said
        transaction.commit()
    if isinstance(pattern, str):
        try:
            load("synapse_ls.memory.gotchas.store").solve(call.root, pattern, said, now=call.moment)
        except SessionError as error:
            log.note(error)


def _solution(key: str, entry: Mapping[str, Any]) -> str:
    """How what failed went well again, by what was done since."""
    done = entry.get("done")
    steps = ", ".join(step for step in done if isinstance(step, str)) if done else ""
    return f"`{key}` succeeded " + (f"after: {steps}" if steps else "when it was run again")


def _meet(session: Session, pattern: str, message: str, key: str) -> None:
    """Keep an error for the next digest; one that went away before is there again."""
    recovery = keeping.noted(session)
    count = sum(row[2] for row in _rows(session, pattern))
    known = recovery.get(keeping.MET)
    kept = list(known.items()) if isinstance(known, dict) else []
    rows = [(name, row) for name, row in kept if name != pattern]
    recovery[keeping.MET] = dict([*rows, (pattern, [message, key, count + 1, ""])][-MET:])


def _rows(session: Session, pattern: str) -> list[list[Any]]:
    """What the session keeps of an error, [] for nothing."""
    known = keeping.noted(session).get(keeping.MET)
    row = known.get(pattern) if isinstance(known, dict) else None
    return [row] if isinstance(row, list) and [*map(type, row)] == [str, str, int, str] else []


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
