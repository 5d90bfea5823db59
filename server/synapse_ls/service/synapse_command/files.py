"""``*synapse manifest`` and ``reload``: the files of the tree, read anew."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from synapse_ls.lint.policy import Policy
from synapse_ls.lint.run import check_file
from synapse_ls.service.building import find_libraries
from synapse_ls.service.synapse_command.state import notes
from synapse_ls.text.counted import counted
from synapse_ls.text.lines import LineIndex
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from synapse_ls.service.synapse_command.run import Asked

PATIENCE = 3.0  # seconds that a prompt may wait for every file of the tree


def manifest(asked: Asked) -> list[str]:
    """What `synapse check` says of the manifests, the root's own first."""
    find_libraries()
    loaded = load(asked.found.plan.root, Scope.ALL, deadline=PATIENCE)
    if any(note.kind == "late" for note in loaded.notes):
        return ["The tree is too large to be checked while a prompt waits: run `synapse check`."]
    tree = Tree(loaded.index.snapshot())
    paths = sorted(_manifests(tree), key=lambda path: (path != tree.manifest_path, path))
    lines = [line for path in paths for line in _problems(tree, path)]
    if not paths:
        return [f"There is no {tree.manifest_path}: every domain needs one to be declared in."]
    return lines or [f"No problems in {', '.join(paths)}."]


def reload(asked: Asked) -> list[str]:
    """What was found in the tree, which has been read anew by now."""
    plan = asked.found.plan
    domains = plan.domains()
    figures = (
        counted(len(domains), "domain"),
        counted(sum(len(domain.rows) for domain in domains), "rule"),
        counted(sum(len(domain.recall) for domain in domains), "keyword"),
        counted(len(plan.commands), "star-command"),
        counted(len(set(plan.agents.values())), "agent"),
        counted(len(plan.squads), "squad"),
        f"{counted(len(plan.states), 'workflow')} in progress",
    )
    return ["The tree was read anew.", ", ".join(figures), *notes(asked.found)]


def _manifests(tree: Tree) -> Iterator[str]:
    for path in tree.snapshot.paths():
        facts = tree.snapshot.facts(path)
        if facts is not None and facts.kind in (FileKind.MANIFEST, FileKind.CARL):
            yield path


def _problems(tree: Tree, path: str) -> Iterator[str]:
    """The findings in a manifest: how many of which severity, then a line for each."""
    facts = tree.snapshot.facts(path)
    found = check_file(tree, path, Policy(tree.snapshot.config.lint))
    if not found or facts is None:
        return
    worst_first = sorted(found, key=lambda diagnostic: diagnostic.severity.rank)
    counts = Counter(diagnostic.severity.value for diagnostic in worst_first)
    yield f"{path}: {', '.join(counted(n, severity) for severity, n in counts.items())}"
    lines = LineIndex(facts.text)
    for diagnostic in found:
        line = lines.line_of(diagnostic.span.start) + 1
        yield f"line {line}, {diagnostic.code} {diagnostic.name}: {diagnostic.message}"
