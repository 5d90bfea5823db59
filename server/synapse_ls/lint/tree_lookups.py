"""This module looks up what several lint rules need of a tree or a file: its first line, its
folder, declared domains, the profile.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary

from synapse_ls.engine.custom_profiles import profile_table_of
from synapse_ls.engine.profile_model import Profile
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain


def first_line_span(facts: FileFacts | None) -> Span:
    """Looks up the span of the first line, where findings about a whole file are placed."""
    return Span(*next(iter_lines(facts.text))) if facts else Span(0, 0)


def parent_folder(path: str) -> str:
    """Looks up the folder that a file is in."""
    return path.rpartition("/")[0]


def declared_domains(tree: Tree, manifest: str) -> tuple[Domain, ...]:
    """Looks up the domains that a manifest declares, in its order."""
    return tuple(
        domain
        for domain in tree.home_of(manifest).domains
        if domain.declaration is not None and domain.manifest_path == manifest
    )


_PROFILE_CACHE: WeakKeyDictionary[Tree, Profile] = WeakKeyDictionary()


def tree_profile(tree: Tree) -> Profile:
    """Looks up the profile that a tree is served with; it is built once for each tree."""
    found = _PROFILE_CACHE.get(tree)
    if found is None:
        found = _PROFILE_CACHE[tree] = Profile(profile_table_of(tree))
    return found
