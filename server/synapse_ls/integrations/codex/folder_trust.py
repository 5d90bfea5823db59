"""This module says which files of a project Codex reads, and whether it trusts their folders.

Codex reads ``.codex`` in the working directory and in each folder above it, up to the top of its work
tree. For each of these folders its person has said whether it is trusted, or for the top of the work
tree, or for the main one. In a linked work tree the hook files are those of the main one.

Source: the answers of Codex 0.169 to ``hooks/list``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synapse_ls.storage.repository_place import find_work_trees

_FOLDER = ".codex"


@dataclass(frozen=True, slots=True)
class CodexFolder:
    """A CodexFolder is a working directory of Codex. folder: its real path. top: that of its work
    tree, itself where it is in none. main: the main work tree, ``top`` where that is no linked one.
    """

    folder: Path
    top: Path
    main: Path

    @classmethod
    def of_path(cls, path: Path) -> CodexFolder:
        """Returns a working directory by any path to it."""
        folder = os.path.realpath(path)
        top, main = find_work_trees(folder) or (folder, folder)
        return cls(Path(folder), Path(top), Path(main))

    @property
    def is_linked(self) -> bool:
        """Tells whether it lies in a linked work tree."""
        return self.main != self.top

    @property
    def hook_folder(self) -> Path:
        """Returns the folder whose hook file Codex reads in place of the one here."""
        return self.main / self.folder.relative_to(self.top)

    @property
    def hook_file(self) -> Path:
        """Returns the hook file of a project, by the path under which Codex keeps approvals."""
        return self.hook_folder / _FOLDER / "hooks.json"

    def is_trusted(self, projects: Mapping[str, Any]) -> bool:
        """Tells whether Codex trusts it. projects: the table of that name of the user."""
        return _is_trusted((self.folder, self.top, self.main), projects)

    def config_files(self, projects: Mapping[str, Any]) -> Iterator[Path]:
        """Yields the settings of the project that Codex reads, which may not be there: those of
        trusted folders, the top first.
        """
        between = [one for one in self.folder.parents if one.is_relative_to(self.top)]
        for folder in (*reversed(between), self.folder):
            if _is_trusted((folder, self.top, self.main), projects):
                yield folder / _FOLDER / "config.toml"


def _is_trusted(folders: tuple[Path, ...], projects: Mapping[str, Any]) -> bool:
    """Tells whether the first of the folders about which something is said is trusted."""
    for folder in folders:
        said = projects.get(str(folder))
        level = said.get("trust_level") if isinstance(said, dict) else None
        if level is not None:
            return bool(level == "trusted")
    return False
