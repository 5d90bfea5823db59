"""Options that several commands share for agent clients and their transcripts."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from synapse_ls.cli.command_table import ChoiceType, Option, option
from synapse_ls.cli.console import Console, Progress, Styled
from synapse_ls.cli.file_changes import show_text_diff
from synapse_ls.formats.managed_block import HOOK, parse
from synapse_ls.integrations import client_registry as hosts
from synapse_ls.integrations import transcript_formats, transcript_turns
from synapse_ls.integrations.client_settings import SCOPES, Client, Surroundings
from synapse_ls.integrations.hook_client import HookClient
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.queries import session_replay
from synapse_ls.setup import sync_plan
from synapse_ls.setup.install.settings_backup import backup_path
from synapse_ls.setup.planned_changes import DONE_WORDS
from synapse_ls.setup.sync_plan import write_changes
from synapse_ls.storage.trusted_trees import change_note
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.regular_files import open_stream
from synapse_ls.workspace.tree_search_upward import find_root

if TYPE_CHECKING:
    from synapse_ls.setup.install.hook_installation import SettingsChange

ALL = "all"


def client_option(*, default: str) -> Option:
    """Return ``--client NAME``: several with commas, or given again."""
    return option(
        "--client NAME",
        f"{{}}; several with commas, or given again (default: {default})",
        choices=ChoiceType((*CLIENTS, ALL), takes_list=True),
        action="extend",
        default=[],
        dest="clients",
    )


def scope_option(*, default: str) -> Option:
    """Return ``--scope NAME``."""
    return option(
        "--scope NAME",
        "project: shared with the repository; local: this project, this user; user: all "
        f"projects of this user (default: {default})",
        choices=SCOPES,
        default=None,
    )


def find_surroundings(options: Namespace) -> Surroundings:
    """Return the project in which a command looks for the settings of agent clients: that of the
    tree, else the folder that was named.
    """
    if (named := getattr(options, "root", "")) and not Path(named).exists():
        raise UserError(f"There is no folder {named}.", "Name the workspace with --root DIR.")
    start = str(Path(named or ".").absolute())
    return Surroundings.of_process(find_root(start) or start)


def selected_clients(options: Namespace) -> list[Client]:
    """Return the clients of ``--client``, in the order of the registry; none where it was not
    given.
    """
    names = options.clients
    return [c for c in CLIENTS.values() if c.name in names or ALL in names]


def has_tree(around: Surroundings) -> bool:
    """Return whether the project of the clients that a command is about has a tree."""
    return find_root(str(around.root)) == str(around.root)


def show_changes(changes: Sequence[SettingsChange], console: Console, *, dry_run: bool) -> None:
    """Show the changes of client settings as a diff, or what was done to which file."""
    if dry_run:
        for change in changes:
            show_text_diff(change.diff, console)
        return
    console.table(
        [
            DONE_WORDS[change.action],
            Styled(change.path, "name"),
            Styled(", ".join(CLIENTS[name].title for name in change.clients), "dim"),
        ]
        for change in changes
    )


def follow_hook(around: Surroundings) -> list[str]:
    """Have files that `synapse sync` keeps hold the rules only for clients that do not call the
    hook, which may have changed; return a sentence for each.
    """
    if not has_tree(around):
        return []
    if note := change_note(str(around.root)):
        return [note]
    notes = []
    for change in write_changes(around.root, sync_plan.plan_other_kind(around.root)):
        document = parse((change.after or b"").decode("utf-8", "replace")).document
        if document is None or document.kind == HOOK:
            notes.append(f"{change.path} only says where the rules are, which the hook injects")
            if without := sync_plan.note_without_rules(around.root, change.target.split("+")):
                notes.append(f"{change.path} {without}")
        else:
            notes.append(
                f"{change.path} holds the rules again: the hook does not inject them any more"
            )
            if waiting := sync_plan.waiting_domains(sync_plan.load_plan_tree(around.root)):
                lost = f"has no rule of {waiting}, of which only a hook knows when they apply"
                notes.append(f"{change.path} {lost}")
    return notes


def changes_report(changes: Sequence[SettingsChange]) -> list[dict[str, Any]]:
    """Return the changes of client settings as data."""
    return [
        {
            "path": change.path,
            "file": str(change.file),
            "clients": list(change.clients),
            "scope": change.scope,
            "action": change.action,
            "diff": change.diff,
            "backup": str(backup) if (backup := backup_path(change.file)).exists() else "",
        }
        for change in changes
    ]


def check_client(name: str) -> None:
    """Raise UserError where the option for an agent client names one that nobody knows; "" is
    any.
    """
    if name and hosts.load_client(name) is None:
        names = ", ".join(sorted(hosts.HOOK_CLIENTS))
        raise UserError(f'There is no client "{name}".', f"Choose one of {names}.")


SUFFIXES = (".jsonl", ".json")


class Transcript(NamedTuple):
    """One that a command takes as argument: its file, what reads it, and the client that is
    played.
    """

    path: Path
    reader: transcript_turns.HistoryReader
    integration: HookClient

    @property
    def client(self) -> str:
        """The name of the client that is played."""
        return self.integration.name


def open_transcripts(names: Iterable[str], client: str) -> list[Transcript]:
    """Open the transcripts that a command takes as arguments, those of a folder in the order of
    their names.

    client: under which one they are played, "" for that which wrote them. Raises UserError for a
    file that is none and for a folder without any.
    """
    check_client(client)
    transcripts: list[Transcript] = []
    for name in names:
        if (path := Path(name)).is_dir():
            file_inside = (Path(place, name) for place, _, names in os.walk(path) for name in names)
            inside = [
                transcript
                for file in sorted(
                    path for path in file_inside if path.suffix in SUFFIXES and path.is_file()
                )
                if (transcript := _recognize_inside(file, client))
            ]
            if not inside:
                raise UserError(f"There is no transcript in {name}.", "Name a file.")
            transcripts += inside
            continue
        if (transcript := _recognize_transcript(path, client)) is None:
            raise UserError(
                f"{name} is no transcript of a client that is known.",
                "Transcripts of Claude Code, Codex, Copilot, Gemini CLI, Antigravity and Cursor "
                "are read.",
            )
        transcripts.append(transcript)
    return transcripts


def replay_steps(
    transcript: Transcript, root: str, progress: Progress
) -> Iterator[session_replay.ReplayStep]:
    """Yield what would be sent in the session of a transcript given as argument, step by step; the
    file is read as they are asked for.
    """
    with open_stream(transcript.path) as stream:
        total = transcript.path.stat().st_size
        tell = progress.counter(f"replayed {transcript.path.name}, bytes")

        def lines() -> Iterator[bytes]:
            done = 0
            for line in transcript_turns.read_lines(stream):
                done += len(line)
                tell(done, total)
                yield line

        turns = transcript.reader.read_turns(lines())
        recorded = session_replay.recorded_session(
            root, session_replay.session_ids(str(transcript.path))
        )
        yield from session_replay.replay_session(root, turns, transcript.integration, recorded)


def _recognize_inside(path: Path, client: str) -> Transcript | None:
    """Return the transcript that a file of a folder is; None for another file, and for one that a
    client has removed since the folder was read.
    """
    try:
        return _recognize_transcript(path, client)
    except UserError:
        if path.exists():
            raise
        return None


def _recognize_transcript(path: Path, client: str) -> Transcript | None:
    """Return the transcript that a file is, by its beginning; None for another file."""
    try:
        with open_stream(path) as stream:
            reader = transcript_formats.find_reader(stream.read(transcript_formats.HEAD_BYTES))
    except OSError as error:
        raise UserError.of_failure(f"read {path}", error, "Name a transcript.") from error
    if reader is None:
        return None
    host = hosts.load_client(client or reader.client)
    assert host is not None
    return Transcript(path, reader, host)
