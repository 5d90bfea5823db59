"""Workflows by any of the names that they go by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.engine.aliases import WORKFLOWS
from synapse_ls.engine.plan import slug_of
from synapse_ls.formats.workflow import WorkflowDefinition
from synapse_ls.lint.lookup import once
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

_ALL = (FileKind.WORKFLOW, FileKind.PATTERNS)  # chains are of some workflows only
_DEFINING = (*_ALL, FileKind.CHAINS)


def any_known(tree: Tree) -> bool:
    """Whether workflows were found at all: only then can one be missing."""
    return any(tree.snapshot.paths(kind) for kind in _ALL)


def names_of(tree: Tree, workflow: str) -> frozenset[str]:
    """Every slug that a workflow goes by, with and without the table of aliases."""
    aliases = _aliases(tree)
    slug = slug_of(workflow)
    names = {slug, aliases.get(slug, slug)}
    return frozenset(names | {other for other, target in aliases.items() if target in names})


def is_defined(tree: Tree, workflow: str) -> bool:
    """Whether a definition, a pattern or a chain has one of the workflow's names as its id."""
    names = names_of(tree, workflow)
    return any(tree.snapshot.definers(key("workflow", name)) for name in names)


@once
def names_without_files(tree: Tree) -> tuple[str, ...]:
    """The slugs that a workflow may go by though no file defines it: those of the table of aliases."""
    aliases = _aliases(tree)
    return tuple(dict.fromkeys((*aliases, *aliases.values())))


@once
def known_names(tree: Tree) -> tuple[str, ...]:
    """The ids of definitions, patterns and chains, as the index spells them, and the aliases."""
    return (*dict.fromkeys(_defined(tree)), *_aliases(tree))


def definitions_of(tree: Tree, workflow: str) -> Iterator[tuple[str, WorkflowDefinition]]:
    """The files that define a workflow under one of its names, sorted by name and path."""
    for name in sorted(names_of(tree, workflow)):
        for path in tree.snapshot.definers(key("workflow", name)):
            facts = tree.snapshot.facts(path)
            if facts and isinstance(facts.document, WorkflowDefinition):
                yield path, facts.document


@once
def _aliases(tree: Tree) -> Mapping[str, str]:
    own = tree.snapshot.config.workflow_aliases
    return WORKFLOWS | {slug_of(other): slug_of(name) for other, name in own.items()}


def _defined(tree: Tree) -> Iterator[str]:
    for kind in _DEFINING:
        for path in tree.snapshot.paths(kind):
            facts = tree.snapshot.facts(path)
            if facts:
                yield from (d.key[1] for d in facts.definitions if d.key[0] == "workflow")
