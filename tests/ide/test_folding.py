"""What can be folded."""

from __future__ import annotations

from time import process_time

from synapse_ls.formats import config_file
from synapse_ls.ide.folding_range import folding_ranges
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.file_facts import analyze_file
from synapse_ls.workspace.path_classification import classify_path
from tests.support import mark


def check_folds(path: str, fixture: str, *, comments: int = 0) -> None:
    """The folds of a file are just the marked places, of which so many are comments.

    A fold is of whole lines; a mark stands behind their indentation.
    """
    marked = mark(fixture)
    kind = classify_path(path, config_file.parse("").document.paths)
    assert kind is not None
    found = folding_ranges(analyze_file(path, kind, marked.text))
    lines = LineIndex(marked.text)
    assert [(fold.first, fold.last) for fold in found] == [
        tuple(map(lines.line_of, span)) for span in marked.spans
    ]
    assert [fold.kind for fold in found].count("comment") == comments


def test_a_manifest_folds_its_domains_and_its_comments() -> None:
    check_folds(
        ".synapse/manifest",
        """\
        «# The team's domains.
        # In reading order.»
        «GLOBAL_STATE=active
        GLOBAL_ALWAYS_ON=true»

        # one line is no block
        «TESTING_STATE=active
        # between
        TESTING_RECALL=test»
        DEVMODE=true
        TESTING_EXCLUDE=manual
        """,
        comments=1,
    )


def test_a_constitution_folds_its_articles() -> None:
    check_folds(
        ".synapse/constitution",
        """\
        «CONSTITUTION_RULE_ART1_0=CLI First (MUST)
        CONSTITUTION_RULE_ART1_1=MUST: all works»

        «CONSTITUTION_RULE_ART2_0=Imports (SHOULD)
        CONSTITUTION_RULE_ART2_1=SHOULD: be absolute»
        """,
    )


def test_a_context_file_folds_its_brackets() -> None:
    check_folds(
        ".synapse/context",
        """\
        CONTEXT_RULE_FRESH_0=a
        «CONTEXT_RULE_MODERATE_0=b
        CONTEXT_RULE_MODERATE_1=c»
        """,
    )


def test_commands_fold_with_the_comment_that_names_them() -> None:
    check_folds(
        ".synapse/commands",
        """\
        «# [*brief] COMMAND:
        COMMANDS_RULE_BRIEF_0=a
        COMMANDS_RULE_BRIEF_1=b»
        """,
    )


def test_plain_rules_fold_below_their_headings() -> None:
    check_folds(
        ".synapse/style",
        """\
        «## Names

        - Name things well
        - Avoid abbreviations»

        «=== LAYOUT ===
        - Keep files short»
        """,
    )


def test_yaml_folds_by_indentation_also_where_it_is_broken() -> None:
    check_folds(
        "squads/etl/squad.yaml",
        """\
        name: etl
        «components:
          «agents:
            - a.md
            - b.md»
          tasks: []»
        «tags:
        - x
        - y»
        broken: [
        """,
    )


def test_a_block_scalar_and_the_steps_of_a_state_fold() -> None:
    check_folds(
        ".aiox/a-state.yaml",
        """\
        «steps:
          «- phase: one
            agent: dev»
          «- phase: two
            «notes: |
              a
              b»»»
        """,
    )


def test_toml_folds_tables_and_long_values() -> None:
    check_folds(
        ".synapse/config.toml",
        """\
        profile = "synapse"

        «[paths]
        «agents = [
          "a",
        ]»
        tasks = ["t"]»

        # about the next one
        «[lint]
        select = ["SYN1"]»
        """,
    )


def test_markdown_folds_sections_fences_and_front_matter() -> None:
    check_folds(
        "docs/stories/s.md",
        """\
        «---
        status: Draft
        ---»
        «# Story 1.1: Login

        «## Criteria

        «```yaml
        a: 1
        ```»»

        «## Files

        - a.ts»»
        """,
    )


def test_comments_that_nothing_ends_are_one_fold_that_takes_no_time() -> None:
    text = "# Story 1.1: Login\n" + "<!--\n" * 40_000
    kind = classify_path("docs/stories/s.md", config_file.parse("").document.paths)
    assert kind is not None
    facts = analyze_file("docs/stories/s.md", kind, text)
    began = process_time()
    assert "comment" in {fold.kind for fold in folding_ranges(facts)}
    assert process_time() - began < 2
