"""Changes to the files of a workspace, as data: planned first, shown or applied later."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from synapse_ls.text.edit import TextEdit, apply_edits
from synapse_ls.text.span import Span

CREATE, EDIT, RENAME = "create", "edit", "rename"


class ManageError(Exception):
    """A change that cannot be made: one sentence that says why, and what to do about it."""

    def __init__(self, sentence: str, remedy: str = "") -> None:
        super().__init__(f"{sentence} {remedy}".rstrip())
        self.sentence = sentence
        self.remedy = remedy


@dataclass(frozen=True, slots=True)
class FileEdit:
    """What happens to one file.

    ``path`` and ``target`` are relative to the root, with ``/``. ``before`` is the text that the
    edits speak of, without byte order mark; it is "" for a file that is created. ``after`` is the
    whole text that results. ``target`` is the new path of a file that is renamed, else "".
    """

    path: str
    action: str
    edits: tuple[TextEdit, ...]
    before: str = ""
    target: str = ""

    @property
    def after(self) -> str:
        """The file's text once the edits are made."""
        return apply_edits(self.before, self.edits)

    @property
    def written(self) -> str:
        """The path at which the result stands."""
        return self.target or self.path


@dataclass(frozen=True, slots=True)
class Plan:
    """Edits of different files, to be made all together or not at all. Falsy when there are none."""

    edits: tuple[FileEdit, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.edits)


def create(path: str, text: str) -> FileEdit:
    """A new file at ``path``."""
    return FileEdit(path, CREATE, (TextEdit(Span(0, 0), text),))


def edit(path: str, before: str, edits: Iterable[TextEdit]) -> FileEdit:
    """Changes inside the file at ``path``."""
    return FileEdit(path, EDIT, tuple(edits), before)


def rename(path: str, target: str, before: str, edits: Iterable[TextEdit] = ()) -> FileEdit:
    """The file at ``path`` under a new name, with changes on the way."""
    return FileEdit(path, RENAME, tuple(edits), before, target)


def plan_edits(files: Mapping[str, str], edits: Iterable[tuple[str, TextEdit]]) -> Plan:
    """The plan for loose edits, such as those of fixes; a path that ``files`` lacks is created."""
    by_path: dict[str, list[TextEdit]] = {}
    for path, change in edits:
        by_path.setdefault(path, []).append(change)
    return Plan(
        tuple(
            edit(path, files[path], changes)
            if path in files
            else create(path, apply_edits("", changes))
            for path, changes in by_path.items()
        )
    )


def replaced(old: str, new: str) -> TextEdit:
    """The edit that turns one text into another: what differs, without common beginning and end."""
    most = min(len(old), len(new))
    head = next((i for i in range(most) if old[i] != new[i]), most)
    tail = next((i for i in range(most - head) if old[-1 - i] != new[-1 - i]), most - head)
    return TextEdit(Span(head, len(old) - tail), new[head : len(new) - tail])
