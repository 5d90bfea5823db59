from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Synapse
from tests.trees import write_tree

CASES = """\
    [[case]]
    name = "dev gets its rules"
    agent = "dev"
    domains = ["AGENT_DEV"]

    [[case]]
    name = "qa gets its rules"
    domains = ["AGENT_QA"]
    """


@pytest.fixture
def cases(team: Path) -> Path:
    return write_tree(team, {".synapse/tests/agents.toml": CASES})


def test_every_case_is_run_and_a_failure_says_why(synapse: Synapse, cases: Path) -> None:
    done = synapse("test")
    assert done.code == 1
    head, passed, failed, place, remedy, total = done.out.splitlines()
    assert head == ".synapse/tests/agents.toml"
    assert passed.startswith("  ok dev gets its rules (FRESH, ")
    assert failed.startswith("  FAILED qa gets its rules (FRESH, ")
    assert place == (
        "    .synapse/tests/agents.toml:8: AGENT_QA is not in the block: no agent is active, not @qa."
    )
    assert remedy == "      remedy: Activate @qa."
    assert total == "1 passed, 1 failed"


def test_cases_are_chosen_by_name(synapse: Synapse, cases: Path) -> None:
    done = synapse("test", "--only", "DEV gets")
    assert done.code == 0
    assert done.out.endswith("1 passed, 0 failed\n")


@pytest.mark.parametrize("given", ["agents.toml", ".synapse/tests/agents.toml"])
def test_files_are_chosen_by_path(synapse: Synapse, cases: Path, given: str) -> None:
    write_tree(cases, {".synapse/tests/b.toml": '[[case]]\nname = "b"\nmax_tokens = 0\n'})
    assert [one["path"] for one in synapse("test", given, "--format", "json").json] == [
        ".synapse/tests/agents.toml"
    ]


def test_a_program_gets_every_failure(synapse: Synapse, cases: Path) -> None:
    [file] = synapse("test", "--format", "json").json
    assert [case["passed"] for case in file["cases"]] == [True, False]
    assert file["cases"][1]["failures"] == [
        {
            "line": 8,
            "message": "AGENT_QA is not in the block: no agent is active, not @qa.",
            "remedy": "Activate @qa.",
        }
    ]


def test_junit_has_a_case_for_each(synapse: Synapse, cases: Path) -> None:
    [suite] = ElementTree.fromstring(synapse("test", "--format", "junit").out)
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    assert [len(case) for case in suite] == [0, 1]


def test_a_file_that_cannot_be_read_fails(synapse: Synapse, team: Path) -> None:
    write_tree(team, {".synapse/tests/agents.toml": "[[case]\n"})
    done = synapse("test")
    assert done.code == 1
    assert done.out.endswith("0 passed, 1 failed\n")


@pytest.mark.parametrize("arguments", [(), ("--only", "x"), ("nowhere.toml",)])
def test_having_nothing_to_run_is_no_success(
    synapse: Synapse, team: Path, arguments: tuple[str, ...]
) -> None:
    done = synapse("test", *arguments)
    assert done.code == 2
    assert done.out == ""


def test_junit_escapes_what_is_no_character_of_xml(synapse: Synapse, cases: Path) -> None:
    (cases / ".synapse/tests/odd.toml").write_text(
        '[[case]]\nname = "bell \\u0007 and \\uffff <&>"\ntexts = ["never said \\u001b"]\n', "utf-8"
    )
    out = synapse("test", "--format", "junit").out
    names = [case.get("name") for case in ElementTree.fromstring(out).iter("testcase")]
    assert "bell \\x07 and \\uffff <&>" in names
