"""This module looks up facts of a tree or file that several lint rules need, and caches them for
each tree.
"""

from __future__ import annotations

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
