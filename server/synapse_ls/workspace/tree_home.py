"""This module models a home: the root or one squad, the folder whose manifest and rule files
belong together; and the homes of all squads.

What a home is made of lies in its own files, so a change elsewhere leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS
from synapse_ls.workspace.tree_domains import Domain
from synapse_ls.workspace.tree_squads import Squad, assemble_squad


@dataclass(frozen=True, eq=False)
class Home:
    """A Home has the domains of the root or a squad, in the order of its manifest, and its rule
    files, sorted.

    ``squad`` is None for the root, and for a folder among the squads that is none.
    """

    squad: Squad | None
    domains: tuple[Domain, ...]
    rule_files: tuple[str, ...]

    @cached_property
    def domains_by_file(self) -> Mapping[str, tuple[Domain, ...]]:
        """Returns the domains that each rule file serves, by path; files without a domain are not
        in it.
        """
        found: dict[str, tuple[Domain, ...]] = {}
        for domain in self.domains:
            if domain.file:
                found[domain.file] = (*found.get(domain.file, ()), domain)
        return found

    @cached_property
    def orphan_files(self) -> tuple[str, ...]:
        """Returns the rule files that no domain claims, so that no prompt can ever bring them in."""
        return tuple(path for path in self.rule_files if path not in self.domains_by_file)


_SquadPart = tuple[tuple[FileFacts, ...], Home]


class SquadHomes:
    """SquadHomes are the homes of the folders among the squads of a tree, in the order of the folders'
    names. They never change: `with_facts` returns others, which share what stayed.
    """

    def __init__(self, parts: Mapping[str, _SquadPart]) -> None:
        self._parts = parts

    @classmethod
    def of_homes(cls, homes: Mapping[str, Home]) -> SquadHomes:
        """Returns homes that somebody knows, by folder, in their order."""
        return cls({folder: ((), home) for folder, home in homes.items()})

    def find(self, folder: str) -> Home | None:
        """Returns the home of a folder, None where it holds no file of a squad."""
        part = self._parts.get(folder)
        return part[1] if part else None

    def items(self) -> Iterable[tuple[str, Home]]:
        """Returns the folders with their homes."""
        return [(folder, home) for folder, (_, home) in self._parts.items()]

    def homes(self) -> list[Home]:
        """Returns the homes."""
        return [home for _, home in self._parts.values()]

    @cached_property
    def first_folders(self) -> Mapping[str, str]:
        """Returns namespace -> the folder of the squad that it means: the first by folder name."""
        found: dict[str, str] = {}
        for folder, (_, home) in self._parts.items():
            if home.squad:
                found.setdefault(home.squad.namespace, folder)
        return found

    def with_all_facts(self, groups: Mapping[str, Iterable[FileFacts]]) -> SquadHomes:
        """Returns the homes of exactly these folders, each made from the facts of its files."""
        return self.with_facts({**dict.fromkeys(self._parts, ()), **groups})

    def with_facts(self, groups: Mapping[str, Iterable[FileFacts]]) -> SquadHomes:
        """Returns the homes with other facts of the files of some folders; a folder without files is
        gone.
        """
        parts = dict(self._parts)
        same_folders = same_squads = True
        for folder, found in groups.items():
            files = sort_facts(found)
            former = self._parts.get(folder)
            if files and former and former[0] == files:
                continue
            if files:
                parts[folder] = files, _squad_home(folder, files)
            elif former:
                del parts[folder]
            same_folders = same_folders and bool(former) == bool(files)
            same_squads = same_squads and _is_squad(former) == _is_squad(parts.get(folder))
        if not same_folders:
            parts = {folder: parts[folder] for folder in sorted(parts, key=_folder_sort_key)}
        changed = SquadHomes(parts)
        known = vars(self).get("first_folders")
        if known is not None and same_squads:  # a namespace is made of the folder's name alone
            vars(changed)["first_folders"] = known
        return changed


def _is_squad(part: _SquadPart | None) -> bool:
    return part is not None and part[1].squad is not None


def sort_facts(found: Iterable[FileFacts]) -> tuple[FileFacts, ...]:
    """Sorts facts by the paths of their files."""
    return tuple(sorted(found, key=lambda facts: facts.path))


def _squad_home(folder: str, files: tuple[FileFacts, ...]) -> Home:
    """What the files of one folder among the squads make."""
    squad, domains = assemble_squad(folder, files) or (None, ())
    return Home(squad, domains, tuple(facts.path for facts in files if facts.kind in RULE_KINDS))


def _folder_sort_key(squad: str) -> tuple[str, str]:
    """Squads are in the order of their folders' names, wherever these are."""
    return squad.rpartition("/")[2], squad
