"""``synapse session set``, ``reset`` and ``clean``: changing sessions."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.console import Styled
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.options import root_of
from synapse_ls.cli.session import SESSION_HELP
from synapse_ls.cli.writing import loaded_tree
from synapse_ls.service import windows
from synapse_ls.service.inventory import sessions_folder
from synapse_ls.service.named_session import resolved
from synapse_ls.service.session_fields import FIELDS, set_fields, switched
from synapse_ls.sessions.store import SessionStore
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser
    from synapse_ls.sessions.changes import Session

    Change = Callable[[Session], object]


def _set_arguments(parser: Parser) -> None:
    parser.add_argument("session", metavar="ID", help=SESSION_HELP)
    parser.add_argument(
        "assignments",
        metavar="NAME=VALUE",
        nargs="+",
        help=f"{', '.join(FIELDS)}, DEVMODE or {{DOMAIN}}_STATE; an empty value clears it",
    )


def _set(options: Namespace, console: Console) -> int:
    root = root_of(options)
    session_id = resolved(root, options.session)
    wanted = dict(_assignment(text) for text in options.assignments)
    for note in set_fields(root, session_id, wanted, now=time.time()):
        console.note(note)
    for key, value in wanted.items():
        console.line(Styled(key, "name"), f" = {value}" if value else " cleared")
    return 0


def _assignment(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    key = name.strip()
    if key.lower() in FIELDS:
        key = key.lower()
    elif key.upper() == "DEVMODE" or key.upper().endswith("_STATE"):
        key = key.upper()
        if equals:
            switched(key, value.strip())
    else:
        from synapse_ls.text.near import nearest

        meant = nearest(key, (*FIELDS, "DEVMODE"))
        raise CliError(
            f'A session has no "{key}" to set.',
            f"Did you mean {meant}?"
            if meant
            else f"Set {', '.join(FIELDS)}, DEVMODE or a {{DOMAIN}}_STATE.",
        )
    if not equals:
        raise CliError(f"{key} has no value.", f"Write {key}=VALUE, or {key}= to clear it.")
    return key, value.strip().removeprefix("@") if key == "agent" else value.strip()


def _reset_arguments(parser: Parser) -> None:
    parser.add_argument("session", metavar="ID", help=SESSION_HELP)


def _reset(options: Namespace, console: Console) -> int:
    root = root_of(options)
    session_id = resolved(root, options.session)
    _update(root, session_id, _begin_anew, console)
    console.line(f"Reset {session_id}: its next prompt gets the full block.")
    return 0


def _begin_anew(session: Session) -> None:
    """What the windows were told, and everything that counts prompts; nothing else."""
    session.pop(windows.FIELD, None)
    session["prompt_count"] = 0
    context = session.get("context")
    if isinstance(context, dict):
        for name in ("prompts_since_compaction", "compactions", "last_tokens_used", "usage"):
            context.pop(name, None)
        context["last_context_percent"] = 100


def _update(root: str, session_id: str, change: Change, console: Console) -> None:
    transaction = SessionStore(sessions_folder(root)).update(
        session_id, change, cwd=root, now=time.time()
    )
    for note in transaction.notes:
        console.note(note)


def _clean_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--hours",
        metavar="N",
        type=float,
        help="without activity for so long (default: session.stale_hours of config.toml, 168)",
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be archived")


def _clean(options: Namespace, console: Console) -> int:
    from synapse_ls.sessions.archive import archive_stale, list_sessions

    root, tree = loaded_tree(options)
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
        console.line(f"{counted(len(stale), 'session')} would be archived.")
        return 0
    done = archive_stale(folder, now=now, hours=hours)
    for old, _ in done.moved:
        console.line(old.rpartition("/")[2].removesuffix(".json"))
    for path, reason in done.left:
        console.note(f"{path} stays: {reason}")
    console.line(f"{counted(len(done.moved), 'session')} archived.")
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
    arguments=_set_arguments,
    run=_set,
)  # fmt: skip

RESET = Command(
    description="""\
Forgets what the session's windows were told and sets its counters to zero, so that the next prompt
gets the full block as in a new session. Agent, workflow, task, squad and overrides stay.""",
    examples=(("The agent seems to have forgotten its rules", "synapse session reset current"),),
    arguments=_reset_arguments,
    run=_reset,
)

CLEAN = Command(
    description="""\
Moves sessions without activity for a week into sessions/archive/. None is deleted: one that goes on
later is taken back by itself.""",
    examples=(
        ("What would go?", "synapse session clean --dry-run"),
        ("Keep only the last day", "synapse session clean --hours 24"),
    ),
    arguments=_clean_arguments,
    run=_clean,
)
