"""Load the story that is worked on: the one the session names, else one that says it is in
progress.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from synapse_ls.activation.activation_loaders import LoaderSlot, UnavailableError
from synapse_ls.activation.tree_files import TreeFiles
from synapse_ls.engine.task_facts import find_story_path
from synapse_ls.engine.text_escaping import neutralise_text
from synapse_ls.engine.word_matching import slug_of
from synapse_ls.workspace.naming_conventions import file_stem
from synapse_ls.workspace.regular_files import take_stamp

MOST_EXAMINED = 60
"""Stories that are looked at, those that changed last: one that is worked on is among them."""

ACTIVE_STATES = ("in_progress", "in_review", "blocked")
"""The states of a story that somebody is at work on, those that count first."""


@dataclass(frozen=True, slots=True)
class Story:
    """The active story as a greeting needs it. ``state``: draft, ready, in_progress, in_review,
    done, blocked or "".

    ``why``: how it is known that it is this one. ``others``: how many more are in the same state.
    """

    id: str
    title: str
    state: str
    path: str
    epic: str = ""
    why: str = ""
    others: int = 0


def load_story(
    files: TreeFiles,
    paths_by_name: Mapping[str, str],
    story: str,
    story_path: str,
    branch: str,
    slot: LoaderSlot,
) -> None:
    """Load the story that the greeted agent works on. paths_by_name: name -> path of the stories;
    story: the one that the session or the task names, with its file; branch: the branch that is
    checked out.
    """
    if story or story_path:
        path = story_path or find_story_path(paths_by_name, story)
        slot.put(
            Story(
                neutralise_text(story) or file_stem(path), "", "", path, why="it is the active one"
            )
        )
        fields = _read_story(files, path) if path else None
        if fields is not None:
            slot.put(_build_story(fields, path, "it is the active one"))
        elif not path:
            slot.notes.append(f"no file is called after the story {neutralise_text(story)}")
        return
    found_at: dict[str, list[tuple[str, dict[str, Any]]]] = {}
    stamps = ((take_stamp(files.full_path(path)), path) for path in tuple(paths_by_name.values()))
    path_found = sorted(((-stamp[0], path) for stamp, path in stamps if stamp))
    for path in (path for _, path in path_found[:MOST_EXAMINED]):
        if not slot.seconds_left():
            raise UnavailableError("there was no time to look at all stories")
        try:
            row = _read_story(files, path)
        except UnavailableError as error:
            slot.notes.append(str(error))
            continue
        if row is not None and row["state"] in ACTIVE_STATES:
            found_at.setdefault(row["state"], []).append((path, row))
    for state in ACTIVE_STATES:
        candidates = found_at.get(state)
        if candidates:
            slot.put(_choose_story(candidates, branch))
            return


def story_state(files: TreeFiles, paths_by_name: Mapping[str, str], story: str) -> str:
    """Return the state of a story, by its name or id, that may be the active one; "" where nothing
    says it. paths_by_name: name -> path.
    """
    path = find_story_path(paths_by_name, story)
    try:
        fields = _read_story(files, path) if path else None
    except UnavailableError:
        return ""
    return str(fields["state"]) if fields else ""


def _choose_story(candidates: Sequence[tuple[str, dict[str, Any]]], branch: str) -> Story:
    """Return the story that the branch is called after, else the one that changed last."""
    words = f"_{slug_of(branch)}_"
    for path, row in candidates:
        if branch and any(
            f"_{slug_of(n)}_" in words for n in (row["id"], file_stem(path)) if slug_of(n)
        ):
            return _build_story(row, path, "the branch is called after it", len(candidates) - 1)
    path, row = candidates[0]
    state = row["state"].replace("_", " ")
    why = f"it is {state}" if len(candidates) == 1 else f"it is {state} and changed last"
    return _build_story(row, path, why, len(candidates) - 1)


def _read_story(files: TreeFiles, path: str) -> dict[str, Any] | None:
    fields: dict[str, Any] | None = files.parse_file("story", path, _story_fields)
    return fields


def _story_fields(text: str) -> dict[str, Any]:
    from synapse_ls.formats.story_file import parse

    document = parse(text).document
    return {
        "id": neutralise_text(document.id),
        "title": neutralise_text(document.title)[:200],
        "state": document.state,
        "epic": neutralise_text(document.epic)[:80],
    }


def _build_story(row: dict[str, Any], path: str, why: str, others: int = 0) -> Story:
    return Story(
        row["id"] or neutralise_text(file_stem(path)),
        row["title"],
        row["state"],
        path,
        row["epic"],
        why,
        others,
    )
