"""This module updates the path references of a tree: what names a file or a folder by its path,
when that moves.
"""

from __future__ import annotations

import re

from synapse_ls.edits.config_texts import config_texts
from synapse_ls.edits.edit_draft import EditDraft
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_kinds import RULE_KINDS
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG


def put_new_path(draft: EditDraft, tree: Tree, old: str, new: str) -> None:
    """Updates path references: puts the new path wherever the configuration, a rule file or a
    workflow's list of artifacts names ``old``, or what is in it.

    In rule files that is a text like any other; comments that say where rules come from follow too.
    """
    pattern = re.compile(rf"(?<![\w/.-])(?:\./)?({re.escape(old)})(?![\w-]|\.\w)")
    for text in config_texts(tree):
        if text.path[0] == "paths" or (text.path[0] == "lint" and text.is_key):
            found = pattern.match(text.value)
            if found:
                draft.put(CONFIG, Span(*found.span(1)).shift(text.span.start), new)
    _put_artifact_paths(draft, tree, pattern, new)
    for kind in RULE_KINDS:
        for path in tree.snapshot.paths(kind):
            facts = tree.snapshot.facts(path)
            if facts and old in facts.text:
                for found in pattern.finditer(facts.text):
                    draft.put(path, Span(*found.span(1)), new)


def _put_artifact_paths(draft: EditDraft, tree: Tree, pattern: re.Pattern[str], new: str) -> None:
    for path, state in tree.workflow_states:
        facts = tree.snapshot.facts(path)
        artifacts = state.root.get("artifacts") if state.root else None
        for item in artifacts.items if facts and artifacts else ():
            is_meant = item.kind == "scalar" and pattern.match(item.value)
            found = pattern.search(facts.text, *item.span) if facts and is_meant else None
            if found:
                draft.put(path, Span(*found.span(1)), new)
