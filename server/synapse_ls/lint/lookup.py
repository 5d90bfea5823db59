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
from synapse_ls.workspace.home import Home
from synapse_ls.workspace.naming import candidates, near_misses
from synapse_ls.workspace.tree import Tree

MOST_COMPARISONS = 250_000
"""Names that are compared with each other in search of a misspelt one; beyond it none is looked for."""

K = TypeVar("K")
T = TypeVar("T")


def once(function: Callable[[K], T]) -> Callable[[K], T]:
    """Keeps the answer for as long as the tree, or the home, that was asked about lives."""
    known: WeakKeyDictionary[K, T] = WeakKeyDictionary()

    @wraps(function)
    def answer(asked: K) -> T:
        if asked not in known:
            known[asked] = function(asked)
        return known[asked]

    return answer


def first_line(facts: FileFacts | None) -> Span:
    """The place of what concerns a whole file: its first line."""
    return Span(*next(iter_lines(facts.text))) if facts else Span(0, 0)


def folder_of(path: str) -> str:
    """The folder that a file is in."""
    return path.rpartition("/")[0]


def declared(tree: Tree, manifest: str) -> tuple[Domain, ...]:
    """The domains that a manifest declares, in its order."""
    return tuple(
        domain
        for domain in tree.home_of(manifest).domains
        if domain.declaration is not None and domain.manifest_path == manifest
    )


@once
def misnamed(home: Home) -> Mapping[str, str]:
    """Domain without a file -> the rule file without a domain that it means.

    A file is meant by one domain only: the first whose likeliest file it is.
    """
    files = {path.rpartition("/")[2]: path for path in home.orphans}
    homeless = [d for d in home.domains if d.declaration and d.active and d.file is None]
    found: dict[str, str] = {}
    if len(files) * len(homeless) > MOST_COMPARISONS:
        return found
    for domain in homeless:
        expected = candidates(domain.name, folder_of(domain.manifest_path))[0]
        meant = near_misses(expected, files)
        if meant:
            found[domain.name] = files.pop(meant[0])
    return found


@once
def meant_files(home: Home) -> frozenset[str]:
    """The rule files that a domain without a file means."""
    return frozenset(misnamed(home).values())
