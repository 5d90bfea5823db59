"""This module is ``synapse session set|reset|clean|migrate``: it changes and archives sessions, and
converts those of other tools and older schemas, with a way back.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.command_table import Command
from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.session import SESSION_HELP
from synapse_ls.cli.shared_options import root_of
from synapse_ls.cli.table import print_table
from synapse_ls.cli.tree_changes import load_options_tree
from synapse_ls.queries.session_lookup import resolve_session
from synapse_ls.setup import session_conversion as migration
from synapse_ls.storage.session_settings import SETTABLE_FIELDS, parse_setting_switch, set_fields
from synapse_ls.storage.session_store import SessionStore, sessions_folder
from synapse_ls.text.plural_counts import format_count

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from synapse_ls.cli.command_parser import Parser
    from synapse_ls.cli.console import Console
    from synapse_ls.storage.session_state import SessionState

    Change = Callable[[SessionState], object]
    from collections.abc import Iterable

    from synapse_ls.setup.session_conversion import ConversionStep


def _add_set_arguments(parser: Parser) -> None:
    parser.add_argument("session", metavar="ID", help=SESSION_HELP)
    parser.add_argument(
        "assignments",
        metavar="NAME=VALUE",
        nargs="+",
        help=f"{', '.join(SETTABLE_FIELDS)}, DEVMODE or {{DOMAIN}}_STATE; an empty value clears it",
    )


def _run_set(options: Namespace, console: Console) -> int:
    root = root_of(options)
    session_id = resolve_session(root, options.session)
    wanted = dict(_parse_assignment(text) for text in options.assignments)
    for note in set_fields(root, session_id, wanted, now=time.time()):
        console.note(note)
    for key, value in wanted.items():
        console.line(Styled(key, "name"), f" = {value}" if value else " cleared")
    return 0


def _parse_assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    key = name.strip()
    if key.lower() in SETTABLE_FIELDS:
        key = key.lower()
    elif key.upper() == "DEVMODE" or key.upper().endswith("_STATE"):
        key = key.upper()
        if equals:
            parse_setting_switch(key, value.strip())
    else:
        from synapse_ls.workspace.name_suggestions import suggest_names

        listed = f"Set {', '.join(SETTABLE_FIELDS)}, DEVMODE or a {{DOMAIN}}_STATE."
        raise CliError(
            f'A session has no "{key}" to set.',
            suggest_names(key, (*SETTABLE_FIELDS, "DEVMODE"), listed),
        )
    if not equals:
        raise CliError(f"{key} has no value.", f"Write {key}=VALUE, or {key}= to clear it.")
    return key, value.strip().removeprefix("@") if key == "agent" else value.strip()


def _add_reset_arguments(parser: Parser) -> None:
    parser.add_argument("session", metavar="ID", help=SESSION_HELP)


def _run_reset(options: Namespace, console: Console) -> int:
    root = root_of(options)
    session_id = resolve_session(root, options.session)
    _update_session(root, session_id, _reset_session, console)
    console.line(f"Reset {session_id}: its next prompt gets the full block.")
    return 0


def _reset_session(session: SessionState) -> None:
    """Resets what the windows were sent, and everything that counts prompts; nothing else."""
    session.clear_windows()
    session.prompt_count = 0
    context = session.context
    context.prompts, context.compactions, context.figures = None, 0, {}
    context.tokens_used, context.percent_left = 0, 100


def _update_session(root: str, session_id: str, change: Change, console: Console) -> None:
    transaction = SessionStore(sessions_folder(root)).update(
        session_id, change, cwd=root, now=time.time()
    )
    for note in transaction.notes:
        console.note(note)


def _add_clean_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--hours",
        metavar="N",
        type=float,
        help="without activity for so long (default: session.stale_hours of config.toml, 168)",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be archived")


def _run_clean(options: Namespace, console: Console) -> int:
    from synapse_ls.storage.session_archive import archive_stale, list_sessions

    root, tree = load_options_tree(options)
    folder = sessions_folder(root)
    now = time.time()
    configured = tree.snapshot.config.session.stale_hours
    hours: float = configured if options.hours is None else options.hours
    if not hours >= 0:
        raise CliError(
            f"{hours:g} hours is no length of time.", "Give a number of hours from 0 up."
        )
    if options.dry_run:
        stale = [
            info.session_id
            for info in list_sessions(folder)
            if not info.problem and info.last_activity < now - hours * 3600
        ]
        for session_id in stale:
            console.line(session_id)
        console.line(f"{format_count(len(stale), 'session')} would be archived.")
        return 0
    done = archive_stale(folder, now=now, hours=hours)
    for old, _ in done.moved:
        console.line(old.rpartition("/")[2].removesuffix(".json"))
    for path, reason in done.skipped:
        console.note(f"{path} stays: {reason}")
    console.line(f"{format_count(len(done.moved), 'session')} archived.")
    return 0


SET = Command(
    description="""\
The next prompt of the session is answered with what you set. {DOMAIN}_STATE switches a domain for
this session only, DEVMODE shows the state behind the block to the agent; both take on and off. A
domain that is marked _NON_NEGOTIABLE cannot be switched off.""",
    examples=(
        ("Work as @dev on a story", "synapse session set current agent=dev task=implement-auth story=STORY-42"),
        ("Move a workflow on", "synapse session set current workflow=story_development phase=qa_review"),
        ("Leave a domain out for today, and end the task", "synapse session set current TESTING_STATE=off task="),
    ),
    arguments=_add_set_arguments,
    run=_run_set,
)  # fmt: skip

RESET = Command(
    description="""\
Forgets what the session's windows were told and sets its counters to zero, so that the next prompt
gets the full block as in a new session. Agent, workflow, task, squad and overrides stay.""",
    examples=(("The agent seems to have forgotten its rules", "synapse session reset current"),),
    arguments=_add_reset_arguments,
    run=_run_reset,
)

CLEAN = Command(
    description="""\
Moves sessions without activity for a week into sessions/archive/. One that goes on later is taken
back by itself. This command deletes none; the hook's daily tidying deletes the oldest archived ones
where all of them and the digests have more than session.kept_megabytes of config.toml (25).""",
    examples=(
        ("What would go?", "synapse session clean --dry-run"),
        ("Keep only the last day", "synapse session clean --hours 24"),
    ),
    arguments=_add_clean_arguments,
    run=_run_clean,
)


def _add_migrate_arguments(parser: Parser) -> None:
    way = parser.add_mutually_exclusive_group()
    way.add_argument("--dry-run", action="store_true", help="only say what would be converted")
    way.add_argument("--rollback", action="store_true", help="undo the last migration, to the byte")


def _run_migrate(options: Namespace, console: Console) -> int:
    root = root_of(options)
    now = time.time()
    if options.rollback:
        undone = migration.rollback_conversion(root, now=now)
        _print_pairs(console, [("restored", path) for path in undone.restored])
        _print_pairs(console, [("removed", path) for path in undone.removed])
        console.line(f"Rolled back {_relative_path(undone.backup, root)}.")
        return 0
    if options.dry_run:
        plan = migration.plan_conversion(root, now=now)
        _print_steps(console, plan.steps, plan.skipped)
        console.line(f"{format_count(len(plan.steps), 'session')} would be converted.")
        return 0
    done = migration.convert_sessions(root, now=now)
    _print_steps(console, done.done, done.skipped)
    kept = f"; the backup is {_relative_path(done.backup, root)}" if done.backup else ""
    console.line(f"{format_count(len(done.done), 'session')} converted{kept}.")
    return 0


def _relative_path(path: str, root: str) -> str:
    return os.path.relpath(Path(root, path), root).replace(os.sep, "/")


def _print_steps(
    console: Console, steps: Iterable[ConversionStep], skipped: Iterable[tuple[str, str]]
) -> None:
    _print_pairs(
        console, [(", ".join(path for path, _ in s.sources), f"-> {s.target}") for s in steps]
    )
    for source, reason in skipped:
        console.note(f"{source} stays as it is: {reason}")


def _print_pairs(console: Console, pairs: list[tuple[str, str]]) -> None:
    rows: list[list[Part]] = [[Styled(first, "name"), second] for first, second in pairs]
    print_table(rows, console)


MIGRATE = Command(
    description="""\
Converts the sessions of CARL (.carl/sessions/), of AIOS and AIOX (session-state.json) and those of
older schemas. The files of other tools are only read; what is replaced here is backed up first.""",
    examples=(
        ("What would be converted?", "synapse session migrate --dry-run"),
        ("Take it back", "synapse session migrate --rollback"),
    ),
    arguments=_add_migrate_arguments,
    run=_run_migrate,
)
