"""Editor features in ``.carl/``, where the keys are those of CARL."""

from __future__ import annotations

import pytest

from synapse_ls.edits.rename_plans import RENAMES
from synapse_ls.ide.code_action import code_actions
from synapse_ls.ide.code_lens import code_lenses
from synapse_ls.ide.completion import complete_at
from synapse_ls.ide.document_link import document_links
from synapse_ls.ide.folding_range import folding_ranges
from synapse_ls.ide.formatting import format_edits
from synapse_ls.ide.hover import hover
from synapse_ls.ide.inlay_hint import inlay_hints
from synapse_ls.ide.navigation import find_definitions, find_references
from synapse_ls.ide.semantic_tokens import semantic_tokens
from synapse_ls.ide.symbols import document_symbols, workspace_symbols
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from tests.carl_trees import BAND, BAND_V2
from tests.ide.views import Asked, check_hover, view_of
from tests.support import mark
from tests.trees import Files, tree_of

MANIFEST = ".carl/manifest"


def offered(path: str, fixture: str, files: Files = BAND) -> list[str]:
    """What is offered at the end of the mark."""
    marked = mark(fixture)
    view: View = view_of({**files, path: marked.text})
    found = complete_at(view, path, marked.spans[0].end)
    return [item.label for item in found.items] if found else []


def test_only_what_carl_reads_is_offered_in_a_manifest() -> None:
    labels = offered(MANIFEST, "STAGE_STATE=active\n«STAGE_»\n")
    assert {label for label in labels if label.startswith("STAGE_")} == {
        "STAGE_ALWAYS_ON",
        "STAGE_EXCLUDE",
        "STAGE_RECALL",
    }


def test_the_next_rule_has_carls_key() -> None:
    assert offered(".carl/stage", "STAGE_RULE_0=x\n«S»\n")[:1] == ["STAGE_RULE_1"]
    assert "DEPLETED_RULE_0" in offered(".carl/context", "FRESH_RULE_0=x\n«D»\n")
    assert not [one for one in offered(".carl/context", "«C»\n") if "CRITICAL" in one]
    assert "ENCORE_RULE_1" in offered(".carl/commands", "ENCORE_RULE_0=x\n«E»\n")


def test_a_hover_tells_what_a_domain_does_now() -> None:
    check_hover(MANIFEST, "«MIX_STATE»=yes\nMIX_RECALL=mix\n", "MIX", "mix", files=BAND)


def test_a_rule_says_why_it_is_out() -> None:
    check_hover(".carl/mix", "«MIX_RULE_0»=Cut\n", "keywords", files=BAND, prompt="hello")


def test_a_domain_leads_to_its_file_and_back() -> None:
    asked = Asked(MANIFEST, "«TOUR_STATE»=active\nTOUR_RECALL=x\n", BAND)
    assert [path for path, _ in asked.targets()] == [".carl/tour.env"]


def test_a_domain_is_renamed_with_its_file() -> None:
    plan = RENAMES["domain"](tree_of(BAND), "STAGE", "FRONT_ROW")
    written = {edit.result_path: edit.after for edit in plan.edits}
    assert "FRONT_ROW_ALWAYS_ON=true" in written[MANIFEST]
    assert written[".carl/front_row"] == "FRONT_ROW_RULE_0=Leave no cable across the way\n"


@pytest.mark.parametrize("files", [BAND, BAND_V2], ids=["v1", "v2"])
def test_every_place_can_be_asked_about(files: Files) -> None:
    view = view_of(files, prompt="*encore the mix")
    for path in files:
        facts = view.tree.snapshot.facts(path)
        assert facts is not None
        text = facts.text
        for offset in range(0, len(text) + 1, 3):
            told = hover(view, path, offset)
            assert told is None or 0 <= told.span.start <= told.span.end <= len(text)
            find_definitions(view, path, offset)
            for mention in find_references(view, path, offset):
                there = view.tree.snapshot.facts(mention.path)
                assert there is not None and mention.span.end <= len(there.text)
            complete_at(view, path, offset)
            list(code_actions(view, path, Span(offset, offset)))
        for fold in folding_ranges(facts):
            assert fold.last < facts.lines.line_count
        for token in semantic_tokens(view, path):
            assert token.span.end <= len(text)
        for hint in inlay_hints(view, path):
            assert hint.offset <= len(text)
        for lens in code_lenses(view, path):
            assert lens.span.end <= len(text)
        assert not format_edits(facts) or files is BAND
        list(document_symbols(facts))
        list(document_links(view, path))
    assert "MIX" in {symbol.name for symbol in workspace_symbols(view.tree, "MIX")}


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("Cut before you boost", ("MIX_RULE_0", "rule of MIX", "mix")),
        ("Try things out", ("FRESH_RULE_0", "rule of CONTEXT", "in the block now")),
        ("Then stop", ("ENCORE_RULE_1", "rule of COMMANDS", "encore")),
        ("sound desk", ("sound desk",)),
        ('"always_on": true', ("ALWAYS_ON",)),
    ],
)
def test_the_one_file_of_v2_is_explained_like_the_others(place: str, says: tuple[str, ...]) -> None:
    view = view_of(BAND_V2)
    text = view.tree.snapshot.facts(".carl/carl.json")
    assert text is not None
    told = hover(view, ".carl/carl.json", text.text.index(place) + 2)
    assert told is not None
    for words in says:
        assert words.lower() in told.markdown.lower(), told.markdown
