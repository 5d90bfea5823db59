"""List the folders that an activation reads: agents, workflows, workflow states and hand-offs.

In the root and in squads, whatever else the tree is made of.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from synapse_ls.workspace.outside_links import find_outside_link, is_readable, list_names

# Folders of other systems that may be in place of, or beside, those of a tree.
OTHER_FOLDERS = {"agents": ("chati.dev/agents",), "workflows": ("chati.dev/workflows",)}

SKIPPED_PREFIXES = ("_", ".")  # how the names of templates and of hidden files begin

# Where the framework keeps how people want to be greeted.
PREFERENCE_FILES = (".aiox-core/core-config.yaml", ".aios-core/core-config.yaml")

# Where the framework keeps how freely agents may act.
PERMISSION_FILES = (".aiox/config.yaml", ".aios/config.yaml")

HANDOFF_FOLDER = "handoffs"
HANDOFF_PREFIX = "handoff-"
MARKDOWN = (".md",)
YAML = (".yaml", ".yml")


@dataclass
class WorkFolders:
    """The folders of one root that an activation reads from. places: folders by sort, as a plan has
    them. listed: the folders that were looked at, whether there are any or not.
    """

    root: str
    places: dict[str, Sequence[str]]
    listed: set[str] = field(default_factory=set)

    def full_path(self, path: str) -> str:
        """Return a path relative to the root as one that the operating system takes."""
        return os.path.join(self.root, *path.split("/"))

    def iter_files(self, sort: str, suffixes: tuple[str, ...]) -> Iterator[str]:
        """Yield the files in the folders of a sort and those below, the root's before the
        squads'.
        """
        for folder in (*self.places.get(sort, ()), *OTHER_FOLDERS.get(sort, ())):
            yield from self._files_in(folder, suffixes)
            for name in self._names_in(folder):
                if "." not in name and not name.startswith(SKIPPED_PREFIXES):
                    yield from self._files_in(f"{folder}/{name}", suffixes)
        name = (*self.places.get(sort, ()), "")[0].rpartition("/")[2]
        for home in self.places.get("squads", ()):
            for squad in self._names_in(home):
                if not squad.startswith(SKIPPED_PREFIXES):
                    yield from self._files_in(f"{home}/{squad}/{name}", suffixes)

    def iter_handoffs(self) -> Iterator[str]:
        """Yield the files in which agents leave their work to others, beside workflow states."""
        for path in self.iter_files("states", YAML):
            folder, _, name = path.rpartition("/")
            if folder.rpartition("/")[2] == HANDOFF_FOLDER and name.startswith(HANDOFF_PREFIX):
                yield path

    def real_path(self, path: str) -> str:
        """Return the real path of a file; "" where it leaves the root or, in a squad, the squad's
        folder, or leads to what git keeps or holds secrets.
        """
        folders = [os.path.realpath(self.root)]
        for home in self.places.get("squads", ()):
            if path.startswith(f"{home}/"):
                squad = f"{home}/{path[len(home) + 1 :].partition('/')[0]}"
                base = os.path.realpath(self.full_path(squad))
                if not find_outside_link(self.root, squad, base):
                    folders.append(base)
        real = os.path.realpath(self.full_path(path))
        return real if any(is_readable(real, base) for base in folders) else ""

    def _files_in(self, folder: str, suffixes: tuple[str, ...]) -> Iterator[str]:
        for name in self._names_in(folder):
            if name.endswith(suffixes) and not name.startswith(SKIPPED_PREFIXES):
                yield f"{folder}/{name}"

    def _names_in(self, folder: str) -> list[str]:
        """Return what is in a folder, but for names that are no text; nothing where there is
        none.
        """
        self.listed.add(folder)
        return list_names(self.root, folder)
