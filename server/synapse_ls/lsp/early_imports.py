"""This module imports what the first findings need while the client still digests the answer to
``initialize``, which itself needs none of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from threading import Thread

from synapse_ls.text.lazy_import import load_module

_ANSWER_SECONDS = 0.01
"""Seconds that the answer gets to be on its way, since imports and the loop share an interpreter."""


def import_soon(folders: Iterable[str]) -> None:
    """Has a thread import early what serving needs and, if a folder holds a tree, what checks an open
    manifest or rule file alone. The rest is left to who reads the tree: threads share one interpreter.
    """

    def begin() -> None:
        Thread(target=_import, args=(tuple(folders),), name="synapse-imports", daemon=True).start()

    asyncio.get_running_loop().call_later(_ANSWER_SECONDS, begin)


def _import(folders: Iterable[str]) -> None:
    load_module("synapse_ls.lsp.served_trees")
    discovery = load_module("synapse_ls.workspace.tree_discovery")
    if any(map(discovery.holds_tree, folders)):
        load_module("synapse_ls.live.file_preview")
        kinds = load_module("synapse_ls.workspace.file_kinds").FileKind
        for kind in (kinds.MANIFEST, kinds.RULES):
            load_module("synapse_ls.lint.rule_registry").file_rules(kind)
