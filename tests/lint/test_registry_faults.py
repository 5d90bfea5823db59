"""What is wrong with the list of rules is told in a sentence to whoever adds one."""

from __future__ import annotations

import sys
from dataclasses import replace

import pytest

from synapse_ls.cli.main import main
from synapse_ls.lint import rule_registry
from synapse_ls.lint.rule_registry import (
    FAMILIES,
    all_rules,
    find_faults,
    problem_rules,
    rule_module,
)
from synapse_ls.workspace.file_kinds import FileKind

FILES = {
    f"{name}/{module}.py" for name, family in FAMILIES.items() for module in family.modules
} | {f"{name}/{rule.name}.md" for name in FAMILIES for rule in problem_rules(name)}


def test_the_rules_have_no_fault() -> None:
    assert find_faults(FILES) == []


def test_a_module_that_is_not_listed_is_told() -> None:
    (found,) = find_faults(FILES | {"squads/late_squad.py"})
    assert found.startswith("squads/late_squad.py is in no line of FAMILIES")


def test_a_module_that_is_listed_and_not_there_is_told() -> None:
    (found,) = find_faults(FILES - {"squads/missing_component.py"})
    assert found.endswith("there is no lint/rules/squads/missing_component.py.")


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"code": "SYN507"}, "long_rule.py and repeated_rule.py have the same code, SYN507."),
        ({"name": "long_rule"}, "has the name `long_rule`, and should have `long-rule`."),
        ({"name": "longer-rule"}, "has the name `longer-rule`, and should have `long-rule`."),
    ],
)
def test_a_code_and_a_name_that_are_not_its_own_are_told(
    changed: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = rule_module("rule_content", "long_rule")
    monkeypatch.setattr(module, "RULE", replace(module.RULE, **changed))
    (found,) = find_faults(FILES)
    assert found.endswith(said)


def test_a_kind_of_files_that_its_family_does_not_check_is_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = rule_module("squads", "squad_name_mismatch")
    monkeypatch.setattr(module, "RULE", replace(module.RULE, kinds=frozenset({FileKind.TASK})))
    (found,) = find_faults(FILES)
    assert "add TASK to its kinds in FAMILIES" in found


def test_a_module_without_a_rule_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(rule_module("rule_content", "long_rule"), "RULE")
    assert find_faults(FILES) == ["long_rule.py defines no RULE."]


def test_a_page_without_a_rule_and_a_rule_without_a_page_are_told() -> None:
    assert find_faults(FILES | {"squads/late-squad.md"}) == [
        "squads/late-squad.md is the page of no rule in lint/rules/squads/__init__.py."
    ]
    assert find_faults(FILES - {"squads/bad-extends.md"}) == [
        "The rule `bad-extends` has no page lint/rules/squads/bad-extends.md."
    ]


def test_a_command_tells_of_a_line_without_its_module(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    squads = FAMILIES["squads"]
    more = squads._replace(modules=(*squads.modules, "longer_rule"))
    monkeypatch.setitem(rule_registry.FAMILIES, "squads", more)
    all_rules.cache_clear()
    try:
        assert main(["rule", "SYN508"]) == 2
    finally:
        all_rules.cache_clear()
    said = capsys.readouterr().err
    assert "has `longer_rule` in squads, and there is no lint/rules/squads/longer_rule.py" in said
    assert "should not" not in said
    assert "synapse_ls.lint.rules.squads.longer_rule" not in sys.modules
