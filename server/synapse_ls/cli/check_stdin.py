"""This module checks a text on standard input, which stands in for a file of the tree (``synapse
check - --stdin-filename FILE``).
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.cli.check_scope import OpenedTree, create_scope, split_path
from synapse_ls.cli.cli_error import CliError
from synapse_ls.text.decoding import decode_text
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.path_classification import classify_path
from synapse_ls.workspace.rule_tree import Tree

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console_progress import Progress

_BYTE_ORDER_MARK = "\ufeff"  # of a text that begins with a byte order mark


class Draft(NamedTuple):
    """A Draft is the text on standard input (stdin) that stands in for the file at ``path``, in its
    tree.
    """

    opened: OpenedTree
    path: str
    byte_order_mark: str

    def text_of(self, tree: Tree) -> str:
        """Returns the text as it is in a later state of the tree, for standard output."""
        facts = tree.snapshot.facts(self.path)
        return self.byte_order_mark + (facts.text if facts else "")


def read_draft(options: Namespace, progress: Progress) -> Draft:
    """Returns the text on standard input in its tree."""
    data = sys.stdin.buffer.read() if sys.stdin is not None else b""
    root, path = split_path(options.stdin_filename, options)
    opened = OpenedTree(create_scope(root, [path], options), progress)
    snapshot = opened.tree.snapshot
    kind = classify_path(path, snapshot.config.paths)
    if kind is None or kind is FileKind.SESSION:
        raise CliError(
            f"{options.stdin_filename} is no file of a tree.",
            "Name one that `synapse check` looks at, such as .synapse/manifest.",
        )
    read = decode_text(data)
    mark = _BYTE_ORDER_MARK if read.bom else ""
    if options.fix and (mark + read.text).encode(errors="replace") != data:
        raise CliError(
            "The text is not UTF-8 throughout, so a fix could damage the rest of it.",
            "Save it as UTF-8 first.",
        )
    known = snapshot.facts(path)
    mtime_ns = known.mtime_ns if known else 0
    facts = analyze_file(path, kind, read.text, problems=read.problems, mtime_ns=mtime_ns)
    opened.tree = Tree(snapshot.with_facts(facts)[0])
    return Draft(opened, path, mark)
