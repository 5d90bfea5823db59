"""Track gotchas while tools are used: count failures, recall known ones, record how they went away.

While a command fails, the session keeps what is done ("changed src/a.ts", "ran `npm ci`"), so that
a later success of the command shows the remedy. Where a client's transcripts do not report
failures, they are kept until a digest has used them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from synapse_ls.formats.session_file import FailingCommand, SessionState
from synapse_ls.hooks.hook_call import HookCall, path_in_root
from synapse_ls.integrations import tool_uses
from synapse_ls.memory.error_patterns import command_program
from synapse_ls.memory.situation_memories import note_delivered
from synapse_ls.storage import atomic_files, hook_log
from synapse_ls.text.secret_masking import mask_beginning

if TYPE_CHECKING:
    from synapse_ls.memory.gotchas import CountedError

MAX_FAILING: Final = 8  # commands that are waited for
MAX_STEPS: Final = 6  # things that are noted while one fails
MAX_REPORTED: Final = 12  # errors that are kept for a digest
MOST_TEXT: Final = 20_000  # characters of a command that are looked at
MAX_SECONDS: Final = 3 * 3600.0  # seconds after which a success has nothing to do with it


def count_failure(call: HookCall, session: SessionState) -> tuple[str, CountedError | None]:
    """Count the failure that an event tells of, and return what the hook says of its gotcha to the
    agent, "" where its window has that already, with its count; None where the error says nothing
    or cannot be counted, and where the tree keeps no memories.
    """
    if not call.current_plan.plan.settings["memory"]["enabled"]:
        return "", None
    from synapse_ls.memory.gotchas import Failure, count_error, describe_gotcha

    event, window = call.event, session.find_window(call.window_key)
    files = tuple(_paths_in_tree(call, event.files))
    failure = Failure(event.error, tool_uses.announced_use(event, call.root).command, files)
    try:
        count = count_error(call.root, failure, now=call.now)
    except atomic_files.StorageError as error:
        hook_log.log_error(error)
        return "", None
    record = count.record if count else None
    if count is None or record is None:
        return "", count
    is_known = any(path == record.path for path, _ in window.memory_files.values())
    return "" if is_known else describe_gotcha(count), count


def record_outcome(call: HookCall, count: CountedError | None) -> None:
    """Note in the session how the event ended, so that the solution of a gotcha is seen: with an
    error, or well (None) while something fails.
    """
    # What fails, or went well: the program of a command, else the tool with its first file.
    event, command = call.event, tool_uses.announced_use(call.event, call.root).command
    program = command_program(mask_beginning(command, MOST_TEXT))
    name, _ = tool_uses.called_tool(event.raw)
    paths = [path_in_root(call.root, path, event.cwd) or path for path in event.files[:1]]
    # Behind the `__` of a tool of MCP, no token would be seen.
    key = program or mask_beginning(" ".join((*name.split("__", 2), *paths)), MOST_TEXT)
    if count is None:
        steps = [f"ran `{program}`"] if program else []
        steps += [f"changed {p}" for p in _paths_in_tree(call, () if program else event.edited)]
        _record_success(call, key, steps)
        return
    with call.session_transaction() as transaction:
        if transaction.is_new:
            return
        marks, pattern = transaction.session.recovery, count.pattern
        if count.record is not None and call.takes_context:
            # The same memory is no hint in this window any more.
            window = transaction.session.open_window(call.window_key)
            note_delivered(call.root, window, {count.record.id: count.record.path})
        marks.failing.pop(key, None)
        failing = marks.failing[key] = FailingCommand()
        failing.pattern, failing.at = pattern, call.now
        while len(marks.failing) > MAX_FAILING:
            del marks.failing[next(iter(marks.failing))]
        if not call.host.transcript_has_failures and not event.subagent:
            # Keep an error for the next digest.
            times = marks.reported_errors.pop(pattern, ("", "", 0, ""))[2]
            marks.reported_errors[pattern] = (count.message, key, times + 1, "")
            marks.reported_errors = dict(list(marks.reported_errors.items())[-MAX_REPORTED:])
        transaction.commit()


def _paths_in_tree(call: HookCall, paths: Iterable[str]) -> Iterator[str]:
    return filter(None, (path_in_root(call.root, path, call.event.cwd) for path in paths))


def _record_success(call: HookCall, key: str, steps: list[str]) -> None:
    """Record, for gotchas, that ``key`` went well, by which ``steps``, while something else fails,
    or that it has failed and does no longer.
    """
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
                before = (step for step in entry.steps if step not in steps)
                entry.steps = (*before, *steps)[-MAX_STEPS:]
        pattern, since = solved.pattern, ", ".join(solved.steps)
        # How it went well again, by what was done since.
        how = f"after: {since}" if since else "when it was run again"
        solution = f"`{key}` succeeded {how}"
        if pattern in marks.reported_errors:
            marks.reported_errors[pattern] = (*marks.reported_errors[pattern][:3], solution)
        transaction.commit()
    if pattern is not None:
        from synapse_ls.memory.gotchas import record_solution

        try:
            record_solution(call.root, pattern, solution, now=call.now)
        except atomic_files.StorageError as error:
            hook_log.log_error(error)
