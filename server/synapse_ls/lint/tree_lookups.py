"""This module looks up facts of a tree or file that several lint rules need, and caches them for
each tree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import TypeVar
from weakref import WeakKeyDictionary

from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.name_suggestions import near_misses
from synapse_ls.workspace.naming_conventions import domain_file_names
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain
from synapse_ls.workspace.tree_home import Home

MAX_COMPARISONS = 250_000
"""Names that are compared with each other in search of a misspelt one; beyond it none is looked for."""

K = TypeVar("K")
T = TypeVar("T")


def weak_cache(function: Callable[[K], T]) -> Callable[[K], T]:
    """Caches the answer of a function for as long as its argument (a tree, a home, a file) lives."""
    known: WeakKeyDictionary[K, T] = WeakKeyDictionary()

    @wraps(function)
    def answer(asked: K) -> T:
        if asked not in known:
            known[asked] = function(asked)
        return known[asked]

    return answer


def first_line_span(facts: FileFacts | None) -> Span:
    """Returns the span of the first line, where findings about a whole file are placed."""
    return Span(*next(iter_lines(facts.text))) if facts else Span(0, 0)


def parent_folder(path: str) -> str:
    """Returns the folder that a file is in."""
    return path.rpartition("/")[0]


def declared_domains(tree: Tree, manifest: str) -> tuple[Domain, ...]:
    """Returns the domains that a manifest declares, in its order."""
    return tuple(
        domain
        for domain in tree.home_of(manifest).domains
        if domain.declaration is not None and domain.manifest_path == manifest
    )


@weak_cache
def misnamed_rule_files(home: Home) -> Mapping[str, str]:
    """Returns domain without a file -> the rule file without a domain that was probably meant for
    it.

    A file is meant by one domain only: the first whose likeliest file it is.
    """
    files = {path.rpartition("/")[2]: path for path in home.orphan_files}
    homeless = [d for d in home.domains if d.declaration and d.is_active and d.file is None]
    found: dict[str, str] = {}
    if len(files) * len(homeless) > MAX_COMPARISONS:
        return found
    for domain in homeless:
        expected = domain_file_names(domain.name, parent_folder(domain.manifest_path))[0]
        meant = near_misses(expected, files)
        if meant:
            found[domain.name] = files.pop(meant[0])
    return found


@weak_cache
def meant_rule_files(home: Home) -> frozenset[str]:
    """Returns the rule files that are probably meant for a domain without a file."""
    return frozenset(misnamed_rule_files(home).values())
