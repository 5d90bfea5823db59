"""``synapse check - --stdin-filename FILE``: a text that stands in for a file of the tree."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.cli.check_places import place_of
from synapse_ls.cli.check_tree import Opened, asked_in
from synapse_ls.cli.errors import CliError
from synapse_ls.text.decode import decode
from synapse_ls.workspace.facts import analyze
from synapse_ls.workspace.kinds import FileKind, classify
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.progress import Progress

_MARK = "\ufeff"  # of a text that begins with a byte order mark


class Draft(NamedTuple):
    """A text that stands in for the file at ``path``, in its tree."""

    opened: Opened
    path: str
    mark: str

    def text(self, tree: Tree) -> str:
        """The text as it is in a later state of the tree, for standard output."""
        facts = tree.snapshot.facts(self.path)
        return self.mark + (facts.text if facts else "")


def draft(options: Namespace, progress: Progress) -> Draft:
    """The text on standard input in its tree."""
    data = sys.stdin.buffer.read() if sys.stdin is not None else b""
    root, path = place_of(options.stdin_filename, options)
    opened = Opened(asked_in(root, [path], options), progress)
    snapshot = opened.tree.snapshot
    kind = classify(path, snapshot.config.paths)
    if kind is None or kind is FileKind.SESSION:
        raise CliError(
            f"{options.stdin_filename} is no file of a tree.",
            "Name one that `synapse check` looks at, such as .synapse/manifest.",
        )
    read = decode(data)
    mark = _MARK if read.bom else ""
    if options.fix and (mark + read.text).encode(errors="replace") != data:
        raise CliError(
            "The text is not UTF-8 throughout, so a fix could damage the rest of it.",
            "Save it as UTF-8 first.",
        )
    known = snapshot.facts(path)
    mtime_ns = known.mtime_ns if known else 0
    facts = analyze(path, kind, read.text, problems=read.problems, mtime_ns=mtime_ns)
    opened.tree = Tree(snapshot.with_facts(facts)[0])
    return Draft(opened, path, mark)
