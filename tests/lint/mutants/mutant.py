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
    """A Mutant is a tree without findings in which somebody made one mistake.

    ``old`` becomes ``new`` in a file, and then ``marked`` is what the diagnostic marks.

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
    def fault(self) -> str:
        """What is wrong with the mutant itself, "" where nothing is."""
        tree = "CLEAN" if self.tree is None else "its tree"
        if self.path not in self.clean:
            return f"{self.code}: {tree} has no file {self.path}"
        times = self.clean[self.path].count(self.old)
        if times != 1:
            return (
                f"{self.code}: `old` must stand once in {self.path} of {tree}, and it is there "
                f"{times} times: {self.old!r}"
            )
        return ""

    @property
    def clean(self) -> Mapping[str, str]:
        """The files before the change."""
        return CLEAN if self.tree is None else self.tree

    @property
    def files(self) -> dict[str, str]:
        """The files after it."""
        text = self.clean[self.path]
        return {**self.clean, self.path: text.replace(self.old, self.new)}

    @property
    def tree_files(self) -> dict[str, str]:
        """Those of them that are files of a tree; those of git are none."""
        return {p: text for p, text in self.files.items() if not p.startswith(_OF_GIT)}
