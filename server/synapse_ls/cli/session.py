"""This module is ``synapse session list|show``: it shows the sessions of a tree."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.relative_time import format_age
from synapse_ls.cli.shared_options import add_format_option, root_of
from synapse_ls.cli.situation_rows import Row, align_rows, situation_rows
from synapse_ls.cli.table import header_row, print_table, shorten_text
from synapse_ls.engine.context_usage import REPORTED, Usage
from synapse_ls.queries.report_model import to_json
from synapse_ls.queries.session_lookup import resolve_session
from synapse_ls.queries.session_report import session_report
from synapse_ls.storage.session_archive import list_sessions, parse_moment
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.plural_counts import format_count

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console
    from synapse_ls.storage.session_state import SessionState


def load_session(root: str, session_id: str) -> SessionState:
    """Loads the session that ``synapse session`` is about; raises CliError where it cannot be read."""
    session, problem = SessionStore(sessions_folder(root)).inspect(session_id)
    if session is None:
        raise CliError(
            f"The session {session_id} {problem or 'is gone'}.",
            "`synapse session list` shows those there are.",
        )
    return session


SESSION_HELP = 'the id, its unique beginning, or "current": the last one active within an hour'


_MAX_ID_WIDTH = 36
"""Cells that a list has for an id: those of a UUID. The beginning of one is as good as all of it."""


def _add_list_arguments(parser: Parser) -> None:
    add_format_option(parser.add_argument_group("Output"))


def _run_list(options: Namespace, console: Console) -> int:
    root = root_of(options)
    found = list_sessions(sessions_folder(root))
    if options.format == "json":
        console.json(to_json([session_report(info, root) for info in found]))
        return 0
    good = [info for info in found if not info.problem]
    now = time.time()
    rows: list[list[Part]] = [
        header_row("id", "last activity", "prompts", "bracket", "agent", "title")
    ]
    rows += [
        [
            Styled(shorten_text(info.session_id, _MAX_ID_WIDTH), "name"),
            format_age(info.last_activity, now),
            str(info.prompt_count),
            info.bracket or "-",
            f"@{info.agent}" if info.agent else "-",
            info.title or info.label,
        ]
        for info in good
    ]
    if good:
        print_table(rows, console, right_aligned={2})
    if not good:
        console.line("There are no sessions yet: the hook begins one with an agent's first prompt.")
    for info in found:
        if info.problem:
            console.note(f"{info.path} {info.problem}")
    return 0


def _add_show_arguments(parser: Parser) -> None:
    parser.add_argument("session", metavar="ID", help=SESSION_HELP)
    add_format_option(parser.add_argument_group("Output"))


def _run_show(options: Namespace, console: Console) -> int:
    root = root_of(options)
    session = load_session(root, resolve_session(root, options.session))
    if options.format == "json":
        console.json(session.to_document())
        return 0
    from synapse_ls.queries.context_question import Question, answer_question

    answer = answer_question(Question(root, session=session.id, standing=True))
    for line in align_rows(
        [*_session_rows(session), *situation_rows(answer), *_told_rows(session)]
    ):
        console.line(*line)
    return 0


def _usage_origin(session: SessionState) -> str:
    """Returns who has measured what the session knows of its window, "" for nobody."""
    origin = session.context.figures.get("origin")
    return origin if isinstance(origin, str) else ""


def _session_rows(session: SessionState) -> list[Row]:
    context = session.context
    now = time.time()
    return [
        ("session", [Styled(session.id, "title")]),
        ("title", [session.title or session.label or "-"]),
        ("folder", [session.cwd or "-"]),
        ("started", [_time_text(session.started, now)]),
        ("active", [_time_text(session.last_activity, now)]),
        (
            "prompts",
            [
                f"{session.prompt_count}, "
                f"{session.prompts_since_compaction} since the last compaction, "
                f"{format_count(context.compactions, 'compaction')}"
            ],
        ),
        (
            "bracket",
            [
                context.bracket,
                f": {Usage(float(context.percent_left), REPORTED).percent_text}% of the context "
                "window left when last measured",
                Styled(f" ({origin})", "dim") if (origin := _usage_origin(session)) else "",
            ],
        ),
    ]


def _told_rows(session: SessionState) -> list[Row]:
    """Returns what is switched for the session, and how much each of its windows holds."""
    rows: list[Row] = []
    overrides = session.overrides
    if overrides:
        rows.append(
            ("overrides", [", ".join(f"{key}={_switch_text(v)}" for key, v in overrides.items())])
        )
    for name, window in session.windows():
        told = window.standing
        rules = sum(map(len, told.values()))
        rows.append(
            (
                "told",
                [
                    f"{name}: {format_count(rules, 'line')} under {format_count(len(told), 'heading')}"
                ],
            )
        )
    return rows


def _time_text(text: object, now: float) -> str:
    at = parse_moment(text)
    return "-" if at is None else f"{text} ({format_age(at, now)})"


def _switch_text(value: object) -> str:
    return (
        {True: "on", False: "off"}.get(value, str(value)) if isinstance(value, bool) else str(value)
    )


LIST = Command(
    description="""\
One line for each session of the tree, the one with the latest activity first. Files that are no
session are named on standard error.""",
    examples=(
        ("Which sessions are there?", "synapse session list"),
        ("The id of the latest one, for a script", "synapse session list --format json | jq -r '.[0].id'"),
    ),
    arguments=_add_list_arguments,
    run=_run_list,
)  # fmt: skip

SHOW = Command(
    description="""\
What the session was told, and what its next prompt would be answered with: agent, workflow, task
and squad, as `synapse status` says them, with the source of each; overrides, and how much each of
its windows holds. With --format json it is the document of the session as it is kept, which has
only what was said or set in the session.""",
    examples=(
        ("The session that I work in", "synapse session show current"),
        ("By the beginning of its id", "synapse session show 4f1c"),
        ("The whole document", "synapse session show current --format json"),
    ),
    arguments=_add_show_arguments,
    run=_run_show,
)
