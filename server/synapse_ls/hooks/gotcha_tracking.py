"""Track gotchas while tools are used: it counts a failure, replies with what is
remembered of it, and notes how it went away.

While a command fails, the session notes what is done ("changed src/a.ts", "ran `npm ci`"), so that
a later success of the same command tells how the error went away. An event without an error comes
here only while something fails.

What was met by clients whose transcripts do not tell of failures is noted until a digest has told
how it went away.
"""

from __future__ import annotations

from typing import Final

from synapse_ls.formats.recovery_marks import FailingCommand
from synapse_ls.formats.session_file import SessionState
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.integrations import tool_uses
from synapse_ls.integrations.tool_uses import announced_use
from synapse_ls.storage import hook_log
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.text.lazy_import import load_module

MAX_FAILING: Final = 8  # commands that are waited for
MAX_STEPS: Final = 6  # things that are noted while one fails
MAX_REPORTED: Final = 12  # errors that are kept for a digest
MAX_SECONDS: Final = 3 * 3600.0  # seconds after which a success has nothing to do with it


def count_failure(call: HookCall, session: SessionState) -> tuple[str, str, str]:
    """Count the failure that an event tells of, and return what the hook says of its gotcha: (text
    for the agent, the error's pattern, its headline).

    All are "" where the error says nothing or cannot be counted.
    """
    store = load_module("synapse_ls.memory.gotchas")
    ledger = load_module("synapse_ls.memory.gotchas")
    event = call.event
    use = announced_use(event, call.root)
    within = load_module("synapse_ls.engine.path_globs").relative_path
    files = tuple(filter(None, (within(call.root, path, event.cwd) for path in event.files)))
    failure = ledger.Failure(event.error, use.command, files, _failing_agent(call, session))
    try:
        count = store.count_error(call.root, failure, now=call.now)
    except StorageError as error:
        hook_log.log_error(error)
        return "", "", ""
    if count is None:
        return "", "", ""
    advice = store.describe_gotcha(count) if count.record is not None else ""
    return advice, count.counted.pattern, count.counted.message


def await_solution(call: HookCall, pattern: str, message: str) -> None:
    """Note in the session that the command of the event failed, so that the solution of a gotcha is
    seen when it succeeds.
    """
    with call.session_transaction() as transaction:
        if transaction.is_new:
            return
        failing = transaction.session.recovery.failing
        failing.pop(_failure_key(call), None)
        command = failing[_failure_key(call)] = FailingCommand()
        command.pattern, command.at = pattern, call.now
        while len(failing) > MAX_FAILING:
            del failing[next(iter(failing))]
        if not call.host.transcript_has_failures and not call.event.subagent:
            # Keep an error for the next digest.
            session = transaction.session
            key = _failure_key(call)
            reported_errors = session.recovery.reported_errors
            count = reported_errors[pattern][2] if pattern in reported_errors else 0
            rows = [(name, row) for name, row in reported_errors.items() if name != pattern]
            session.recovery.reported_errors = dict(
                [*rows, (pattern, (message, key, count + 1, ""))][-MAX_REPORTED:]
            )
        transaction.commit()


def record_success(call: HookCall) -> None:
    """Record, for gotchas, that something went well while something else fails, or that what has
    failed does no longer.
    """
    key = _failure_key(call)
    solved = FailingCommand()
    with call.session_transaction() as transaction:
        marks = transaction.session.recovery
        failing = marks.failing
        for name in list(failing):
            entry = failing[name]
            if call.now - entry.at > MAX_SECONDS:
                del failing[name]
            elif name == key:
                solved = failing.pop(name)
            else:
                _add_step(entry, call)
        pattern, solution = solved.pattern, _solution_text(key, solved)
        if pattern in marks.reported_errors:
            marks.reported_errors[pattern] = (*marks.reported_errors[pattern][:3], solution)
        transaction.commit()
    if pattern is not None:
        try:
            load_module("synapse_ls.memory.gotchas").record_solution(
                call.root, pattern, solution, now=call.now
            )
        except StorageError as error:
            hook_log.log_error(error)


def _solution_text(key: str, command: FailingCommand) -> str:
    """Return how what failed went well again, by what was done since."""
    steps = ", ".join(command.steps)
    return f"`{key}` succeeded " + (f"after: {steps}" if steps else "when it was run again")


def _add_step(failing: FailingCommand, call: HookCall) -> None:
    """Note what the event did, where that may be why something goes well later."""
    command = announced_use(call.event, call.root).command
    program = load_module("synapse_ls.memory.error_patterns").command_program(command)
    steps = [f"ran `{program}`"] if program else [f"changed {path}" for path in _edited_files(call)]
    done = (step for step in failing.steps if step not in steps)
    failing.steps = (*done, *steps)[-MAX_STEPS:]


def _edited_files(call: HookCall) -> list[str]:
    within = load_module("synapse_ls.engine.path_globs").relative_path
    paths = (within(call.root, path, call.event.cwd) for path in call.event.edited)
    return [path for path in paths if path]


def _failure_key(call: HookCall) -> str:
    """Return what fails, or went well: the program of a command, else the tool with its first
    file.
    """
    command = announced_use(call.event, call.root).command
    if program := load_module("synapse_ls.memory.error_patterns").command_program(command):
        return str(program)
    name, _ = tool_uses.called_tool(call.event.raw)
    within = load_module("synapse_ls.engine.path_globs").relative_path
    files = [within(call.root, path, call.event.cwd) or path for path in call.event.files[:1]]
    return " ".join((name, *files))


def _failing_agent(call: HookCall, session: SessionState) -> str:
    if call.event.subagent:
        return session.find_window(call.window_key).agent or call.event.agent
    return session.agent.id or ""
