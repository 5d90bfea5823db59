"""Broken trees keep every feature working: nothing raises, and every span lies in its file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synapse_ls.edits.edit_targets import tree_after
from synapse_ls.ide.code_action import code_actions
from synapse_ls.ide.code_lens import code_lenses, resolve_lens
from synapse_ls.ide.completion import complete_at, item_documentation
from synapse_ls.ide.document_link import document_links
from synapse_ls.ide.folding_range import folding_ranges, selection_ranges
from synapse_ls.ide.formatting import format_edits
from synapse_ls.ide.hover import hover
from synapse_ls.ide.inlay_hint import hint_tooltip, inlay_hints
from synapse_ls.ide.navigation import find_definitions, find_highlights, find_references
from synapse_ls.ide.rename import prepare_rename, rename
from synapse_ls.ide.semantic_tokens import semantic_tokens
from synapse_ls.ide.symbols import Symbol, document_symbols, workspace_symbols
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import apply_edits
from synapse_ls.text.user_error import UserError
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
    ".synapse/memory/shared/durable/mem-2026-01-02-001.md": (
        "---\nid: mem-2026-01-02-001\ntags: [a, b]\nsector: semantic\n---\n\n# Tests\n\nText.\n"
    ),
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
    for symbol in document_symbols(facts):
        check_symbol(symbol, facts.text)
    for offset in data.draw(st.lists(st.integers(0, len(facts.text)), min_size=4, max_size=4)):
        told = hover(view, path, offset)
        if told:
            assert inside(told.span, facts.text)
            assert told.span.touches(offset)
            assert told.markdown
        for target in find_definitions(view, path, offset):
            assert inside(target.origin, facts.text)
            assert target.origin.touches(offset)
            there = view.tree.snapshot.facts(target.path)
            end = len(there.text) if there else 0
            assert 0 <= target.span.start <= target.span.end <= end
            assert target.span.start <= target.selection.start
            assert target.selection.end <= target.span.end


@settings(deadline=None)
@given(broken(), st.data())
def test_what_is_shown_about_broken_text_lies_in_it(
    edited: tuple[str, str], data: st.DataObject
) -> None:
    path, text = edited
    view = view_of({**TREE, path: text}, remaining=50)
    facts = view.tree.snapshot.facts(path)
    assert facts is not None
    text = facts.text
    for fold in folding_ranges(facts):
        assert 0 <= fold.first < fold.last < facts.lines.line_count
    end = 0
    for token in semantic_tokens(view, path):
        assert inside(token.span, text)
        assert end <= token.span.start < token.span.end
        assert not set("\r\n") & set(token.span.cut(text))
        end = token.span.end
    for hint in inlay_hints(view, path):
        assert 0 <= hint.offset <= len(text)
        hint_tooltip(view, path, hint)
    for lens in code_lenses(view, path):
        assert inside(lens.span, text)
        resolve_lens(view, path, lens.provider, lens.subject)
    chain = selection_ranges(facts, data.draw(st.integers(0, len(text))))
    assert chain[-1] == (0, len(text))
    assert all(inside(span, text) for span in chain)


@settings(deadline=None)
@given(broken(), st.data())
def test_what_is_named_in_broken_text_is_found_and_renamed(
    edited: tuple[str, str], data: st.DataObject
) -> None:
    path, text = edited
    view = view_of({**TREE, path: text}, remaining=50)
    snapshot = view.tree.snapshot
    facts = snapshot.facts(path)
    assert facts is not None
    end = 0
    for link in document_links(view, path):
        assert end <= link.span.start < link.span.end <= len(facts.text)
        assert ".." not in link.path.split("/")
        end = link.span.end
    for symbol in workspace_symbols(
        view.tree, data.draw(st.sampled_from(["", "e", "dev", "rule0"]))
    ):
        there = snapshot.facts(symbol.path)
        assert symbol.name
        assert there is not None
        assert inside(symbol.span, there.text)
    for offset in data.draw(st.lists(st.integers(0, len(facts.text)), min_size=4, max_size=4)):
        for mention in find_references(view, path, offset):
            there = snapshot.facts(mention.path)
            assert there is not None
            assert inside(mention.span, there.text)
        for mark in find_highlights(view, path, offset):
            assert inside(mark.span, facts.text)
        try:
            named = prepare_rename(view, path, offset)
            if named:
                assert inside(named[0], facts.text)
                assert named[0].touches(offset)
            tree_after(view.tree, rename(view, path, offset, "zz-new"))
        except UserError as error:
            assert error.sentence.endswith(".")


@settings(deadline=None)
@given(broken(), st.data())
def test_what_is_offered_to_write_or_change_in_broken_text_fits_it(
    edited: tuple[str, str], data: st.DataObject
) -> None:
    path, text = edited
    view = view_of({**TREE, path: text}, remaining=50)
    facts = view.tree.snapshot.facts(path)
    assert facts is not None
    text = facts.text
    for offset in data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)):
        offer = complete_at(view, path, offset)
        if offer:
            assert inside(offer.span, text)
            assert offer.span.touches(offset), (offer.span, offset)
            assert not set("\r\n") & set(offer.span.cut(text))
            assert len({item.text for item in offer.items}) == len(offer.items) > 0
            for item in offer.items[:3]:
                item_documentation(view, item.topic)
        for action in code_actions(view, path, Span(offset, offset)):
            for change in action.plan().edits:
                assert change.after != change.before or change.action != "edit", action.title
    apply_edits(text, format_edits(facts))


@pytest.mark.parametrize("path", sorted(TREE))
def test_every_place_of_a_sound_tree_can_be_asked_about(path: str) -> None:
    view = view_of(TREE)
    for offset in range(len(TEXTS[path]) + 1):
        hover(view, path, offset)
        find_definitions(view, path, offset)
        find_references(view, path, offset)
        complete_at(view, path, offset)
