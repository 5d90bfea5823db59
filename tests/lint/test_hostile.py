"""Whatever a tree contains, every diagnostic has a place in its file, and every fix applies."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.snapshot import TreeIndex
from tests.lint.clean import EVERY_RULE, INDEXED
from tests.lint.test_fixes import fixed
from tests.workspace.trees import facts_of

PIECES = (
    *("X", "_STATE", "_RECALL", "_EXCLUDE", "_AGENT_TRIGGER", "_RULE_", "CONTEXT_RULE_", "GLOBAL_"),
    *("0", "7", "=", ":", ",", " ", " # ", "\n", "\r\n", "\r", "\u2028", "\ufeff", "\0", "😀", "é"),
    *("active", "true", "test", "</synapse-rules>", "[GLOBAL]", "- ", "name: ", "[", "{", '"', "'"),
    *("```", "---", "COMMAND", "[*x]", "profile = ", "[lint]\n", "select", "workflow:", "steps"),
)
TEXTS = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text(max_size=60)
EDITS = st.dictionaries(
    st.sampled_from(sorted({*INDEXED, ".synapse/x"})), TEXTS, min_size=1, max_size=5
)


@settings(deadline=None)
@given(EDITS)
def test_diagnostics_are_in_range_and_fixes_apply(edits: dict[str, str]) -> None:
    files = {**INDEXED, **edits}
    index = TreeIndex()
    for path, text in files.items():
        index.put_facts(facts_of(path, text))
    known = {path: facts.text for path in files if (facts := index.snapshot().facts(path))}
    for diagnostic in lint_tree(Tree(index.snapshot()), select=EVERY_RULE):
        size = len(known[diagnostic.path])
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= size
        assert diagnostic.message
        for related in diagnostic.related:
            assert 0 <= related.span.start <= related.span.end <= len(known[related.path])
        if diagnostic.fix:
            assert fixed(known, diagnostic.fix) != known
