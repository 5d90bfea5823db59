"""``--fix``, ``--unsafe-fixes``, ``--diff``, ``--add-suppressions`` and standard input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Synapse

UNTIDY = "CONSTITUTION_ALWAYS_ON=yes\nDOCS_EXCLUDE=draft,,old\nSLEEPY_EXCLUD=x\n"
MANIFEST = ".synapse/manifest"


@pytest.fixture
def untidy(team: Path) -> Path:
    """The tree with two findings that can be fixed unseen, and one that cannot."""
    (team / ".synapse/config.toml").write_text('profile = "synapse-live"\n')
    with (team / MANIFEST).open("a") as manifest:
        manifest.write(UNTIDY)
    return team


def text(root: Path) -> str:
    return (root / MANIFEST).read_text(encoding="utf-8")


def test_a_fix_that_may_change_the_block_has_to_be_asked_for(
    synapse: Synapse, untidy: Path
) -> None:
    synapse("check", "--fix")
    assert "SLEEPY_EXCLUD=x\n" in text(untidy)
    done = synapse("check", "--fix", "--unsafe-fixes")
    assert "SLEEPY_EXCLUD=x\n" not in text(untidy)
    assert "1 fixed" in done.out


@pytest.mark.parametrize(("known", "given"), [("TESTING", "TESTING"), ("TESTIN", "TESTIN")])
def test_prose_gets_the_key_of_the_files_domain_and_not_of_a_mistyped_one(
    synapse: Synapse, untidy: Path, known: str, given: str
) -> None:
    rules = untidy / ".synapse/testing"
    rules.write_text(f"{known}_RULE_0=Assert\nTESTIN_RULE_9=Bar\nAnd act\n", encoding="utf-8")
    synapse("check", "--fix", "--unsafe-fixes", "--select", "SYN112")
    assert rules.read_text(encoding="utf-8").splitlines()[2].startswith(f"{given}_RULE_")


def test_unsafe_fixes_alone_mean_nothing(synapse: Synapse, untidy: Path) -> None:
    assert synapse("check", "--unsafe-fixes").code == 2


def test_a_diff_changes_nothing_and_says_that_there_is_one(synapse: Synapse, untidy: Path) -> None:
    before = text(untidy)
    done = synapse("check", "--diff")
    assert (done.code, done.err) == (1, "")
    assert "-DOCS_EXCLUDE=draft,,old\n" in done.out and "+DOCS_EXCLUDE=draft,old\n" in done.out
    assert text(untidy) == before
    assert synapse("check", "--diff", "--exit-zero").code == 0


def test_the_diff_of_a_sound_tree_is_empty(synapse: Synapse, team: Path) -> None:
    done = synapse("check", "--diff")
    assert (done.code, done.out) == (0, "")


def test_that_there_is_nothing_to_fix_is_said(synapse: Synapse, team: Path) -> None:
    assert "there is nothing to fix" in synapse("check", "--diff").err


@pytest.mark.parametrize("option", ["--fix", "--diff"])
def test_what_can_only_be_fixed_unsafely_is_named(
    synapse: Synapse, untidy: Path, option: str
) -> None:
    synapse("check", "--fix")
    done = synapse("check", option)
    assert "there is no safe fix; SYN" in done.err and "with --unsafe-fixes" in done.err


def test_the_diff_is_what_fix_does(synapse: Synapse, untidy: Path) -> None:
    diff = synapse("check", "--diff", "--unsafe-fixes").out
    before = text(untidy).splitlines()
    synapse("check", "--fix", "--unsafe-fixes")
    now = text(untidy).splitlines()
    lines = diff.splitlines()[2:]
    assert {line[1:] for line in lines if line[0] == "-"} == {x for x in before if x not in now}
    assert {line[1:] for line in lines if line[0] == "+"} == {x for x in now if x not in before}


def test_fixing_twice_changes_nothing_more(synapse: Synapse, untidy: Path) -> None:
    synapse("check", "--fix", "--unsafe-fixes")
    once = text(untidy)
    assert "fixed" not in synapse("check", "--fix", "--unsafe-fixes").out
    assert text(untidy) == once


@pytest.mark.parametrize(("options", "code"), [([], 0), (["--exit-non-zero-on-fix"], 1)])
def test_a_fix_can_fail_the_run(
    synapse: Synapse, untidy: Path, options: list[str], code: int
) -> None:
    assert synapse("check", "--fix", "--unsafe-fixes", *options).code == code


def test_a_file_that_is_not_utf_8_is_left_alone(synapse: Synapse, untidy: Path) -> None:
    before = (untidy / MANIFEST).read_bytes() + b"# caf\xe9\n"
    (untidy / MANIFEST).write_bytes(before)
    (untidy / ".synapse/docs").write_text("DOCS_RULE_0=Every feature has an example\n")
    assert synapse("check", "--fix").code == 1
    assert (untidy / MANIFEST).read_bytes() == before


def test_suppressions_leave_nothing_to_be_said(synapse: Synapse, untidy: Path) -> None:
    before = text(untidy)
    done = synapse("check", "--add-suppressions")
    assert done.code == 0
    assert done.out.startswith("No findings · ")
    assert "comments added" in done.out
    now = text(untidy)
    assert [
        line for line in now.splitlines() if "synapse: ignore" not in line
    ] == before.splitlines()
    assert "comment" not in synapse("check", "--add-suppressions").out


@pytest.mark.parametrize("kept", [[], ["--no-cache"]])
def test_what_is_suppressed_can_be_found_all_the_same(
    synapse: Synapse, untidy: Path, kept: list[str]
) -> None:
    asked = ("check", "--format", "json-lines")
    found = {(one["code"], one["message"]) for one in findings(synapse(*asked).out)}
    synapse("check", "--add-suppressions")
    assert findings(synapse(*asked, *kept).out) == []
    for _ in "ab":  # found, and as it was kept
        shown = findings(synapse(*asked, "--ignore-suppressions", *kept).out)
        assert {(one["code"], one["message"]) for one in shown} == found
    assert findings(synapse(*asked, *kept).out) == []


def findings(lines: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.splitlines()]


def test_suppressions_can_be_seen_first(synapse: Synapse, untidy: Path) -> None:
    before = text(untidy)
    done = synapse("check", "--add-suppressions", "--diff", "--select", "SYN301")
    assert "+# synapse: ignore-next-line[SYN301]\n" in done.out
    assert text(untidy) == before


def test_suppressions_are_for_what_is_asked_about(synapse: Synapse, untidy: Path) -> None:
    synapse("check", "--add-suppressions", "--severity", "warning")
    assert "SYN301" not in text(untidy)


@pytest.mark.parametrize(
    "options",
    [
        ["--fix", "--add-suppressions"],
        ["--ignore-suppressions", "--add-suppressions"],
        ["--watch", "--fix"],
        ["--watch", "-", "--stdin-filename", MANIFEST],
    ],
)
def test_what_excludes_each_other(synapse: Synapse, untidy: Path, options: list[str]) -> None:
    before = text(untidy)
    assert synapse("check", *options).code == 2
    assert text(untidy) == before


def test_a_text_is_checked_in_the_light_of_its_tree(synapse: Synapse, team: Path) -> None:
    draft = text(team) + "SLEEPY_EXCLUD=x\nLOST_STATE=active\n"
    options = ["--severity", "warning", "--format", "json"]
    done = synapse("check", "-", "--stdin-filename", MANIFEST, *options, stdin=draft)
    assert done.code == 1
    assert {f["code"] for f in done.json} == {"SYN104", "SYN201"}
    assert {f["path"] for f in done.json} == {MANIFEST}


def test_a_text_for_a_file_that_is_not_there_yet(synapse: Synapse, team: Path) -> None:
    done = synapse("check", "-", "--stdin-filename", ".synapse/lost", stdin="LOST_RULE_0=x\n")
    assert "SYN202" in done.out


def test_a_mended_text_goes_to_standard_output_and_the_report_beside_it(
    synapse: Synapse, untidy: Path
) -> None:
    before = text(untidy)
    done = synapse("check", "-", "--stdin-filename", MANIFEST, "--fix", stdin=before)
    assert done.out == before.replace("=yes", "=true").replace(",,", ",")
    assert "SYN104" in done.err
    assert text(untidy) == before


def test_a_text_without_findings_comes_back_as_it_is(synapse: Synapse, team: Path) -> None:
    crlf = "\ufeff" + text(team).replace("\n", "\r\n")
    done = synapse("check", "-", "--stdin-filename", MANIFEST, "--fix", stdin=crlf)
    assert done.out == crlf


def test_the_difference_of_a_text(synapse: Synapse, untidy: Path) -> None:
    done = synapse("check", "-", "--stdin-filename", MANIFEST, "--diff", stdin=text(untidy))
    assert done.code == 1
    assert "+DOCS_EXCLUDE=draft,old\n" in done.out


@pytest.mark.parametrize("name", ["README.md", ".synapse/sessions/a.json"])
def test_a_text_that_is_no_file_of_a_tree(synapse: Synapse, team: Path, name: str) -> None:
    done = synapse("check", "-", "--stdin-filename", name)
    assert done.code == 2
    assert "is no file of a tree" in done.err


@pytest.mark.parametrize(
    "arguments", [["-"], ["--stdin-filename", MANIFEST, "squads"]], ids=["unnamed", "several"]
)
def test_a_text_needs_one_name(synapse: Synapse, team: Path, arguments: list[str]) -> None:
    assert synapse("check", *arguments).code == 2
