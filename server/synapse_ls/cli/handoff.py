"""This module is ``synapse handoff``: it writes down where a session is, so that another one can go
on.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.recover import add_session_option, session_to_recover
from synapse_ls.cli.shared_options import add_format_option, root_of
from synapse_ls.formats.continuation_file import render_continuation
from synapse_ls.hooks.digest_worker import (
    MANUAL_REASON,
    make_digest,
    preview_continuation,
    transcript_path,
)
from synapse_ls.hooks.session_continuation import read_standing
from synapse_ls.memory import continuation_store
from synapse_ls.queries.recovery_report import continuation_report, session_start_report

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console


def _add_arguments(parser: Parser) -> None:
    add_session_option(parser)
    parser.add_argument(
        "--transcript",
        metavar="FILE",
        default="",
        help="the transcript of the session (default: where its client says that it is)",
    )
    group = parser.add_argument_group("Output")
    group.add_argument("--dry-run", action="store_true", help="only show it, and write nothing")
    add_format_option(group)


def _run(options: Namespace, console: Console) -> int:
    root = root_of(options)
    session = session_to_recover(root, options.session)
    transcript = str(Path(options.transcript).resolve()) if options.transcript else ""
    if transcript and not Path(transcript).is_file():
        raise CliError(f"There is no file {options.transcript}.", "Name a transcript.")
    now = time.time()
    if options.dry_run:
        found = preview_continuation(root, session, now=now, transcript=transcript)
        path = ""
    else:
        made = make_digest(
            root, session, now=now, reason=MANUAL_REASON, transcript=transcript, lock_seconds=10.0
        )
        written = (
            continuation_store.read_continuation(continuation_store.continuation_path(root), root)
            if made
            else None
        )
        if made is None or written is None:
            raise CliError(
                f"Another process is writing down session {session}.", "Try again when it is done."
            )
        found, path = written, made.continuation
    place = transcript or transcript_path(read_standing(root, session).session)
    if place and not Path(place).is_file():
        console.note(
            "The transcript of the session cannot be read: only what it noted is handed over."
        )
    if options.format == "json":
        told = continuation_report(found)
        console.json({**told, "path": path or None, "level2": session_start_report(found.client)})
        return 0
    for line in render_continuation(found).splitlines():
        console.line(line)
    if path:
        level2 = session_start_report(found.client)
        console.note(f"Written to {path}. {level2['title']}: {level2['say']}")
        if level2["command"]:
            console.note_line("  ", Styled(str(level2["command"]), "name"))
    return 0


HANDOFF = Command(
    description="""\
Writes .synapse/continuation/latest.md: where the session is, what was decided, what is open, which
errors there were and how they went away, which memories and files matter. It is made of the session,
the workflow, the task, and the transcript of the conversation; what was said since the last digest
becomes a digest, too. The file before is kept beside it. A session that begins later is told of it.""",
    examples=(
        ("Before closing the terminal", "synapse handoff"),
        ("Only look", "synapse handoff --dry-run"),
        ("Of a session that is over", "synapse handoff --session 4f1c --format json"),
    ),
    arguments=_add_arguments,
    run=_run,
)
