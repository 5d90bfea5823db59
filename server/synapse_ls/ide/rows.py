"""Which row of the plan a place in a file of Chati.dev is about."""

from __future__ import annotations

from synapse_ls.engine.plan import Domain, Row
from synapse_ls.ide.languages import MARKDOWN
from synapse_ls.ide.view import View
from synapse_ls.workspace.facts import FileFacts

_LISTED = ("rule", "item", "handoff", "summary", "article")
"""Groups of rows of which each item of a list is one; those of the others take in the whole list."""


def domains_of(view: View, facts: FileFacts) -> list[Domain]:
    """The domains that a file is the source of."""
    return [domain for domain in view.plan.domains() if domain.file == facts.path]


def row_at(view: View, facts: FileFacts, offset: int) -> tuple[Domain, Row] | None:
    """The row that the line of ``offset`` belongs to, with its domain."""
    line = facts.lines.line_of(offset)
    for domain in domains_of(view, facts):
        row = _row_at(facts, domain, line)
        if row is not None:
            return domain, row
    return None


def _row_at(facts: FileFacts, domain: Domain, line: int) -> Row | None:
    """The row whose place in the file takes in a line."""
    rows = sorted(domain.rows, key=lambda row: row.line)
    above = [row for row in rows if row.line <= line]
    if facts.kind in MARKDOWN:
        return _under_heading(facts, rows, above, line)
    if not above:
        return None
    row = above[-1]
    return row if _is_below(facts, row, line) else None


def _under_heading(facts: FileFacts, rows: list[Row], above: list[Row], line: int) -> Row | None:
    """In Markdown a row reaches from the heading above it to the next one."""
    if _text(facts, line).startswith("#"):
        below = next((row for row in rows if row.line >= line), None)
        reached = below is not None and not any(
            _text(facts, number).startswith("#") for number in range(line + 1, below.line)
        )
        return below if reached else None
    if not above or any(
        _text(facts, number).startswith("#") for number in range(above[-1].line + 1, line + 1)
    ):
        return None
    return above[-1]


def _is_below(facts: FileFacts, row: Row, line: int) -> bool:
    """Whether a line of YAML belongs to what begins with a row's first line."""
    first = _text(facts, row.line)
    depth = _indent(first)
    for number in range(row.line + 1, line + 1):
        text = _text(facts, number)
        if not text.strip():
            continue
        continues = row.group not in _LISTED and first.lstrip().startswith("- ")
        continues = continues and text.lstrip().startswith("- ")
        if _indent(text) < depth or (_indent(text) == depth and not continues):
            return False
    return True


def _text(facts: FileFacts, line: int) -> str:
    return facts.lines.line_span(line).cut(facts.text)


def _indent(text: str) -> int:
    return len(text) - len(text.lstrip(" "))
