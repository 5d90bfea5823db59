"""Fixes resolve what they are for, and safe ones change nothing that is injected."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest

from synapse_ls.lint.fixes import plan_fixes
from synapse_ls.lint.lint_runner import lint_tree
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.text_edit import TextEdit, apply_edits
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.tree_loader import load_tree
from tests.engine.blocks import block
from tests.lint.clean import EVERY_RULE, TWO_SYSTEMS, check_disk, write
from tests.lint.conftest import MutantCheck
from tests.lint.mutants.mutant import Mutant
from tests.lint.test_mutants import MUTANTS
from tests.trees import plan_of, tree_of

PROMPTS = ("", "run the unit test", "raise the coverage", "*brief", "a draft of a manual")


def fixed(files: Mapping[str, str], fix: Fix) -> dict[str, str]:
    """The files after a fix."""
    edits: dict[str, list[TextEdit]] = {}
    for path, edit in fix.edits:
        edits.setdefault(path, []).append(edit)
    now = {path: apply_edits(files.get(path, ""), own) for path, own in edits.items()}
    return {**files, **now}


def read(root: Path) -> dict[str, str]:
    """The files of a tree as the linter has them."""
    snapshot = load_tree(str(root), LoadScope.ALL).index.snapshot()
    known = {path: snapshot.facts(path) for path in snapshot.paths()}
    return {path: facts.text for path, facts in known.items() if facts}


def blocks(files: Mapping[str, str]) -> list[str]:
    """What agents get from a tree for a few prompts."""
    plan = plan_of(files)
    return [
        block(plan, prompt, agent=agent, turn=turn).text
        for prompt in PROMPTS
        for agent, turn in (("", 10), ("dev", 1), ("qa", 2))
    ]


def first_with_a_fix(files: Mapping[str, str]) -> Finding | None:
    found = lint_tree(tree_of(files), select=EVERY_RULE)
    return next((d for d in found if d.fix and d.code != "SYN404"), None)


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.code)
def test_a_fix_leaves_a_clean_tree_and_a_safe_one_changes_no_block(
    mutant: Mutant, mutant_findings: MutantCheck, tmp_path: Path
) -> None:
    for fix in (finding.fix for finding in mutant_findings(mutant) if finding.fix):
        root = write(tmp_path, mutant.files)
        before = read(root)
        after = fixed(before, fix)
        assert check_disk(write(root, after), TWO_SYSTEMS) == ()
        if fix.safe:
            assert blocks(after) == blocks(before)


def manifest_fix(text: str) -> tuple[str, bool]:
    """The manifest after the first fix that it is offered, and whether that is safe."""
    files = {".synapse/manifest": text, ".synapse/x": "X_RULE_0=a\n", ".synapse/y": "Y_RULE_0=b\n"}
    found = first_with_a_fix(files)
    assert found
    assert found.fix
    return fixed(files, found.fix)[".synapse/manifest"], found.fix.safe


@pytest.mark.parametrize(
    ("before", "after", "safe"),
    [
        ("X_STATE=activ\nY_STATE=active\n", "X_STATE=active\nY_STATE=active\n", True),
        ("X_STATE=inactiv\nY_STATE=active\n", "X_STATE=inactive\nY_STATE=active\n", False),
        ("X_STATE=yes\nY_STATE=active\n", "X_STATE=active\nY_STATE=active\n", True),
        (
            "X_STATE=active # now\r\nY_STATE=active\r\n",
            "# now\r\nX_STATE=active\r\nY_STATE=active\r\n",
            True,
        ),
        (
            "X_STATE=active\nX_RECALL=alpha, beta # c\nY_STATE=active",
            "X_STATE=active\n# c\nX_RECALL=alpha, beta\nY_STATE=active",
            False,
        ),
        ("X_STATE=active\nX_STATE=active\nY_STATE=active", "X_STATE=active\nY_STATE=active", True),
        (
            "X_STATE=active\nX_STATE=inactive\nY_STATE=active",
            "X_STATE=inactive\nY_STATE=active",
            False,
        ),
        ("X_RECALL=a\nY_STATE=active\n", "X_STATE=active\nX_RECALL=a\nY_STATE=active\n", True),
        (
            "X_STATE=active\nX_RECALL=,alpha\nY_STATE=active",
            "X_STATE=active\nX_RECALL=alpha\nY_STATE=active",
            True,
        ),
    ],
)
def test_a_manifest_is_mended(before: str, after: str, safe: bool) -> None:
    assert manifest_fix(before) == (after, safe)


@pytest.mark.parametrize(
    ("recall", "left"),
    [
        ("a test, beta, gamma", "beta, gamma"),
        ("beta, a test, gamma", "beta, gamma"),
        ("beta, a test", "beta"),
        ("a test, b test, beta", "b test, beta"),
    ],
)
def test_a_shadowed_keyword_is_taken_out_of_its_list(recall: str, left: str) -> None:
    head = "Y_STATE=active\nX_STATE=active\nX_EXCLUDE=test\nX_RECALL="
    assert manifest_fix(head + recall) == (head + left, False)


@pytest.mark.parametrize(
    "manifest",
    [
        "X_STATE=active\nX_EXCLUDE=test\nX_RECALL=a test",
        "X_STATE=active\nX_EXCLUDE=test\nX_RECALL=a test, b test",
        "X_STATE=active\nX_EXCLUDE=manual\n",
        "X_STATE=active\nX_AGENT_TRIGGER=dev\nX_EXCLUDE=manual\nX_RECALL: unit\n",
        "X_STATE=active\nX_AGENT_TRIGGER=dev\nX_EXCLUDE=manual\n",
        "X_STATE=active\n",
        "",
    ],
)
def test_no_fix_takes_away_what_a_domain_waits_for_or_makes_one_without(manifest: str) -> None:
    files = {".synapse/manifest": manifest, ".synapse/x": "X_RULE_0=a\n"}
    mended = plan_fixes(tree_of(files), partial(lint_tree, select=("SYN2", "SYN3")), unsafe=True)
    assert not mended.plan


@pytest.mark.parametrize(
    "typo", ["TESTNG_RECALL=unit test", "TESTING_RECALL: unit test", "TESTING_recall=unit test"]
)
def test_a_misspelt_trigger_is_mended_and_nothing_around_it_is_deleted(typo: str) -> None:
    good = "TESTING_STATE=active\nTESTING_RECALL=unit test\nTESTING_EXCLUDE=manual\n"
    bad = good.replace("TESTING_RECALL=unit test", typo)
    files = {".synapse/manifest": bad, ".synapse/testing": "TESTING_RULE_0=a\n"}
    assert not plan_fixes(tree_of(files), lint_tree).plan
    mended = plan_fixes(tree_of(files), lint_tree, unsafe=True).tree
    manifest = mended.snapshot.facts(".synapse/manifest")
    assert manifest
    assert manifest.text.replace("= unit", "=unit") == good
    assert {d.code for d in lint_tree(tree_of(files))} <= {"SYN103", "SYN104", "SYN201", "SYN404"}


@pytest.mark.parametrize("copy", [".synapse/agent_x", ".synapse/agent-x.md"])
def test_a_second_file_of_a_domain_is_no_domain_that_is_missing(copy: str) -> None:
    rules = "AGENT_X_RULE_0=a\n"
    manifest = "AGENT_X_STATE=active\nAGENT_X_AGENT_TRIGGER=x\n"
    files = {".synapse/manifest": manifest, ".synapse/agent-x": rules, copy: rules}
    (found,) = lint_tree(tree_of(files), select=("SYN202",))
    assert "`agent-x` is read for AGENT_X instead" in found.message
    assert (found.path, found.fix) == (copy, None)
    assert [related.path for related in found.related] == [".synapse/agent-x"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("X_RULE_0=a\n- b\n", "X_RULE_0=a\nX_RULE_1=b\n"),
        ("X_RULE_1=a\nb\nc\n", "X_RULE_1=a\nX_RULE_2=b\nX_RULE_3=c\n"),
        ("b\nX_RULE_0=a\n", "X_RULE_1=b\nX_RULE_0=a\n"),
        ("X_RULE_0=a\nX_RULE_0=b\n", "X_RULE_0=a\nX_RULE_1=b\n"),
        ("X_RULE_0=a\nX_AUTH_0=c\nX_AUTH_0=b\n", "X_RULE_0=a\nX_AUTH_0=c\nX_AUTH_1=b\n"),
        ("X_RULE_0: a\nX_RULE_1=b\n", "X_RULE_0= a\nX_RULE_1=b\n"),
    ],
)
def test_a_rule_file_is_mended(before: str, after: str) -> None:
    files = {".synapse/manifest": "X_STATE=active\n", ".synapse/x": before}
    found = first_with_a_fix(files)
    assert found
    assert found.fix
    assert not found.fix.safe
    assert fixed(files, found.fix)[".synapse/x"] == after


def test_prose_among_keys_that_are_no_rules_gets_no_key() -> None:
    files = {".synapse/manifest": "X_STATE=active\n", ".synapse/x": "X_AUTH_0=a\nb\n"}
    assert first_with_a_fix(files) is None
