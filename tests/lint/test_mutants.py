"""A mutant, a clean tree with one mistake in one line, is found by the rule it concerns and by no other."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import pytest

from synapse_ls.lint.rule_registry import all_rules
from tests.lint.clean import CLEAN, TWO_SYSTEMS, check_disk, write
from tests.lint.conftest import MutantCheck
from tests.lint.mutants import brainiac, syn7
from tests.lint.mutants.mutant import Mutant

MOST_CHARACTERS = 120  # of a message, which says in one short line what happens
FOLDER = Path(__file__).parent / "mutants"
MODULES = [
    import_module(f"tests.lint.mutants.{path.stem}")
    for path in FOLDER.glob("*.py")
    if path.stem not in ("__init__", "mutant")
]
MUTANTS: tuple[Mutant, ...] = tuple(
    mutant
    for module in sorted(MODULES, key=lambda module: str(module.MUTANTS[0].code))
    for mutant in module.MUTANTS
)


@pytest.mark.parametrize(
    "tree", [CLEAN, syn7.CHAINED, brainiac.TREE], ids=["synapse", "chains", "brainiac"]
)
def test_a_clean_tree_has_no_findings(tree: Mapping[str, str], tmp_path: Path) -> None:
    assert check_disk(write(tmp_path, tree), TWO_SYSTEMS) == ()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.code)
def test_a_mutant_is_found_by_one_rule_alone(mutant: Mutant, mutant_findings: MutantCheck) -> None:
    known = {rule.code for rule in all_rules()}
    assert mutant.code in known, f"no registered rule has the code {mutant.code}"
    assert not mutant.fault, mutant.fault
    found = mutant_findings(mutant)
    codes = [diagnostic.code for diagnostic in found]
    assert codes == [mutant.code], (
        f"{mutant.code} alone should find its mutant, once, in {mutant.path}: "
        f"found by {', '.join(codes) or 'no rule'}"
    )
    shown = mutant.files[found[0].path].encode(errors="surrogateescape").decode(errors="replace")
    marked = found[0].span.cut(shown)
    assert marked == mutant.marked, f"{mutant.code} marks {marked!r}, not {mutant.marked!r}"
    assert len(found[0].message) <= MOST_CHARACTERS
    assert "\n" not in found[0].message


def test_every_rule_has_a_mutant() -> None:
    # No change inside a file makes a second system of rules: `tests/cli/test_init_beside.py`.
    codes = [rule.code for rule in all_rules() if rule.code not in TWO_SYSTEMS]
    missing = set(codes) - {mutant.code for mutant in MUTANTS}
    assert not missing, f"no mutant in tests/lint/mutants for {', '.join(sorted(missing))}"
    assert [mutant.code for mutant in MUTANTS] == codes, (
        "a mutant for each rule, in the order of their codes"
    )


@pytest.mark.parametrize(
    ("path", "old", "said"),
    [
        (
            ".synapse/commands",
            "no such line",
            "`old` must stand once in .synapse/commands of CLEAN",
        ),
        (".synapse/commands", "no such line", "it is there 0 times: 'no such line'"),
        (".synapse/command", "x", "CLEAN has no file .synapse/command"),
    ],
)
def test_a_mutant_that_is_mistyped_says_so(path: str, old: str, said: str) -> None:
    assert said in Mutant("SYN501", path, old, "new", "new").fault
