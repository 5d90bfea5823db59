"""Transcripts of past sessions, as `replay` and `coverage` are given them: files and folders."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.cli.errors import CliError
from synapse_ls.hosts import registry as hosts
from synapse_ls.hosts.transcripts.history.reading import lines_of
from synapse_ls.hosts.transcripts.registry import HEAD, recognise

if TYPE_CHECKING:
    from types import ModuleType

    from synapse_ls.cli.progress import Progress
    from synapse_ls.service.replay import Step

ENDINGS = (".jsonl", ".json")


class Transcript(NamedTuple):
    """A file, what reads it, and the client that is played."""

    path: Path
    reader: ModuleType
    host: ModuleType

    @property
    def client(self) -> str:
        """The client that is played."""
        return str(self.host.NAME)


def check_client(name: str) -> None:
    """CliError for a client that nobody knows; "" is any."""
    if name and hosts.host(name) is None:
        names = ", ".join(sorted(hosts.HOSTS))
        raise CliError(f'There is no client "{name}".', f"Choose one of {names}.")


def chosen(given: Iterable[str], client: str) -> list[Transcript]:
    """The transcripts that are meant, those of a folder in the order of their names.

    client: under which one they are played, "" for that which wrote them. CliError for a file that
    is none and for a folder without any.
    """
    check_client(client)
    found: list[Transcript] = []
    for name in given:
        path = Path(name)
        if path.is_dir():
            inside = [one for file in _files(path) if (one := _recognised(file, client))]
            if not inside:
                raise CliError(f"There is no transcript in {name}.", "Name a file.")
            found += inside
            continue
        one = _recognised(path, client)
        if one is None:
            raise CliError(
                f"{name} is no transcript of a client that is known.",
                "Transcripts of Claude Code, Codex, Copilot, Gemini CLI, Antigravity and Cursor are read.",
            )
        found.append(one)
    return found


def steps(transcript: Transcript, root: str, progress: Progress) -> Iterator[Step]:
    """What would be told in the session, step by step; the file is read as they are asked for."""
    from synapse_ls.service.replay import replayed

    with transcript.path.open("rb") as stream:
        total = transcript.path.stat().st_size
        tell = progress.of(f"replayed {transcript.path.name}, bytes")

        def lines() -> Iterator[bytes]:
            done = 0
            for line in lines_of(stream):
                done += len(line)
                tell(done, total)
                yield line

        yield from replayed(root, transcript.reader.turns(lines()), transcript.host)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in ENDINGS and path.is_file())


def _recognised(path: Path, client: str) -> Transcript | None:
    """The transcript that a file is, by its beginning; None for another file."""
    try:
        with path.open("rb") as stream:
            reader = recognise(stream.read(HEAD))
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise CliError(f"Cannot read {path}: {reason}.", "Name a transcript.") from error
    if reader is None:
        return None
    host = hosts.host(client or reader.NAME)
    assert host is not None
    return Transcript(path, reader, host)
