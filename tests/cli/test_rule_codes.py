"""The code of a rule says which family it is of; a code of earlier versions still names its rule."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from synapse_ls.lint.rule_registry import all_rules, rule_module
from synapse_ls.lint.rule_selection import current_code, former_code, matches_selector
from tests.cli.conftest import Synapse

FAMILIES = {
    "syntax": "SYN1",
    "references": "SYN2",
    "keywords_and_triggers": "SYN3",
    "brackets_and_budgets": "SYN4",
    "rule_content": "SYN5",
    "squads": "SYN6",
    "workflows_and_tasks": "SYN7",
    "safety": "SYN8",
    "memory": "SYN9",
    "carl": "SYN01",
    "brainiac": "SYN0[23]",
    "chati": "SYN0[45]",
}
RENAMED = [rule for rule in all_rules() if former_code(rule.code) != rule.code]


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_a_code_begins_as_its_family_does(rule: object) -> None:
    name = getattr(rule, "name")  # noqa: B009 - pytest gives an object
    family = rule_module(name).__name__.split(".")[-2]
    assert re.match(FAMILIES[family], getattr(rule, "code"))  # noqa: B009


def test_no_code_is_one_of_earlier_versions() -> None:
    assert len(RENAMED) == 27
    assert not {former_code(rule.code) for rule in RENAMED} & {rule.code for rule in all_rules()}
    assert all(current_code(former_code(rule.code)) == rule.code for rule in all_rules())


@pytest.mark.parametrize(
    ("selector", "family"),
    [
        ("SYN14", "carl"),
        ("SYN1", "carl"),
        ("SYN82", "brainiac"),
        ("SYN8", "brainiac"),
        ("SYN74", "chati"),
        ("SYN7", "chati"),
        ("SYN0", "chati"),
    ],
)
def test_the_beginning_of_former_codes_selects_what_it_did(selector: str, family: str) -> None:
    meant = {
        rule_module(rule.name).__name__.split(".")[-2]
        for rule in all_rules()
        if matches_selector((selector,), rule)
    }
    assert family in meant


@pytest.mark.parametrize("code", ["SYN741", "SYN041"])
def test_either_code_selects_ignores_and_explains(
    synapse: Synapse, tmp_path: Path, code: str
) -> None:
    path = tmp_path / "chati.dev/domains/global.yaml"
    path.parent.mkdir(parents=True)
    path.write_text('rules: [{id: "", text: "x"}]\n')
    assert "SYN041" in synapse("check", "--root", str(tmp_path), "--select", code).out
    assert "SYN041" not in synapse("check", "--root", str(tmp_path), "--ignore", code).out
    path.write_text(f'# synapse: ignore-file[{code}]\nrules: [{{id: "", text: "x"}}]\n')
    quiet = synapse("check", "--root", str(tmp_path)).out
    assert "SYN041" not in quiet and "SYN127" not in quiet
    assert "invalid-chati-rule (SYN041)" in synapse("rule", code).out
