"""This module defines what a feature gets to work on: a tree or one file in a view, and the
conversion between its places and the client's.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.lsp.convert import FilePlace, TextMap
from synapse_ls.lsp.file_uris import uri_below

if TYPE_CHECKING:
    from synapse_ls.ide.tree_view import View
    from synapse_ls.workspace.file_facts import FileFacts


class TreeContext(NamedTuple):
    """A TreeContext is a tree, for requests that are not about one file; see `FileContext`."""

    view: View
    root: str
    encoding: str
    uri_of_path: Callable[[str], str]

    def place(self, path: str) -> FilePlace:
        """Returns a file of the view, or a folder, as the protocol names it."""
        facts = self.view.tree.snapshot.facts(path)
        map_ = TextMap(facts.text, self.encoding) if facts is not None else None
        return FilePlace(self.uri_of_path(path) or uri_below(self.root, path), map_)


class FileContext(NamedTuple):
    """A FileContext is one file of a tree, immutable and made for one request.

    ``path`` is relative to ``root``; ``map`` is for the file's text. ``uri_of_path`` tells how the
    client spells the URI of a path, "" where it has not opened it.
    """

    view: View
    root: str
    path: str
    facts: FileFacts
    map: TextMap
    encoding: str
    uri_of_path: Callable[[str], str]

    def place(self, path: str) -> FilePlace:
        """Returns another file of the view, or a folder, as the protocol names it."""
        site = TreeContext(self.view, self.root, self.encoding, self.uri_of_path)
        found = site.place(path)
        return found._replace(map=self.map) if path == self.path else found
