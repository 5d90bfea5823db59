"""Edit plans: changes to the files of a workspace as data, planned first, shown or applied later.

Planners are in edits/; `storage.edit_application` applies plans.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits

CREATE, EDIT, RENAME, MOVE = "create", "edit", "rename", "move"


class FileEdit(NamedTuple):
    """What an edit plan does to one file, or with `MOVE` to a folder and everything in it.

    ``path`` and ``target`` are relative to the root, with ``/``. ``before`` is the text that the
    edits speak of, without byte order mark; it is "" for a file that is created. ``after`` is the
    whole text that results. ``target`` is the new path of what is renamed or moved, else "".
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
    def result_path(self) -> str:
        """The path at which the result stands."""
        return self.target or self.path


@dataclass(frozen=True, slots=True)
class EditPlan:
    """Edits of different files, to be made all together or not at all. Falsy when there are none.

    They are made in this order: a folder moves after the files in it were changed.
    """

    edits: tuple[FileEdit, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.edits)


def create_file(path: str, text: str) -> FileEdit:
    """Return the edit that creates a file at ``path``."""
    return FileEdit(path, CREATE, (TextEdit(Span(0, 0), text),))


def edit_file(path: str, before: str, edits: Iterable[TextEdit]) -> FileEdit:
    """Return the edit that changes the text of the file at ``path``."""
    return FileEdit(path, EDIT, tuple(edits), before)


def move_folder(path: str, target: str) -> FileEdit:
    """Return the move of a folder with all that is in it."""
    return FileEdit(path, MOVE, (), target=target)


def rename_file(path: str, target: str, before: str, edits: Iterable[TextEdit] = ()) -> FileEdit:
    """Return the edit that renames the file at ``path``, with changes in its text on the way."""
    return FileEdit(path, RENAME, tuple(edits), before, target)
