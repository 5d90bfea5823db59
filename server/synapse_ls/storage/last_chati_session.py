"""This module keeps the session of a Chati.dev tree as it was when it could last be read, so that
what it said holds on while the file is broken.

A mode, an agent, a backlog and a hand-off that come from it belong together: the plan is made from
the whole of it, or from nothing of it.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from synapse_ls.storage import plan_cache
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.systems.chati_places import SESSION
from synapse_ls.workspace.tree_loader import LoadedTree

MEMO_KIND = "chati-session"
MAX_LENGTH = 200_000  # characters of a session that is kept


def restore_session(loaded: LoadedTree, tree: Tree, broken: Collection[str]) -> Tree:
    """Returns the tree with its last good session where the one of now is among ``broken``, else
    the tree as it is, whose session is kept.
    """
    facts = tree.snapshot.facts(SESSION)
    if SESSION not in broken:
        if facts is not None and facts.is_read and len(facts.text) <= MAX_LENGTH:
            _keep_text(loaded.root, facts.text)
        return tree
    text = plan_cache.read_memo(loaded.root, MEMO_KIND).get("text")
    if not isinstance(text, str):
        return tree
    from synapse_ls.formats.chati.session_file import SessionView

    found = analyze_file(SESSION, FileKind.CHATI_SESSION, text)
    if not isinstance(found.document, SessionView):
        return tree
    # What is wrong with it was told while it was in force.
    view = replace(found.document, faults=())
    loaded.index.put_facts(SESSION, replace(found, document=view, problems=()))
    return Tree(loaded.index.snapshot())


def _keep_text(root: str, text: str) -> None:
    if plan_cache.read_memo(root, MEMO_KIND).get("text") != text:
        plan_cache.write_memo(root, MEMO_KIND, {"text": text})
