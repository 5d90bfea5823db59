from __future__ import annotations

import pytest

from synapse_ls.lint.rule_registry import all_rules
from tests.cli.conftest import Synapse


def test_every_rule_has_a_line(synapse: Synapse) -> None:
    done = synapse("rule")
    assert (done.code, done.err) == (0, "")
    assert [line.split()[0] for line in done.out.splitlines()[1:]] == [r.code for r in all_rules()]


@pytest.mark.parametrize(
    "given", ["SYN201", "syn201", "domain-without-file", "domain_without_file"]
)
def test_a_page_is_found_by(synapse: Synapse, given: str) -> None:
    done = synapse("rule", given)
    assert done.out.startswith("# domain-without-file (SYN201)\n\nA domain is declared, but ")
    assert "## Why it matters\n" in done.out


def test_a_page_as_json(synapse: Synapse) -> None:
    page = synapse("rule", "SYN201", "--format", "json").json
    assert page["name"] == "domain-without-file"
    assert list(page["sections"])[:2] == ["What it does", "Why it matters"]


def test_all_pages(synapse: Synapse) -> None:
    lines = synapse("rule", "--all").out.splitlines()
    assert {f"# {rule.name} ({rule.code})" for rule in all_rules()} <= set(lines)


def test_all_pages_as_json(synapse: Synapse) -> None:
    assert len(synapse("rule", "--format", "json").json) == len(all_rules())


def test_a_rule_that_does_not_exist_has_near_misses(synapse: Synapse) -> None:
    done = synapse("rule", "domain-without-files")
    assert (done.code, done.out) == (2, "")
    assert "Did you mean domain-without-file?" in done.err


@pytest.mark.parametrize("given", ["SYN6", "syn6"])
def test_the_beginning_of_codes_lists_a_family(synapse: Synapse, given: str) -> None:
    wanted = [rule.code for rule in all_rules() if rule.code.startswith("SYN6")]
    lines = synapse("rule", given).out.splitlines()
    assert [line.split()[0] for line in lines[1:]] == wanted
    assert [page["code"] for page in synapse("rule", given, "--format", "json").json] == wanted
