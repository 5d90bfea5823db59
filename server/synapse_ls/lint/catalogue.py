"""The catalogue of rules as data: what a rule says about itself, for programs."""

from __future__ import annotations

from typing import Any

from synapse_ls.lint.docs import family_of, page_of
from synapse_ls.lint.page import Example, render
from synapse_ls.lint.rule import Rule
from synapse_ls.lint.run import check
from synapse_ls.text.decode import decode
from synapse_ls.workspace.facts import analyze
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.kinds import classify
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree import Tree

SAFE, UNSAFE = "safe", "unsafe"


def entry(rule: Rule) -> dict[str, Any]:
    """Everything about a rule as plain values, in the order of its page.

    ``fix`` is "safe", "unsafe" or None; ``examples`` has the files of the wrong and of the right
    way, path -> text; ``evidence`` is the public source that the rule rests on.
    """
    page = page_of(rule)
    return {
        "code": rule.code,
        "name": rule.name,
        "family": family_of(rule),
        "severity": rule.severity.value,
        "default": rule.default,
        "fix": fix_of(rule),
        "summary": page.summary,
        "evidence": page.sections["Evidence"],
        "examples": {"bad": dict(page.bad.files), "good": dict(page.good.files)},
        "sections": {title: render(text) for title, text in page.sections.items()},
    }


def fix_of(rule: Rule) -> str | None:
    """Whether the wrong example of a rule can be mended: "safe", "unsafe", or None if not at all."""
    page = page_of(rule)
    if "Fix" not in page.sections:
        return None
    found = check(_tree(page.bad), select=(rule.code,))
    fixes = [diagnostic.fix.safe for diagnostic in found if diagnostic.fix]
    return SAFE if all(fixes) else UNSAFE


def _tree(example: Example) -> Tree:
    """An example's files as a tree; its configuration, which says where the others are, first."""
    snapshot = Snapshot()
    for path in sorted(example.files, key=lambda path: path != CONFIG):
        kind = classify(path, snapshot.config.paths)
        if kind is not None:
            read = decode(example.content(path))
            facts = analyze(path, kind, read.text, problems=read.problems)
            snapshot = snapshot.with_facts(facts)[0]
    return Tree(snapshot)
