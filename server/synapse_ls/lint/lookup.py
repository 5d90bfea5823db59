"""What several rules ask of a tree, worked out once for each tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.naming import file_candidates, near_misses
from synapse_ls.workspace.squads import Squad
from synapse_ls.workspace.tree import Tree

MOST_COMPARISONS = 250_000
"""Names that are compared with each other in search of a misspelt one; beyond it none is looked for."""

T = TypeVar("T")


def once(function: Callable[[Tree], T]) -> Callable[[Tree], T]:
    """Keeps the answer for as long as the tree lives."""
    known: WeakKeyDictionary[Tree, T] = WeakKeyDictionary()

    @wraps(function)
    def answer(tree: Tree) -> T:
        if tree not in known:
            known[tree] = function(tree)
        return known[tree]

    return answer


def first_line(facts: FileFacts | None) -> Span:
    """The place of what concerns a whole file: its first line."""
    return Span(*next(iter_lines(facts.text))) if facts else Span(0, 0)


def folder_of(path: str) -> str:
    """The folder that a file is in."""
    return path.rpartition("/")[0]


@once
def declared(tree: Tree) -> Mapping[str, tuple[Domain, ...]]:
    """Path of a manifest -> the domains that it declares, in its order."""
    found: dict[str, list[Domain]] = {}
    for domain in tree.domains:
        if domain.declaration is not None:
            found.setdefault(domain.manifest_path, []).append(domain)
    return {path: tuple(domains) for path, domains in found.items()}


@once
def squads(tree: Tree) -> Mapping[str, Squad]:
    """Path of a squad's manifest or ``squad.yaml`` -> the squad."""
    return {
        path: squad
        for squad in tree.squads
        for path in (squad.manifest_path, squad.yaml_path)
        if path
    }


@once
def misnamed(tree: Tree) -> Mapping[tuple[str, str], str]:
    """(path of a manifest, domain without a file) -> the rule file without a domain that it means.

    A file is meant by one domain only: the first whose likeliest file it is.
    """
    strays: dict[str, dict[str, str]] = {}
    for path in tree.orphans:
        strays.setdefault(folder_of(path), {})[path.rpartition("/")[2]] = path
    found: dict[tuple[str, str], str] = {}
    for manifest, domains in declared(tree).items():
        files = dict(strays.get(folder_of(manifest), {}))
        homeless = [domain for domain in domains if domain.active and domain.file is None]
        if len(files) * len(homeless) > MOST_COMPARISONS:
            continue
        for domain in homeless:
            meant = near_misses(file_candidates(domain.name)[0], files)
            if meant:
                found[manifest, domain.name] = files.pop(meant[0])
    return found


@once
def meant_files(tree: Tree) -> frozenset[str]:
    """The rule files that a domain without a file means."""
    return frozenset(misnamed(tree).values())
