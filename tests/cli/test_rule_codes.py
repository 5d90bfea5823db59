"""The code of a rule says which family it is of; a code of earlier versions still names its rule."""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import pytest

from synapse_ls.lint.lint_rule import LintRule
from synapse_ls.lint.rule_registry import (
    FAMILIES,
    UNUSED_CODES,
    all_rules,
    family_of_code,
    problem_rules,
    rule_module,
)
from synapse_ls.lint.rule_selection import current_code, former_code, matches_selector
from tests.cli.conftest import Synapse


def family_rules(name: str) -> list[LintRule]:
    modules = (rule_module(name, module) for module in FAMILIES[name].modules)
    return [*problem_rules(name), *(module.RULE for module in modules)]


RENAMED = [rule for rule in all_rules() if former_code(rule.code) != rule.code]


@pytest.mark.parametrize("name", FAMILIES)
def test_a_code_begins_as_its_family_does(name: str) -> None:
    prefixes = FAMILIES[name].prefixes
    strangers = [rule.code for rule in family_rules(name) if not rule.code.startswith(prefixes)]
    assert not strangers, f"codes of {name} begin with {prefixes}"


def test_no_code_is_one_of_earlier_versions() -> None:
    assert len(RENAMED) == 27
    assert not {former_code(rule.code) for rule in RENAMED} & {rule.code for rule in all_rules()}
    assert all(current_code(former_code(rule.code)) == rule.code for rule in all_rules())


def test_no_code_begins_as_those_of_earlier_versions_do() -> None:
    """`current_code` takes each of these for a code of another family."""
    taken = [rule.code for rule in all_rules() if current_code(rule.code) != rule.code]
    assert not taken, f"{taken}: codes of earlier versions began so; take the next ten"


@pytest.mark.parametrize("name", FAMILIES)
def test_a_code_that_was_given_up_is_not_used_again(name: str) -> None:
    """Within a family only UNUSED_CODES are missing, so a new rule has the highest code plus one."""
    codes = [rule.code for rule in family_rules(name)]
    numbers = [int(code.removeprefix("SYN")) for code in codes]
    between = {f"SYN{number:03}" for number in range(min(numbers), max(numbers) + 1)}
    formerly = {code for code in between if current_code(code) != code}
    again = sorted(set(UNUSED_CODES) & set(codes))
    assert not again, f"{again} stays unused: take SYN{max(numbers) + 1:03}"
    given_up = sorted(between - formerly - {*codes, *UNUSED_CODES})
    assert not given_up, f"nothing has {given_up}: what was given up goes into UNUSED_CODES"


def test_the_unused_codes_lie_between_others() -> None:
    """A code behind the last of its family would be the next one to take."""
    last = {max(rule.code for rule in family_rules(name)) for name in FAMILIES}
    families = [max(c for c in last if c[:4] == code[:4]) for code in UNUSED_CODES]
    assert all(code < highest for code, highest in zip(UNUSED_CODES, families, strict=True))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_lists_its_rules_by_code(name: str) -> None:
    modules = [rule_module(name, module).RULE.code for module in FAMILIES[name].modules]
    assert modules == sorted(modules), f"the modules of {name} in FAMILIES are not in their order"
    table = [rule.code for rule in problem_rules(name)]
    assert table == sorted(table), f"the table of {name} is not in the order of its codes"


def test_the_families_share_no_beginning_of_codes() -> None:
    prefixes = list(chain.from_iterable(family.prefixes for family in FAMILIES.values()))
    alike = [(a, b) for a in prefixes for b in prefixes if a is not b and a.startswith(b)]
    assert not alike


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
        family_of_code(rule.code) for rule in all_rules() if matches_selector((selector,), rule)
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
