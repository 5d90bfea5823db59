"""What a mutant is, and where the files are that mutants change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from tests.lint.clean import CLEAN

MANIFEST = ".synapse/manifest"
CONFIG = ".synapse/config.toml"
SQUAD = "squads/etl-squad/squad.yaml"
SQUAD_MANIFEST = "squads/etl-squad/.synapse/manifest"
STATE = ".aiox/release-train-20260102-abc123-state.yaml"

TESTS = ".synapse/tests/blocks.toml"


_OF_GIT = (".git/", ".synapse/.gitignore")


class Mutant(NamedTuple):
    """``old`` becomes ``new`` in a file, and then ``marked`` is what the diagnostic marks.

    ``mode`` are the permissions of the file, where they matter. ``tree`` is the clean tree that the
    file is in, where that is not the usual one.
    """

    code: str
    path: str
    old: str
    new: str
    marked: str
    mode: int = 0o644
    tree: Mapping[str, str] | None = None

    @property
    def clean(self) -> Mapping[str, str]:
        """The files without the slip."""
        return CLEAN if self.tree is None else self.tree

    @property
    def files(self) -> dict[str, str]:
        """The files with the slip."""
        text = self.clean[self.path]
        return {**self.clean, self.path: text.replace(self.old, self.new)}

    @property
    def tree_files(self) -> dict[str, str]:
        """Those of them that are files of a tree; those of git are none."""
        return {p: text for p, text in self.files.items() if not p.startswith(_OF_GIT)}
