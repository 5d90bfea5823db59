"""``synapse session list`` and ``show``: looking at sessions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.header import aligned
from synapse_ls.cli.options import add_format, root_of
from synapse_ls.cli.sessions import ago, loaded
from synapse_ls.cli.table import columns, header, shortened
from synapse_ls.engine.usage import REPORTED, Usage
from synapse_ls.service.inventory import session_report, sessions_folder
from synapse_ls.service.named_session import resolved
from synapse_ls.sessions.archive import list_sessions, moment
from synapse_ls.sessions.changes import prompts_since_compaction
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Any

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser

SESSION_HELP = 'the id, its unique beginning, or "current": the last one active within an hour'


_WIDEST_ID = 36
"""Cells that a list has for an id: those of a UUID. The beginning of one is as good as all of it."""


def _list_arguments(parser: Parser) -> None:
    add_format(parser.add_argument_group("Output"))


def _list(options: Namespace, console: Console) -> int:
    root = root_of(options)
    found = list_sessions(sessions_folder(root))
    if options.format == "json":
        console.json([session_report(info, root) for info in found])
        return 0
    good = [info for info in found if not info.problem]
    now = time.time()
    rows: list[list[Part]] = [header("id", "last activity", "prompts", "bracket", "agent", "title")]
    rows += [
        [
            Styled(shortened(info.session_id, _WIDEST_ID), "name"),
            ago(info.last_activity, now),
            str(info.prompt_count),
            info.bracket or "-",
            f"@{info.agent}" if info.agent else "-",
            info.title or info.label,
        ]
        for info in good
    ]
    for line in columns(rows, right={2}) if good else ():
        console.line(*line)
    if not good:
        console.line("There are no sessions yet: the hook begins one with an agent's first prompt.")
    for info in found:
        if info.problem:
            console.note(f"{info.path} {info.problem}")
    return 0


def _show_arguments(parser: Parser) -> None:
    parser.add_argument("session", metavar="ID", help=SESSION_HELP)
    add_format(parser.add_argument_group("Output"))


def _show(options: Namespace, console: Console) -> int:
    root = root_of(options)
    session = loaded(root, resolved(root, options.session))
    if options.format == "json":
        console.json(session)
        return 0
    for line in aligned(_rows(session)):
        console.line(*line)
    return 0


def _origin(context: dict[str, Any]) -> str:
    """Who has measured what the session knows of its window, "" for nobody."""
    origin = _object(context, "usage").get("origin")
    return origin if isinstance(origin, str) else ""


def _rows(session: dict[str, Any]) -> list[tuple[str, list[Part]]]:
    context = _object(session, "context")
    now = time.time()
    left = context.get("last_context_percent")
    rows: list[tuple[str, list[Part]]] = [
        ("session", [Styled(str(session.get("uuid")), "title")]),
        ("title", [str(session.get("title") or session.get("label") or "-")]),
        ("folder", [str(session.get("cwd") or "-")]),
        ("started", [_when(session.get("started"), now)]),
        ("active", [_when(session.get("last_activity"), now)]),
        (
            "prompts",
            [
                f"{_count(session.get('prompt_count'))}, "
                f"{prompts_since_compaction(session)} since the last compaction, "
                f"{counted(_count(context.get('compactions')), 'compaction')}"
            ],
        ),
        (
            "window",
            [
                f"{context.get('last_bracket') or '-'}",
                f" · {Usage(float(left), REPORTED).percent}% left"
                if left is not None and _is_number(left)
                else "",
                Styled(f" ({origin})", "dim") if (origin := _origin(context)) else "",
            ],
        ),
        ("agent", [f"@{name}" if (name := _name(session, "active_agent", "id")) else "none"]),
        ("workflow", [_joined(session, "active_workflow", "id", "phase", "current_phase")]),
        ("task", [_joined(session, "active_task", "id", "story", "story")]),
        ("squad", [_name(session, "active_squad", "name") or "none"]),
    ]
    overrides = _object(session, "overrides")
    if overrides:
        rows.append(
            ("overrides", [", ".join(f"{key}={_switch(v)}" for key, v in overrides.items())])
        )
    for name, window in _object(session, "windows").items():
        told = _object(window, "stands") if isinstance(window, dict) else {}
        rules = sum(len(known) for known in told.values() if isinstance(known, dict))
        rows.append(
            ("told", [f"{name}: {counted(rules, 'line')} under {counted(len(told), 'heading')}"])
        )
    return rows


def _when(text: object, now: float) -> str:
    at = moment(text)
    return "-" if at is None else f"{text} ({ago(at, now)})"


def _object(value: dict[str, Any], field: str) -> dict[str, Any]:
    found = value.get(field)
    return found if isinstance(found, dict) else {}


def _name(session: dict[str, Any], field: str, key: str) -> str:
    value = session.get(field)
    found = value.get(key) if isinstance(value, dict) else value
    return found if isinstance(found, str) else ""


def _joined(session: dict[str, Any], field: str, key: str, noun: str, other: str) -> str:
    more = _object(session, field).get(other)
    return (_name(session, field, key) or "none") + (f", {noun} {more}" if more else "")


def _switch(value: object) -> str:
    return (
        {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    )


def _count(value: object) -> int:
    return value if isinstance(value, int) else 0


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


LIST = Command(
    description="""\
One line for each session of the tree, the one with the latest activity first. Files that are no
session are named on standard error.""",
    examples=(
        ("Which sessions are there?", "synapse session list"),
        ("The id of the latest one, for a script", "synapse session list --format json | jq -r '.[0].id'"),
    ),
    arguments=_list_arguments,
    run=_list,
)  # fmt: skip

SHOW = Command(
    description="""\
What the session was told, and what the next prompt would be answered with: its agent, workflow,
task, squad and overrides, and how much each of its windows holds.""",
    examples=(
        ("The session that I work in", "synapse session show current"),
        ("By the beginning of its id", "synapse session show 4f1c"),
        ("The whole document", "synapse session show current --format json"),
    ),
    arguments=_show_arguments,
    run=_show,
)
