"""The story that is worked on: the one the session names, else one that says it is in progress."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from synapse_ls.activation.files import Files
from synapse_ls.activation.loaders import Slot, UnavailableError
from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.named import named_path
from synapse_ls.engine.plan import slug_of
from synapse_ls.workspace.naming import stem
from synapse_ls.workspace.stamps import take

LOOKED_AT = 60
"""Stories that are looked at, those that changed last: one that is worked on is among them."""

AT_WORK = ("in_progress", "in_review", "blocked")
"""The states of a story that somebody is at work on, those that count first."""


@dataclass(frozen=True, slots=True)
class Story:
    """A story. ``state``: draft, ready, in_progress, in_review, done, blocked or "".

    ``why``: how it is known that it is this one. ``others``: how many more are in the same state.
    """

    id: str
    title: str
    state: str
    path: str
    epic: str = ""
    why: str = ""
    others: int = 0

    def report(self) -> dict[str, Any]:
        """It as plain values."""
        return {
            "id": self.id,
            "title": self.title or None,
            "state": self.state or None,
            "epic": self.epic or None,
            "file": self.path or None,
            "why": self.why or None,
            "others": self.others,
        }


def load(
    files: Files, known: Mapping[str, str], given: str, given_path: str, branch: str, slot: Slot
) -> None:
    """The story at work. known: name -> path of the stories; given: the one that the session or the
    task names, with its file; branch: the branch that is checked out.
    """
    if given or given_path:
        path = given_path or named_path(known, given)
        slot.put(Story(neutralise(given) or stem(path), "", "", path, why="it is the active one"))
        found = _read(files, path) if path else None
        if found is not None:
            slot.put(_story(found, path, "it is the active one"))
        elif not path:
            slot.notes.append(f"no file is called after the story {neutralise(given)}")
        return
    found_at: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    for path in _latest(files, tuple(known.values())):
        if not slot.left():
            raise UnavailableError("there was no time to look at all stories")
        try:
            row = _read(files, path)
        except UnavailableError as error:
            slot.notes.append(str(error))
            continue
        if row is not None and row["state"] in AT_WORK:
            found_at.setdefault(row["state"], []).append((path, row))
    for state in AT_WORK:
        candidates = found_at.get(state)
        if candidates:
            slot.put(_chosen(candidates, branch))
            return


def state_of(files: Files, known: Mapping[str, str], story: str) -> str:
    """The state of a story by its name or id, "" where nothing says it. known: name -> path."""
    path = named_path(known, story)
    try:
        found = _read(files, path) if path else None
    except UnavailableError:
        return ""
    return str(found["state"]) if found else ""


def _chosen(candidates: Sequence[tuple[str, dict[str, Any]]], branch: str) -> Story:
    """The story that the branch is called after, else the one that changed last."""
    words = f"_{slug_of(branch)}_"
    for path, row in candidates:
        if branch and any(
            f"_{slug_of(n)}_" in words for n in (row["id"], stem(path)) if slug_of(n)
        ):
            return _story(row, path, "the branch is called after it", len(candidates) - 1)
    path, row = candidates[0]
    state = row["state"].replace("_", " ")
    why = f"it is {state}" if len(candidates) == 1 else f"it is {state} and changed last"
    return _story(row, path, why, len(candidates) - 1)


def _latest(files: Files, paths: Sequence[str]) -> Iterator[str]:
    stamps = ((take(files.path(path)), path) for path in paths)
    found = sorted(((-stamp[0], path) for stamp, path in stamps if stamp))
    return (path for _, path in found[:LOOKED_AT])


def _read(files: Files, path: str) -> dict[str, Any] | None:
    found: dict[str, Any] | None = files.made("story", path, _plain)
    return found


def _plain(text: str) -> dict[str, Any]:
    from synapse_ls.formats.story import parse

    document = parse(text).document
    return {
        "id": neutralise(document.id),
        "title": neutralise(document.title)[:200],
        "state": document.state,
        "epic": neutralise(document.epic)[:80],
    }


def _story(row: dict[str, Any], path: str, why: str, others: int = 0) -> Story:
    return Story(
        row["id"] or neutralise(stem(path)),
        row["title"],
        row["state"],
        path,
        row["epic"],
        why,
        others,
    )
