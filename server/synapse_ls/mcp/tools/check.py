"""``check``: what is malformed or dead in the tree."""

from __future__ import annotations

import os
from collections import Counter

from synapse_ls.lint.diagnostic import Diagnostic, Severity
from synapse_ls.lint.run import check
from synapse_ls.mcp.fields import INTEGER, LIST, Field
from synapse_ls.mcp.said import Said, paragraphs, rest
from synapse_ls.mcp.tools.tool import Given, Tool
from synapse_ls.service.errors import ServiceError
from synapse_ls.text.counted import counted
from synapse_ls.text.lines import LineIndex
from synapse_ls.workspace.loader import Scope, load
from synapse_ls.workspace.tree import Tree

_MOST = 200  # findings
_SEVERITIES = tuple(severity.value for severity in Severity)


def _run(root: str, given: Given) -> Said:
    within = tuple(_relative(root, path) for path in given["paths"])
    mildest = Severity(given["severity"] or Severity.INFO.value)
    loaded = load(root, Scope.ALL)
    tree = Tree(loaded.index.snapshot())
    found = [
        diagnostic
        for diagnostic in check(tree, notes=loaded.notes, asked=within)
        if diagnostic.severity.rank <= mildest.rank and _lies_in(diagnostic.path, within)
    ]
    shown = found[: _MOST if given["limit"] is None else max(given["limit"], 0)]
    findings = _Findings(tree)
    counts = Counter(diagnostic.severity.value for diagnostic in found)
    sums = ", ".join(counted(counts[name], name) for name in _SEVERITIES if counts[name])
    text = paragraphs(
        map(findings.line, shown),
        rest(len(shown), len(found), "finding", "name paths, or give a larger limit"),
        [f"{sums}." if sums else "Nothing to report."],
    )
    data = {"findings": [findings.report(diagnostic) for diagnostic in shown], "total": len(found)}
    return Said(text, data)


class _Findings:
    """Findings in lines and columns, which count from 1."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._lines: dict[str, LineIndex] = {}

    def line(self, found: Diagnostic) -> str:
        line, column = self._place(found)
        remedy = f" [{found.remedy}]" if found.remedy else ""
        what = f"{found.severity.value} {found.code} {found.name}: {found.message}{remedy}"
        return f"{found.path}:{line}:{column}: {what}"

    def report(self, found: Diagnostic) -> dict[str, object]:
        line, column = self._place(found)
        return {
            "path": found.path,
            "line": line,
            "column": column,
            "severity": found.severity.value,
            "code": found.code,
            "name": found.name,
            "message": found.message,
            "remedy": found.remedy or None,
        }

    def _place(self, found: Diagnostic) -> tuple[int, int]:
        if found.path not in self._lines:
            facts = self._tree.snapshot.facts(found.path)
            self._lines[found.path] = LineIndex(facts.text if facts else "")
        line, column = self._lines[found.path].position(found.span.start)
        return line + 1, column + 1


def _relative(root: str, path: str) -> str:
    """A path as the tree has it; ServiceError for one that lies outside, or is not there."""
    full = os.path.normpath(os.path.join(root, path))
    relative = os.path.relpath(full, root).replace(os.sep, "/")
    if relative.split("/", 1)[0] == os.pardir or "\0" in path:
        raise ServiceError(f"{path} is not in the tree of {root}.", "Name a path in it.")
    if not os.path.lexists(full):
        raise ServiceError(f"There is no file or folder {path}.", "Name one that there is.")
    return "" if relative == os.curdir else relative


def _lies_in(path: str, within: tuple[str, ...]) -> bool:
    inside = (not place or path == place or path.startswith(f"{place}/") for place in within)
    return not within or any(inside)


TOOL = Tool(
    name="check",
    title="Check the tree",
    about="What is malformed or without effect in the rule files, with place, effect and remedy: "
    "path:line:column: severity code name: message [remedy]. Call it after changing such a file.",
    fields=(
        Field("paths", "only in these files and folders, relative to the project", LIST),
        Field("severity", "the mildest that is told (default: info)", choices=_SEVERITIES),
        Field("limit", f"so many findings at most (default: {_MOST})", INTEGER),
    ),
    run=_run,
)
