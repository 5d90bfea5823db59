"""The report of ``synapse check``: trees, findings with places, summary."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from synapse_ls.cli.console import Part, Styled
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.phrases import format_count
from synapse_ls.text.span import Span

if TYPE_CHECKING:
    from synapse_ls.cli.check_baseline import KnownFinding


# Variables in which GitHub Actions and GitLab CI tell where the repository is checked out.
CHECKOUTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")

# What a check fails for.
FAILING = (Severity.ERROR, Severity.WARNING)

# How the console shows the word of a severity.
STYLES = {
    Severity.ERROR: "bad",
    Severity.WARNING: "warn",
    Severity.INFO: "name",
    Severity.HINT: "dim",
}


@dataclass
class CheckedTree:
    """A tree in the report of a check.

    ``text_of`` gives the text that the findings in a file refer to, "" for what is no text.
    ``files``: how many were looked at. ``findings``: what is to be shown. ``fix_count``: how
    many were fixed. ``suppression_count``: how many suppression comments were put in.
    ``foreign_paths``: files of instructions among them that are no part of the tree.
    ``hidden_count``: how many findings are not shown because a baseline lists them. ``stale``:
    what it lists and was not found, and how often. ``change``: how many files changed
    since a revision, and how many others were looked at for that; None where none was named.
    """

    root: str
    text_of: Callable[[str], str]
    files: int
    findings: tuple[Finding, ...]
    fix_count: int = 0
    suppression_count: int = 0
    foreign_paths: tuple[str, ...] = ()
    hidden_count: int = 0
    stale: dict[KnownFinding, int] = field(default_factory=dict)
    change: tuple[int, int] | None = None
    _lines: dict[str, LineIndex] = field(default_factory=dict)

    def display_path(self, path: str) -> str:
        """Return a path of the tree as people and editors can open it from the working
        directory. It never begins as a command to GitHub Actions does.
        """
        full = os.path.join(self.root, path)  # noqa: PTH118 - "" and ".." have to stay as they are
        relative = os.path.relpath(full)
        shown = full if is_outside(relative) else relative.replace(os.sep, "/")
        return f"./{shown}" if shown.startswith("::") else shown

    def repository_path(self, path: str) -> str:
        """Return a path of the tree as a service looks for it: from the root of the checkout.

        Where no variable tells that, or the file is not in there, it is as people see it.
        """
        full = os.path.realpath(os.path.join(self.root, path))  # noqa: PTH118 - as above
        for name in CHECKOUTS:
            if os.path.isabs(checkout := os.environ.get(name, "")):  # noqa: PTH117
                relative = _relative_path(full, os.path.realpath(checkout))
                if relative and not is_outside(relative):
                    return relative.replace(os.sep, "/")
        return self.display_path(path)

    def lines(self, path: str) -> LineIndex:
        """Return the line index of a file."""
        if (index := self._lines.get(path)) is None:
            index = self._lines[path] = LineIndex(self.text_of(path))
        return index

    def range(self, path: str, span: Span) -> dict[str, int]:
        """Return a span in lines and columns that count from 1; the end is the column behind the
        last.
        """
        lines = self.lines(path)
        first, last = lines.position(span.start), lines.position(span.end)
        return {
            "line": first[0] + 1,
            "column": first[1] + 1,
            "end_line": last[0] + 1,
            "end_column": last[1] + 1,
        }


@dataclass(frozen=True)
class Report:
    """The checked trees of one call of ``command``."""

    trees: tuple[CheckedTree, ...]
    command: str = "synapse check"

    def findings(self) -> Iterator[tuple[CheckedTree, Finding]]:
        """Yield every finding with its tree, in the order of the trees, paths and places."""
        return ((tree, finding) for tree in self.trees for finding in tree.findings)

    @property
    def files(self) -> int:
        """How many files were looked at."""
        return sum(tree.files for tree in self.trees)

    @property
    def hidden_count(self) -> int:
        """How many findings are not shown because a baseline lists them."""
        return sum(tree.hidden_count for tree in self.trees)

    @property
    def fails(self) -> bool:
        """Whether there is an error or a warning."""
        return any(finding.severity in FAILING for _, finding in self.findings())


def _relative_path(path: str, start: str) -> str:
    """Return the path from ``start``, "" where there is none: on another drive of Windows."""
    try:
        return os.path.relpath(path, start)
    except ValueError:
        return ""


def is_outside(relative: str) -> bool:
    """Return whether a path in the report of a check leaves the folder that it is relative to."""
    return relative.replace(os.sep, "/").split("/", 1)[0] == os.pardir


def finding_json(tree: CheckedTree, finding: Finding) -> dict[str, Any]:
    """Return a finding as the formats ``json`` and ``json-lines`` have it."""
    return {
        "path": tree.display_path(finding.path),
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity.value,
        "range": tree.range(finding.path, finding.span),
        "message": finding.message,
        "remedy": finding.remedy or None,
        "fix": {
            "title": finding.fix.title,
            "safe": finding.fix.safe,
            "edits": [
                {
                    "path": tree.display_path(path),
                    "range": tree.range(path, edit.span),
                    "new_text": edit.new_text,
                }
                for path, edit in finding.fix.edits
            ],
        }
        if finding.fix
        else None,
        "related": [
            {
                "path": tree.display_path(related.path),
                "range": tree.range(related.path, related.span),
                "message": related.message,
            }
            for related in finding.related
        ],
    }


def summary_line(report: Report) -> list[Part]:
    """Return the last line of a check's report for people: how much was found, looked at and fixed,
    and what could be fixed.
    """
    hidden = report.hidden_count
    nothing = Styled("No new findings" if hidden else "No findings", "good")
    counts = Counter(finding.severity for _, finding in report.findings())
    parts: list[Part] = []
    for severity in (severity for severity in Severity if counts[severity]):
        count = Styled(format_count(counts[severity], severity.value), STYLES[severity])
        parts += [", ", count] if parts else [count]
    parts = parts or [nothing]
    parts.append(f" · {format_count(report.files, 'file')} checked")
    if mended := sum(tree.fix_count for tree in report.trees):
        parts.append(f" · {mended} fixed")
    if silenced := sum(tree.suppression_count for tree in report.trees):
        parts.append(f" · {format_count(silenced, 'comment')} added")
    if hidden:
        parts.append(f" · {hidden} hidden by the baseline")
    fixes = [finding.fix for _, finding in report.findings() if finding.fix]
    if safe := sum(fix.safe for fix in fixes):
        parts.append(f" · {safe} fixable with --fix")
    if len(fixes) > safe:
        more = "more " if safe else "fixable "
        parts.append(f" · {len(fixes) - safe} {more}with --unsafe-fixes")
    return parts
