"""A plan in the making: changes to several files, gathered place by place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from synapse_ls.manage.plan import FileEdit, ManageError, Plan, create, edit, move, rename
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.naming import kebab, snake
from synapse_ls.workspace.tree import Tree


class Draft:
    """Changes to the files of ``tree``. Saying the same thing twice is saying it once."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._edits: dict[str, dict[Span, str]] = {}
        self._targets: dict[str, str] = {}
        self._folders: dict[str, str] = {}
        self._created: dict[str, str] = {}

    def put(self, path: str, span: Span, text: str) -> None:
        """Put ``text`` where ``span`` is; raises ManageError for a file that was not read."""
        if span.cut(_read(self._tree, path).text) != text:
            self._edits.setdefault(path, {})[span] = text

    def put_all(self, path: str, edits: Iterable[TextEdit]) -> None:
        """Several changes to one file."""
        for change in edits:
            self.put(path, change.span, change.new_text)

    def create(self, path: str, text: str) -> None:
        """A new file."""
        self._created[path] = text

    def rename(self, path: str, target: str) -> None:
        """Give a file another path; raises ManageError where there is one at that path."""
        if target == path:
            return
        if self._tree.snapshot.facts(target) or target in self._targets.values():
            raise _taken(target)
        _read(self._tree, path)
        self._targets[path] = target

    def move(self, folder: str, target: str) -> None:
        """Give a folder another path; raises ManageError where the tree has files at that path."""
        if target == folder:
            return
        if self._tree.snapshot.under(target):
            raise _taken(target)
        self._folders[folder] = target

    def plan(self) -> Plan:
        """The plan: changes inside files, renamed files, then moved folders, each by path."""
        return Plan(tuple(self._file_edits()))

    def _file_edits(self) -> Iterator[FileEdit]:
        for path, text in sorted(self._created.items()):
            yield create(path, text)
        for path in sorted(self._edits.keys() - self._targets.keys()):
            yield edit(path, _read(self._tree, path).text, self._changes(path))
        for path, target in sorted(self._targets.items()):
            yield rename(path, target, _read(self._tree, path).text, self._changes(path))
        for folder, target in sorted(self._folders.items()):
            yield move(folder, target)

    def _changes(self, path: str) -> Iterator[TextEdit]:
        for span, text in sorted(self._edits.get(path, {}).items()):
            yield TextEdit(span, text)


def spelled_like(old: str, new: str) -> str:
    """``new`` with hyphens or underscores as ``old`` has them, with its own where ``old`` has none."""
    if "_" in old and "-" not in old:
        return snake(new)
    return kebab(new) if "-" in old else new


def _read(tree: Tree, path: str) -> FileFacts:
    facts = tree.snapshot.facts(path)
    if facts is None or not facts.read:
        raise ManageError(
            f"{path} was not read, so it cannot be changed.", "`synapse check` says why."
        )
    return facts


def _taken(path: str) -> ManageError:
    return ManageError(
        f"{path} already exists, so nothing can be renamed to it.", "Choose another name."
    )
