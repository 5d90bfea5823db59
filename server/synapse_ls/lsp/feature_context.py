"""The context of a feature's request: a tree or one file in a view, and its partial results."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from lsprotocol import types

from synapse_ls.ide.tree_view import View
from synapse_ls.lsp import request_errors, root_discovery
from synapse_ls.lsp.convert import FilePlace, TextMap, uri_below
from synapse_ls.lsp.language_server import Server
from synapse_ls.workspace.file_facts import FileFacts

T = TypeVar("T")
P = TypeVar("P")
_PART = 200  # items of a partial result


@dataclass(frozen=True)
class TreeContext:
    """A tree, immutable and made for one request.

    ``uri_of_path`` tells how the client spells the URI of a path, "" where it has not opened it.
    """

    view: View
    root: str
    encoding: str
    uri_of_path: Callable[[str], str]

    def place(self, path: str) -> FilePlace:
        """Return a file of the view, or a folder, as the protocol names it."""
        facts = self.view.tree.snapshot.facts(path)
        map_ = TextMap(facts.text, self.encoding) if facts is not None else None
        return FilePlace(self.uri_of_path(path) or uri_below(self.root, path), map_)


@dataclass(frozen=True)
class FileContext(TreeContext):
    """One file of a tree. ``path`` is relative to ``root``; ``map`` is for the file's text."""

    path: str
    facts: FileFacts
    map: TextMap

    def place(self, path: str) -> FilePlace:
        """Return another file of the view, or a folder, as the protocol names it."""
        place = super().place(path)
        return place._replace(map=self.map) if path == self.path else place


async def find_root(ls: Server, uri: str | None) -> root_discovery.Root:
    """Return the tree that a request is about, the one that a file or folder belongs to; the first
    one for None.
    """
    return (await find_place(ls, uri))[0]


async def find_place(ls: Server, uri: str | None) -> tuple[root_discovery.Root, str]:
    """Return the tree, and the path in it, that a request is about; for None the folder of the
    first tree.

    Raises JsonRpcException (RequestFailed) where there is none.
    """
    if uri is None:
        # The tree of the first of the client's folders that has one; the first by path among
        # several.
        await ls.trees.scan_finished.wait()
        trees = ls.trees.roots.trees
        for folder in ls.folders:
            inside = [path for path in trees if f"{path}/".startswith(f"{folder}/")]
            above = [path for path in trees if folder.startswith(f"{path}/")]
            if inside or above:
                return trees[min(inside) if inside else max(above)], ""
        if not trees:
            refusal = "There is no tree in the workspace."
            raise request_errors.request_refusal(refusal, "`synapse init` creates one.")
        return trees[min(trees)], ""
    if (place := await ls.find_place(uri)) is None or place[0].is_treeless:
        raise request_errors.request_refusal(f"{uri} belongs to no tree.")
    return place


async def tree_context(ls: Server, root: root_discovery.Root) -> TreeContext:
    """Return the tree that a request is about as features see it, with the latest text of every
    buffer.
    """
    return await ls.worker.run(ls.trees.tree_context, root)


def send_in_parts(ls: Server, token: int | str | None, items: list[T] | None) -> list[T] | None:
    """Return the answer to a request; where its client takes partial results, under ``token``, they
    are sent, and nothing is left for the answer (LSP 3.18, "Partial Result Progress").
    """
    if token is None or not items:
        return items
    for start in range(0, len(items), _PART):
        part = types.ProgressParams(token, items[start : start + _PART])
        ls.protocol.notify(types.PROGRESS, part)
    return []


def file_feature(
    compute: Callable[[Server, FileContext, P], T],
) -> Callable[[Server, str, P], Awaitable[T | None]]:
    """Make the handler of a request about one file from what answers it, on the reader's thread."""

    async def handle(ls: Server, _: str, params: Any) -> T | None:
        def answer(look: FileContext) -> T:
            return compute(ls, look, params)

        file = params.item if hasattr(params, "item") else params.text_document
        return await ls.query_file(file.uri, answer)

    return handle


@contextmanager
def show_progress(ls: Server, token: int | str | None, title: str) -> Iterator[None]:
    """Have the client show that a request is worked on, where it gave a ``token`` for that."""
    if token is None:
        yield
        return
    begin = types.WorkDoneProgressBegin(title, cancellable=True)
    ls.protocol.notify(types.PROGRESS, types.ProgressParams(token, begin))
    try:
        yield
    finally:
        ls.protocol.notify(types.PROGRESS, types.ProgressParams(token, types.WorkDoneProgressEnd()))
