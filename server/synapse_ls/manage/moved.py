"""What names a file or a folder by its path."""

from __future__ import annotations

import re

from synapse_ls.manage.config_names import config_texts
from synapse_ls.manage.draft import Draft
from synapse_ls.text.span import Span
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.kinds import RULE_KINDS
from synapse_ls.workspace.tree import Tree


def put_moved(draft: Draft, tree: Tree, old: str, new: str) -> None:
    """The new path wherever the configuration, a rule file or a workflow's list of artifacts names
    ``old``, or what is in it.

    In rule files that is a text like any other; comments that say where rules come from follow too.
    """
    pattern = re.compile(rf"(?<![\w/.-])(?:\./)?({re.escape(old)})(?![\w-]|\.\w)")
    for text in config_texts(tree):
        if text.path[0] == "paths" or (text.path[0] == "lint" and text.is_key):
            found = pattern.match(text.value)
            if found:
                draft.put(CONFIG, Span(*found.span(1)).shift(text.span.start), new)
    for path, state in tree.states:
        facts = tree.snapshot.facts(path)
        artifacts = state.root.get("artifacts") if state.root else None
        for item in artifacts.items if facts and artifacts else ():
            is_meant = item.kind == "scalar" and pattern.match(item.value)
            found = pattern.search(facts.text, *item.span) if facts and is_meant else None
            if found:
                draft.put(path, Span(*found.span(1)), new)
    for kind in RULE_KINDS:
        for path in tree.snapshot.paths(kind):
            facts = tree.snapshot.facts(path)
            if facts and old in facts.text:
                for found in pattern.finditer(facts.text):
                    draft.put(path, Span(*found.span(1)), new)
