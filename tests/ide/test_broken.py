"""Broken trees keep every feature working: nothing raises, and every span lies in its file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.ide.definition import definitions
from synapse_ls.ide.hover import hover
from synapse_ls.ide.symbols import Symbol, symbols
from synapse_ls.text.span import Span
from tests.ide.views import SQUAD, STATE, view_of
from tests.trees import TEAM, tree_of

TREE = {
    **TEAM,
    **SQUAD,
    ".aiox/a-state.yaml": STATE,
    ".synapse/config.toml": '[paths]\nagents = ["a", "b"]\n[lint.severity]\nSYN1 = "off"\n',
    ".aiox-core/development/tasks/build.md": "# Build\n\n## Pre-conditions\n- [x] a\n",
    "docs/stories/s1.md": "# Story 1.2: Login\n\n## Acceptance Criteria\n- [ ] works\n",
    ".claude/agents/dev.md": "---\nname: dev\n---\n",
}
TEXTS = {path: facts.text for path in TREE if (facts := tree_of(TREE).snapshot.facts(path))}
PIECES = st.sampled_from(
    ["\n", "\r", "=", "_", ",", "*", "*brief", "[", "]", "{", ": ", "- ", "#", "\t", "\0", "\u2028",
     "👩‍💻", "X_STATE=active", "_RECALL=a", "EXTENDS", "RULE_0=", '"', "'", "&a *a", "<synapse-rules>"]
)  # fmt: skip


@st.composite
def broken(draw: st.DrawFn) -> tuple[str, str]:
    """A path and its text with a few edits that no grammar asked for."""
    path = draw(st.sampled_from(sorted(TEXTS)))
    text = TEXTS[path]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        text = text[:start] + draw(st.one_of(PIECES, st.text(max_size=4))) + text[end:]
    return path, text


def inside(span: Span, text: str) -> bool:
    return 0 <= span.start <= span.end <= len(text)


def check_symbol(symbol: Symbol, text: str) -> None:
    assert symbol.name
    assert inside(symbol.span, text)
    assert symbol.span.start <= symbol.selection.start
    assert symbol.selection.end <= symbol.span.end
    for child in symbol.children:
        assert symbol.span.start <= child.span.start
        assert child.span.end <= symbol.span.end
        check_symbol(child, text)


@settings(deadline=None)
@given(broken(), st.data())
def test_no_feature_raises_and_every_span_is_inside(
    edited: tuple[str, str], data: st.DataObject
) -> None:
    path, text = edited
    view = view_of({**TREE, path: text}, remaining=50)
    facts = view.tree.snapshot.facts(path)
    assert facts is not None
    for symbol in symbols(facts):
        check_symbol(symbol, facts.text)
    for offset in data.draw(st.lists(st.integers(0, len(facts.text)), min_size=4, max_size=4)):
        told = hover(view, path, offset)
        if told:
            assert inside(told.span, facts.text)
            assert told.span.touches(offset)
            assert told.markdown
        for target in definitions(view, path, offset):
            assert inside(target.origin, facts.text)
            assert target.origin.touches(offset)
            there = view.tree.snapshot.facts(target.path)
            end = len(there.text) if there else 0
            assert 0 <= target.span.start <= target.span.end <= end
            assert target.span.start <= target.selection.start
            assert target.selection.end <= target.span.end


@pytest.mark.parametrize("path", sorted(TREE))
def test_every_place_of_a_sound_tree_can_be_asked_about(path: str) -> None:
    view = view_of(TREE)
    for offset in range(len(TEXTS[path]) + 1):
        hover(view, path, offset)
        definitions(view, path, offset)
