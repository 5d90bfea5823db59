"""What several tests of the rules look at, found out once."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from synapse_ls.text.finding import Finding
from tests.lint.clean import TWO_SYSTEMS, check_disk, write
from tests.lint.mutants.mutant import Mutant

MutantCheck = Callable[[Mutant], tuple[Finding, ...]]


@pytest.fixture(scope="session")
def mutant_findings(tmp_path_factory: pytest.TempPathFactory) -> MutantCheck:
    """What is found on disk in the tree of a mutant, but for what the clean tree has by design."""
    known: dict[str, tuple[Finding, ...]] = {}

    def check(mutant: Mutant) -> tuple[Finding, ...]:
        if mutant.code not in known:
            root = write(tmp_path_factory.mktemp(mutant.code), mutant.files)
            (root / mutant.path).chmod(mutant.mode)
            known[mutant.code] = check_disk(root, TWO_SYSTEMS)
        return known[mutant.code]

    return check
