"""The code of a rule says which family it is of."""

from __future__ import annotations

from itertools import chain

import pytest

from synapse_ls.lint.rule_registry import FAMILIES, UNUSED_CODES, family_rules


@pytest.mark.parametrize("name", FAMILIES)
def test_a_code_begins_as_its_family_does(name: str) -> None:
    prefixes = FAMILIES[name].prefixes
    strangers = [rule.code for rule in family_rules(name) if not rule.code.startswith(prefixes)]
    assert not strangers, f"codes of {name} begin with {prefixes}"


@pytest.mark.parametrize("name", FAMILIES)
def test_a_code_that_was_given_up_is_not_used_again(name: str) -> None:
    """Within a family only UNUSED_CODES are missing, so a new rule has the highest code plus one."""
    codes = [rule.code for rule in family_rules(name)]
    numbers = [int(code.removeprefix("SYN")) for code in codes]
    between = {f"SYN{number:03}" for number in range(min(numbers), max(numbers) + 1)}
    again = sorted(set(UNUSED_CODES) & set(codes))
    assert not again, f"{again} stays unused: take SYN{max(numbers) + 1:03}"
    given_up = sorted(between - {*codes, *UNUSED_CODES})
    assert not given_up, f"nothing has {given_up}: what was given up goes into UNUSED_CODES"


def test_the_unused_codes_lie_between_others() -> None:
    """A code behind the last of its family would be the next one to take."""
    last = {max(rule.code for rule in family_rules(name)) for name in FAMILIES}
    families = [max(c for c in last if c[:4] == code[:4]) for code in UNUSED_CODES]
    assert all(code < highest for code, highest in zip(UNUSED_CODES, families, strict=True))


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_lists_its_rules_by_code(name: str) -> None:
    codes = [rule.code for rule in family_rules(name)]
    assert codes == sorted(codes), f"the table of {name} is not in the order of its codes"


def test_the_families_share_no_beginning_of_codes() -> None:
    prefixes = list(chain.from_iterable(family.prefixes for family in FAMILIES.values()))
    alike = [(a, b) for a in prefixes for b in prefixes if a is not b and a.startswith(b)]
    assert not alike
