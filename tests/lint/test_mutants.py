"""One slip in one line of a clean tree is found by the rule it concerns, and by no other."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from synapse_ls.lint.rule_registry import all_rules
from tests.lint.clean import CLEAN, TWO_SYSTEMS, check_disk, write
from tests.lint.conftest import SlipCheck
from tests.lint.mutants import (
    brainiac,
    carl,
    chati,
    syn1,
    syn2,
    syn3,
    syn4,
    syn5,
    syn6,
    syn7,
    syn8,
    syn9,
)
from tests.lint.mutants.mutant import Mutant

FAMILIES = (carl, brainiac, chati, syn1, syn2, syn3, syn4, syn5, syn6, syn7, syn8, syn9)
MUTANTS = tuple(mutant for family in FAMILIES for mutant in family.MUTANTS)


@pytest.mark.parametrize(
    "tree", [CLEAN, syn7.CHAINED, brainiac.TREE], ids=["synapse", "chains", "brainiac"]
)
def test_a_clean_tree_has_no_findings(tree: Mapping[str, str], tmp_path: Path) -> None:
    assert check_disk(write(tmp_path, tree), TWO_SYSTEMS) == ()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.code)
def test_one_slip_is_found_by_one_rule_alone(mutant: Mutant, slip_findings: SlipCheck) -> None:
    assert mutant.code in {rule.code for rule in all_rules()}, "it is in no line of FAMILIES"
    assert mutant.clean[mutant.path].count(mutant.old) == 1
    found = slip_findings(mutant)
    assert [diagnostic.code for diagnostic in found] == [mutant.code]
    shown = mutant.files[found[0].path].encode(errors="surrogateescape").decode(errors="replace")
    assert found[0].span.cut(shown) == mutant.marked


def test_every_rule_has_a_mutant() -> None:
    # No slip inside a file makes a second system of rules: `tests/cli/test_init_beside.py`.
    codes = [rule.code for rule in all_rules() if rule.code not in TWO_SYSTEMS]
    missing = set(codes) - {mutant.code for mutant in MUTANTS}
    assert not missing, f"no slip in tests/lint/mutants for {', '.join(sorted(missing))}"
    assert [mutant.code for mutant in MUTANTS] == codes, "a slip for each rule, in their order"
