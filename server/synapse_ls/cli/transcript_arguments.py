"""This module opens the transcripts of past sessions that `replay` and `coverage` take as
arguments: files and folders.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.cli.cli_error import CliError
from synapse_ls.cli.client_options import check_client
from synapse_ls.integrations import client_registry as hosts
from synapse_ls.integrations.transcript_formats import HEAD_BYTES, find_reader
from synapse_ls.integrations.turn_reader import read_lines
from synapse_ls.workspace.regular_files import open_stream

if TYPE_CHECKING:
    from types import ModuleType

    from synapse_ls.cli.console_progress import Progress
    from synapse_ls.queries.session_replay import ReplayStep

SUFFIXES = (".jsonl", ".json")


class Transcript(NamedTuple):
    """A Transcript is one that a command takes as argument: its file, what reads it, and the client
    that is played.
    """

    path: Path
    reader: ModuleType
    integration: ModuleType

    @property
    def client(self) -> str:
        """Returns the name of the client that is played."""
        return str(self.integration.NAME)


def open_transcripts(names: Iterable[str], client: str) -> list[Transcript]:
    """Opens the transcripts that a command takes as arguments, those of a folder in the order of
    their names.

    client: under which one they are played, "" for that which wrote them. Raises CliError for a
    file that is none and for a folder without any.
    """
    check_client(client)
    found: list[Transcript] = []
    for name in names:
        path = Path(name)
        if path.is_dir():
            inside = [
                one for file in _transcript_files(path) if (one := _recognize_inside(file, client))
            ]
            if not inside:
                raise CliError(f"There is no transcript in {name}.", "Name a file.")
            found += inside
            continue
        one = _recognize_transcript(path, client)
        if one is None:
            raise CliError(
                f"{name} is no transcript of a client that is known.",
                "Transcripts of Claude Code, Codex, Copilot, Gemini CLI, Antigravity and Cursor are read.",
            )
        found.append(one)
    return found


def replay_steps(transcript: Transcript, root: str, progress: Progress) -> Iterator[ReplayStep]:
    """Yields what would be sent in the session of a transcript given as argument, step by step; the
    file is read as they are asked for.
    """
    from synapse_ls.queries.past_sessions import recorded_session, session_ids
    from synapse_ls.queries.session_replay import replay_session

    with open_stream(transcript.path) as stream:
        total = transcript.path.stat().st_size
        tell = progress.counter(f"replayed {transcript.path.name}, bytes")

        def lines() -> Iterator[bytes]:
            done = 0
            for line in read_lines(stream):
                done += len(line)
                tell(done, total)
                yield line

        turns = transcript.reader.read_turns(lines())
        recorded = recorded_session(root, session_ids(str(transcript.path)))
        yield from replay_session(root, turns, transcript.integration, recorded)


def _transcript_files(folder: Path) -> list[Path]:
    """Returns the files of a folder that may be transcripts; what a client removes meanwhile is none."""
    inside = (Path(place, name) for place, _, names in os.walk(folder) for name in names)
    return sorted(path for path in inside if path.suffix in SUFFIXES and path.is_file())


def _recognize_inside(path: Path, client: str) -> Transcript | None:
    """Returns the transcript that a file of a folder is; None for another file, and for one that a
    client has removed since the folder was read.
    """
    try:
        return _recognize_transcript(path, client)
    except CliError:
        if path.exists():
            raise
        return None


def _recognize_transcript(path: Path, client: str) -> Transcript | None:
    """Returns the transcript that a file is, by its beginning; None for another file."""
    try:
        with open_stream(path) as stream:
            reader = find_reader(stream.read(HEAD_BYTES))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CliError(f"Cannot read {path}: {reason}.", "Name a transcript.") from error
    if reader is None:
        return None
    host = hosts.load_client(client or reader.NAME)
    assert host is not None
    return Transcript(path, reader, host)
