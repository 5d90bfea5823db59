"""This module is the MCP tool ``short_term_update``: it keeps what happened in Brainiac's
short-term memory.
"""

from __future__ import annotations

import time

from synapse_ls.mcp.tool_arguments import LIST, ToolArgument
from synapse_ls.mcp.tool_result import ToolResult, note_lines
from synapse_ls.mcp.tools.tool_definition import Arguments, Tool
from synapse_ls.memory.brainiac_short_term import (
    ShortTermChange,
    change_short_term,
    number_items,
    short_term_report,
)
from synapse_ls.queries.guard_report import is_guard_enforced
from synapse_ls.storage.user_error import UserError

_TEXTS = ("summary", "user", "ai", "thoughts")
_LISTS = ("goals", "facts", "tasks", "done", "dropped")
_COMMAND_OPTIONS = {
    "goals": "goal",
    "facts": "fact",
    "tasks": "task",
    "done": "done",
    "dropped": "drop",
}


def _run(root: str, arguments: Arguments) -> ToolResult:
    if arguments["summary"] and _is_event(arguments):
        raise UserError("An event leaves the summary as it is.", "Give it in a call of its own.")
    made = change_short_term(
        root, ShortTermChange(**{name: arguments[name] for name in (*_TEXTS, *_LISTS)}), time.time()
    )
    memory = short_term_report(made.memory)
    lines = [f"{memory['file']} is changed; its items are now:"]
    for number, item in number_items(made.memory):
        box = "" if item.checked is None else "[x] " if item.checked else "[ ] "
        lines.append(f"{number}. {box}{' '.join(item.text.split())}")
    text = "\n".join([*lines, *note_lines(made.notes)])
    return ToolResult(text, {"memory": memory, "notes": list(made.notes)})


def _is_event(arguments: Arguments) -> bool:
    return any(arguments[name] for name in ("user", "ai", "thoughts"))


def _consent_question(root: str, arguments: Arguments) -> str:
    if not is_guard_enforced(root):
        return ""
    said = "; ".join(f"{name}: {arguments[name]}" for name in _TEXTS if arguments[name])
    listed = "; ".join(
        f"{name}: {', '.join(arguments[name])}" for name in _LISTS if arguments[name]
    )
    what = " ".join("; ".join(filter(None, (said, listed))).split())
    return f'Change the short-term memory ("{what[:300]}")?'


def _command_words(arguments: Arguments) -> list[str]:
    is_event = _is_event(arguments)
    words = ["synapse", "memory", "short-term", "log" if is_event else "set"]
    words += [arguments["summary"]] if arguments["summary"] and not is_event else []
    if is_event:
        said = ((name, arguments[name]) for name in ("user", "ai", "thoughts"))
        words += (word for name, text in said if text for word in (f"--{name}", text))
    items = ((_COMMAND_OPTIONS[name], text) for name in _LISTS for text in arguments[name])
    return words + [word for name, text in items for word in (f"--{name}", text)]


TOOL = Tool(
    name="short_term_update",
    title="Update the short-term memory",
    description="In a tree of Brainiac: keeps what happened and what is to be done in the short-term memory, "
    "which is told with every prompt. Adds an event to its log, adds goals, facts and tasks, ticks "
    "those that are done, or gives it another summary; everything else in it stays as it is.",
    arguments=(
        ToolArgument("user", "for the log: what the user said"),
        ToolArgument("ai", "for the log: what was answered"),
        ToolArgument("thoughts", "for the log: what is to be thought of it"),
        ToolArgument("goals", "goals to be added", kind=LIST),
        ToolArgument("facts", "facts and decisions to be added", kind=LIST),
        ToolArgument("tasks", "tasks to be added", kind=LIST),
        ToolArgument(
            "done", "goals and tasks that are done: words of each, or its number", kind=LIST
        ),
        ToolArgument("dropped", "items that are to go: words of each, or its number", kind=LIST),
        ToolArgument("summary", "the new summary of the work at hand"),
    ),
    run=_run,
    is_changing=True,
    idempotent=False,
    consent_question=_consent_question,
    command_words=_command_words,
)
