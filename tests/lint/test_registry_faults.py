"""What is wrong with the list of rules is told in a sentence to whoever adds one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scripts.generated import rule_documentation
from scripts.generated.rule_documentation import find_faults
from synapse_ls.lint.rule_registry import FAMILIES, all_rules, family_rules, rule_file

FILES = {rule_file(name, rule) for name in FAMILIES for rule in family_rules(name)}


def test_the_rules_have_no_fault() -> None:
    assert find_faults(FILES) == []


@pytest.mark.parametrize("path", ["squads/late_squad.py", "squads/late-squad.md"])
def test_a_file_that_no_row_has_is_told(path: str) -> None:
    assert find_faults({*FILES, path}) == [
        f"lint/rules/{path} belongs to no row of RULES in the `__init__.py` beside it."
    ]


@pytest.mark.parametrize("path", ["squads/missing_component.py", "squads/bad-extends.md"])
def test_a_row_without_its_file_is_told(path: str) -> None:
    assert find_faults(FILES - {path}) == [f"A row of RULES has no file lint/rules/{path}."]


def test_two_rules_of_one_code_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = tuple(
        replace(rule, code="SYN507") if rule.name == "long-rule" else rule for rule in all_rules()
    )
    monkeypatch.setattr(rule_documentation, "all_rules", lambda: rules)
    assert find_faults(FILES) == ["repeated-rule and long-rule have the same code, SYN507."]
