"""What a feature gets to look at: a file in a view, and the way to places."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.lsp.convert import Place, TextMap
from synapse_ls.lsp.uris import uri_in

if TYPE_CHECKING:
    from synapse_ls.ide.view import View
    from synapse_ls.workspace.facts import FileFacts


class Site(NamedTuple):
    """A tree, for requests that are not about one file; see `Look`."""

    view: View
    root: str
    encoding: str
    uris: Callable[[str], str]

    def place(self, path: str) -> Place:
        """A file of the view, or a folder."""
        facts = self.view.tree.snapshot.facts(path)
        map_ = TextMap(facts.text, self.encoding) if facts is not None else None
        return Place(self.uris(path) or uri_in(self.root, path), map_)


class Look(NamedTuple):
    """Immutable, and made for one request.

    ``path`` is relative to ``root``; ``map`` is for the file's text. ``uris`` tells how the client
    spells the URI of a path, "" where it has not opened it.
    """

    view: View
    root: str
    path: str
    facts: FileFacts
    map: TextMap
    encoding: str
    uris: Callable[[str], str]

    def place(self, path: str) -> Place:
        """Another file of the view, or a folder."""
        site = Site(self.view, self.root, self.encoding, self.uris)
        found = site.place(path)
        return found._replace(map=self.map) if path == self.path else found
