"""What a growing selection takes in."""

from __future__ import annotations

from itertools import pairwise

import pytest

from synapse_ls.formats import config_file
from synapse_ls.ide.folding_range import selection_ranges
from synapse_ls.workspace.file_facts import FileFacts, analyze_file
from synapse_ls.workspace.path_classification import classify_path


def facts_of(path: str, text: str) -> FileFacts:
    kind = classify_path(path, config_file.parse("").document.paths)
    assert kind is not None
    return analyze_file(path, kind, text)


def grown(path: str, text: str, at: str) -> list[str]:
    """The selections from the first place that reads ``at``, without the whole file."""
    spans = selection_ranges(facts_of(path, text), text.index(at) + 1)
    assert spans[-1] == (0, len(text))
    return [span.cut(text) for span in spans[:-1]]


def test_a_keyword_grows_to_its_item_the_list_the_line_and_the_domain() -> None:
    text = "A_STATE=active\nB_STATE=active\nB_RECALL=unit test, coverage\n"
    assert grown(".synapse/manifest", text, "test") == [
        "test",
        "unit test",
        "unit test, coverage",
        "B_RECALL=unit test, coverage",
        "B_STATE=active\nB_RECALL=unit test, coverage",
    ]


def test_a_key_grows_from_word_to_domain_to_key() -> None:
    text = "AGENT_DEV_STATE=active\n"
    assert grown(".synapse/manifest", text, "DEV") == [
        "DEV",
        "AGENT_DEV",
        "AGENT_DEV_STATE",
        "AGENT_DEV_STATE=active",
    ]


def test_a_rule_grows_to_its_text_line_and_article() -> None:
    text = (
        "CONSTITUTION_RULE_ART1_0=CLI (MUST)\nCONSTITUTION_RULE_ART1_1=All of it works\n\n# end\n"
    )
    assert grown(".synapse/constitution", text, "works") == [
        "works",
        "All of it works",
        "CONSTITUTION_RULE_ART1_1=All of it works",
        "CONSTITUTION_RULE_ART1_0=CLI (MUST)\nCONSTITUTION_RULE_ART1_1=All of it works",
    ]


def test_yaml_grows_by_nodes() -> None:
    text = "name: etl\ncomponents:\n  agents:\n    - one.md\n    - two.md\n"
    found = grown("squads/etl/squad.yaml", text, "one.md")
    assert found[0] == "one"
    assert found[1:3] == ["one.md", "- one.md"]
    assert "agents:\n    - one.md\n    - two.md" in found
    assert "components:\n  agents:\n    - one.md\n    - two.md" in found


def test_toml_grows_from_item_to_list_to_table() -> None:
    text = '[lint]\nselect = ["SYN1", "SYN2"]\n[paths]\n'
    found = grown(".synapse/config.toml", text, "SYN1")
    assert found[:3] == ["SYN1", '"SYN1"', '["SYN1", "SYN2"]']
    assert found[-1] == '[lint]\nselect = ["SYN1", "SYN2"]'


def test_markdown_grows_to_the_section() -> None:
    text = "# A\n\nwords here\n\n# B\n\nmore\n"
    assert grown("docs/stories/s.md", text, "here") == ["here", "words here", "# A\n\nwords here"]


@pytest.mark.parametrize("text", ["", "\n", "=", "A_STATE", "\u2028", "a: ["])
@pytest.mark.parametrize(
    "path", [".synapse/manifest", "squads/a/squad.yaml", ".synapse/config.toml"]
)
def test_each_selection_holds_the_one_before(path: str, text: str) -> None:
    facts = facts_of(path, text)
    for offset in range(-1, len(text) + 2):
        spans = selection_ranges(facts, offset)
        assert spans
        for inner, outer in pairwise(spans):
            assert outer.start <= inner.start <= inner.end <= outer.end
            assert inner != outer
