"""``short_term_update``: what happened is kept in Brainiac's short-term memory."""

from __future__ import annotations

import time

from synapse_ls.mcp.fields import LIST, Field
from synapse_ls.mcp.said import Said, note_lines
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.memories import enforces
from synapse_ls.service.short_term import Change, change, numbered, report

_TEXTS = ("summary", "user", "ai", "thoughts")
_LISTS = ("goals", "facts", "tasks", "done", "dropped")
_BY_HAND = {"goals": "goal", "facts": "fact", "tasks": "task", "done": "done", "dropped": "drop"}


def _run(root: str, given: Given) -> Said:
    if given["summary"] and _is_event(given):
        raise ServiceError("An event leaves the summary as it is.", "Give it in a call of its own.")
    made = change(root, Change(**{name: given[name] for name in (*_TEXTS, *_LISTS)}), time.time())
    memory = report(made.memory)
    lines = [f"{memory['file']} is changed; its items are now:"]
    for number, item in numbered(made.memory):
        box = "" if item.checked is None else "[x] " if item.checked else "[ ] "
        lines.append(f"{number}. {box}{' '.join(item.text.split())}")
    text = "\n".join([*lines, *note_lines(made.notes)])
    return Said(text, {"memory": memory, "notes": list(made.notes)})


def _is_event(given: Given) -> bool:
    return any(given[name] for name in ("user", "ai", "thoughts"))


def _confirm(root: str, given: Given) -> str:
    if not enforces(root):
        return ""
    said = "; ".join(f"{name}: {given[name]}" for name in _TEXTS if given[name])
    listed = "; ".join(f"{name}: {', '.join(given[name])}" for name in _LISTS if given[name])
    what = " ".join("; ".join(filter(None, (said, listed))).split())
    return f'Change the short-term memory ("{what[:300]}")?'


def _by_hand(given: Given) -> list[str]:
    is_event = _is_event(given)
    words = ["synapse", "memory", "short-term", "log" if is_event else "set"]
    words += [given["summary"]] if given["summary"] and not is_event else []
    if is_event:
        said = ((name, given[name]) for name in ("user", "ai", "thoughts"))
        words += (word for name, text in said if text for word in (f"--{name}", text))
    items = ((_BY_HAND[name], text) for name in _LISTS for text in given[name])
    return words + [word for name, text in items for word in (f"--{name}", text)]


TOOL = Tool(
    name="short_term_update",
    title="Update the short-term memory",
    about="In a tree of Brainiac: keeps what happened and what is to be done in the short-term memory, "
    "which is told with every prompt. Adds an event to its log, adds goals, facts and tasks, ticks "
    "those that are done, or gives it another summary; everything else in it stays as it is.",
    fields=(
        Field("user", "for the log: what the user said"),
        Field("ai", "for the log: what was answered"),
        Field("thoughts", "for the log: what is to be thought of it"),
        Field("goals", "goals to be added", kind=LIST),
        Field("facts", "facts and decisions to be added", kind=LIST),
        Field("tasks", "tasks to be added", kind=LIST),
        Field("done", "goals and tasks that are done: words of each, or its number", kind=LIST),
        Field("dropped", "items that are to go: words of each, or its number", kind=LIST),
        Field("summary", "the new summary of the work at hand"),
    ),
    run=_run,
    changes=True,
    idempotent=False,
    confirm=_confirm,
    by_hand=_by_hand,
)
