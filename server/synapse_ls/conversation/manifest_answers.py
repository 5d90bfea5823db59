"""This module answers ``*synapse manifest`` and ``reload``: the files of the tree, read anew."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from synapse_ls.conversation.status_answers import note_lines
from synapse_ls.lint.lint_runner import lint_file
from synapse_ls.lint.rule_selection import Policy
from synapse_ls.storage.installed_libraries import enable_site_packages
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.plural_counts import format_count
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.load_scope import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_loader import load_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from synapse_ls.conversation.synapse_commands import CommandRequest

MAX_SECONDS = 3.0  # seconds that a prompt may wait for every file of the tree


def answer_manifest(request: CommandRequest) -> list[str]:
    """Answers ``*synapse manifest``: returns what `synapse check` says of the manifests, the root's
    own first.
    """
    enable_site_packages()
    loaded = load_tree(request.composed.plan.root, LoadScope.ALL, deadline=MAX_SECONDS)
    if any(note.kind == "late" for note in loaded.notes):
        return ["The tree is too large to be checked while a prompt waits: run `synapse check`."]
    tree = Tree(loaded.index.snapshot())
    paths = sorted(_manifest_paths(tree), key=lambda path: (path != tree.manifest_path, path))
    lines = [line for path in paths for line in _problem_lines(tree, path)]
    if not paths:
        return [f"There is no {tree.manifest_path}: every domain needs one to be declared in."]
    return lines or [f"No problems in {', '.join(paths)}."]


def answer_reload(request: CommandRequest) -> list[str]:
    """Answers ``*synapse reload``: returns what was found in the tree, which has been read anew by
    now.
    """
    plan = request.composed.plan
    domains = plan.domains()
    figures = (
        format_count(len(domains), "domain"),
        format_count(sum(len(domain.rows) for domain in domains), "rule"),
        format_count(sum(len(domain.recall) for domain in domains), "keyword"),
        format_count(len(plan.commands), "star-command"),
        format_count(len(set(plan.agents.values())), "agent"),
        format_count(len(plan.squads), "squad"),
        f"{format_count(len(plan.states), 'workflow')} in progress",
    )
    return ["The tree was read anew.", ", ".join(figures), *note_lines(request.composed)]


def _manifest_paths(tree: Tree) -> Iterator[str]:
    for path in tree.snapshot.paths():
        facts = tree.snapshot.facts(path)
        if facts is not None and facts.kind in (FileKind.MANIFEST, FileKind.CARL):
            yield path


def _problem_lines(tree: Tree, path: str) -> Iterator[str]:
    """Yields the findings in a manifest: how many of which severity, then a line for each."""
    facts = tree.snapshot.facts(path)
    found = lint_file(tree, path, Policy(tree.snapshot.config.lint))
    if not found or facts is None:
        return
    worst_first = sorted(found, key=lambda diagnostic: diagnostic.severity.rank)
    counts = Counter(diagnostic.severity.value for diagnostic in worst_first)
    yield f"{path}: {', '.join(format_count(n, severity) for severity, n in counts.items())}"
    lines = LineIndex(facts.text)
    for diagnostic in found:
        line = lines.line_of(diagnostic.span.start) + 1
        yield f"line {line}, {diagnostic.code} {diagnostic.name}: {diagnostic.message}"
