"""What all formats report: trees that were checked, with places in lines and columns."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from synapse_ls.lint.diagnostic import Severity
from synapse_ls.text.lines import LineIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from synapse_ls.lint.diagnostic import Diagnostic, Fix
    from synapse_ls.text.span import Span

CHECKOUTS = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")
"""Variables in which GitHub Actions and GitLab CI tell where the repository is checked out."""

FAILING = (Severity.ERROR, Severity.WARNING)
"""What a check fails for."""

STYLES = {
    Severity.ERROR: "bad",
    Severity.WARNING: "warn",
    Severity.INFO: "name",
    Severity.HINT: "dim",
}
"""How the console shows the word of a severity."""


@dataclass
class Checked:
    """A tree that was checked.

    ``text_of`` gives the text that the findings in a file refer to, "" for what is no text.
    ``files``: how many were looked at. ``found``: what is to be shown. ``mended``: findings that
    were fixed. ``silenced``: comments that were put in.
    """

    root: str
    text_of: Callable[[str], str]
    files: int
    found: tuple[Diagnostic, ...]
    mended: int = 0
    silenced: int = 0
    _lines: dict[str, LineIndex] = field(default_factory=dict)

    def shown(self, path: str) -> str:
        """A path of the tree as people and editors can open it from the working directory."""
        full = os.path.join(self.root, path)  # noqa: PTH118 - "" and ".." have to stay as they are
        relative = os.path.relpath(full)
        return full if leads_out(relative) else relative.replace(os.sep, "/")

    def in_repository(self, path: str) -> str:
        """A path of the tree as a service looks for it: from the root of the checkout.

        Where no variable tells that, or the file is not in there, it is as people see it.
        """
        full = os.path.realpath(os.path.join(self.root, path))  # noqa: PTH118 - as in `shown`
        for name in CHECKOUTS:
            checkout = os.environ.get(name, "")
            if os.path.isabs(checkout):  # noqa: PTH117
                relative = _relative(full, os.path.realpath(checkout))
                if relative and not leads_out(relative):
                    return relative.replace(os.sep, "/")
        return self.shown(path)

    def lines(self, path: str) -> LineIndex:
        """The lines of a file."""
        found = self._lines.get(path)
        if found is None:
            found = self._lines[path] = LineIndex(self.text_of(path))
        return found

    def range(self, path: str, span: Span) -> dict[str, int]:
        """A span in lines and columns that count from 1; the end is the column behind the last."""
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
    """The trees of one call of ``command``."""

    trees: tuple[Checked, ...]
    command: str = "synapse check"

    def findings(self) -> Iterator[tuple[Checked, Diagnostic]]:
        """Every finding with its tree, in the order of the trees, paths and places."""
        for tree in self.trees:
            for found in tree.found:
                yield tree, found

    @property
    def files(self) -> int:
        """How many files were looked at."""
        return sum(tree.files for tree in self.trees)

    @property
    def fails(self) -> bool:
        """Whether there is an error or a warning."""
        return any(found.severity in FAILING for _, found in self.findings())

    def severities(self) -> Counter[Severity]:
        """How many findings there are of each severity."""
        return Counter(found.severity for _, found in self.findings())


def _relative(path: str, start: str) -> str:
    """The path from ``start``, "" where there is none: on another drive of Windows."""
    try:
        return os.path.relpath(path, start)
    except ValueError:
        return ""


def leads_out(relative: str) -> bool:
    """Whether a relative path leaves the folder that it is relative to."""
    return relative.replace(os.sep, "/").split("/", 1)[0] == os.pardir


def as_json(tree: Checked, found: Diagnostic) -> dict[str, Any]:
    """A finding as the formats ``json`` and ``json-lines`` have it."""
    return {
        "path": tree.shown(found.path),
        "code": found.code,
        "name": found.name,
        "severity": found.severity.value,
        "range": tree.range(found.path, found.span),
        "message": found.message,
        "remedy": found.remedy or None,
        "fix": _fix(tree, found.fix) if found.fix else None,
        "related": [
            {
                "path": tree.shown(related.path),
                "range": tree.range(related.path, related.span),
                "message": related.message,
            }
            for related in found.related
        ],
    }


def _fix(tree: Checked, fix: Fix) -> dict[str, Any]:
    return {
        "title": fix.title,
        "safe": fix.safe,
        "edits": [
            {
                "path": tree.shown(path),
                "range": tree.range(path, edit.span),
                "new_text": edit.new_text,
            }
            for path, edit in fix.edits
        ],
    }
