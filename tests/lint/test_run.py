"""What a run gives: every finding once, at its place, in order."""

from __future__ import annotations

from pathlib import Path

import pytest

from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.span import Span
from tests.lint.clean import check_disk, write
from tests.trees import tree_of


def test_diagnostics_are_sorted_by_path_place_and_code() -> None:
    files = {
        ".synapse/x": "b\nX_RULE_0=a\nX_RULE_0=c\n",
        ".synapse/manifest": "X_RECAL=a\nX_STATE=active # b\nDEVMODE=1\n",
        "squads/a/.synapse/manifest": "Z_STATE=active\n",
    }
    found = lint_tree(tree_of(files))
    assert list(found) == sorted(found, key=lambda d: (d.path, d.span, d.code))
    assert len(found) == 6


def test_a_file_that_cannot_be_read_is_reported_at_its_path() -> None:
    notes = [Finding(Span(0, 0), "It is binary.", kind="binary", path=".synapse/x")] * 2
    (found,) = lint_tree(tree_of({}), notes=notes)
    assert (found.path, found.code, found.span) == (".synapse/x", "SYN101", Span(0, 0))
    assert found.remedy


def test_a_finding_about_a_whole_file_marks_its_first_line() -> None:
    files = {".synapse/manifest": "", ".synapse/x": "X_RULE_0=a\nX_RULE_1=b\n"}
    (found,) = lint_tree(tree_of(files))
    assert found.span == Span(0, len("X_RULE_0=a"))


def test_the_first_of_two_is_related() -> None:
    text = "X_STATE=active\nX_STATE=active\nX_ALWAYS_ON=true\n"
    (found,) = lint_tree(tree_of({".synapse/manifest": text, ".synapse/x": "X_RULE_0=a\n"}))
    assert [related.span.cut(text) for related in found.related] == ["X_STATE=active"]


def test_every_finding_states_an_effect_and_a_remedy() -> None:
    files = {
        ".synapse/manifest": "X_RECAL=a\nX_STATE=of\nY_RECALL=a,,b\nnonsense\n",
        ".synapse/x": "X_RULE_0=a\nb\nY_RULE_0=<synapse-rules>\n",
        ".synapse/config.toml": "profile = 'p'\nwhat = 1\n[lint]\nselect = ['NO']\n",
        "squads/s/squad.yaml": "name: S\n",
        "squads/s/workflows/w.yaml": "a: [\n",
    }
    found = lint_tree(tree_of(files), select=("ALL",))
    assert len(found) > 10
    for diagnostic in found:
        assert diagnostic.message.endswith(".")
        assert diagnostic.remedy.endswith(".")


def test_severities_are_ordered_from_the_worst() -> None:
    assert [severity.rank for severity in Severity] == [0, 1, 2, 3]


def test_a_link_out_of_the_root_is_reported(tmp_path: Path) -> None:
    write(tmp_path, {"elsewhere/global": "GLOBAL_RULE_0=a\n"})
    root = write(tmp_path / "root", {}, {".synapse/global": "../../elsewhere/global"})
    assert [(d.path, d.code) for d in check_disk(root)] == [(".synapse/global", "SYN802")]


SIDES = "<<<<<<< HEAD\n{0}||||||| base\n{0}=======\n{0}>>>>>>> other\n"


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (".synapse/manifest", "X_STATE=activ\n"),
        (".synapse/global", "GLOBAL_RULE_0=a\n"),
        (".synapse/x", "- in plain text\n"),
        (".synapse/config.toml", "profile = 'synapse'\n"),
        (".synapse/tests/a.toml", "[[case]]\nname = 'a'\n"),
        ("squads/s/squad.yaml", "name: s\n"),
        (".aiox-core/development/workflows/w.yaml", "workflow: {id: w}\n"),
        (".claude/agents/dev.md", "Builds things.\n"),
        ("docs/stories/1.1.story.md", "# Story\n"),
    ],
)
def test_of_a_file_with_a_merge_conflict_nothing_else_is_said(path: str, line: str) -> None:
    text = SIDES.format(line)
    found = lint_tree(tree_of({path: text}), select=("ALL",), named_paths=(path,))
    (conflict,) = (one for one in found if one.path == path)
    assert (conflict.code, conflict.span.cut(text)) == ("SYN130", "<<<<<<< HEAD")
    assert conflict.fix is None


@pytest.mark.parametrize(
    "line", ["=======", "<<<<<<<", "  <<<<<<< a", ">>>>>>> > a", "a >>>>>>> b"]
)
def test_what_only_looks_like_a_marker_is_no_conflict(line: str) -> None:
    text = f"- a\n{line}\n- b\n"
    assert lint_tree(tree_of({".synapse/global": text}), select=("SYN130",)) == ()


def test_what_is_left_of_a_conflict_is_one() -> None:
    (found,) = lint_tree(tree_of({".synapse/global": "- a\n>>>>>>> b\n"}), select=("SYN130",))
    assert found.code == "SYN130"
