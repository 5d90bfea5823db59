"""This module models a home: the root or one squad, the folder whose manifest and rule files
belong together.

What a home is made of lies in its own files, so a change elsewhere leaves it as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from synapse_ls.workspace.tree_domains import Domain
from synapse_ls.workspace.tree_squads import Squad


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
