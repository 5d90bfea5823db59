"""This module writes ``--format full``: each finding with an excerpt of its source, related places,
and the remedy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.cli.console import Styled, escape_controls
from synapse_ls.cli.formats.check_report import STYLES, summary_line
from synapse_ls.cli.formats.concise import finding_line
from synapse_ls.cli.table import cell_width
from synapse_ls.text.secret_tokens import mask_secrets

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.check_report import CheckedTree, Report
    from synapse_ls.lint.diagnostic import Diagnostic
    from synapse_ls.text.line_index import LineIndex
    from synapse_ls.text.span import Span


EXCERPT_WIDTH = 96
"""Columns of source that are shown of a line."""

_CONTEXT_LENGTH = 24  # characters of a long line that stay before the mark
_MAX_LINES = 3  # of a mark that is longer, the first and the last line are shown
_TAB_WIDTH = 4
_ELLIPSIS = "…"


class ExcerptRow(NamedTuple):
    """An ExcerptRow is a line of the source that the format ``full`` shows. ``margin``: its number,
    or a gap. ``carets``: what stands below it, "" for nothing.
    """

    margin: str
    source: str
    carets: str = ""


def source_excerpt(lines: LineIndex, text: str, span: Span) -> Iterator[ExcerptRow]:
    """Yields the excerpt of a source that the format ``full`` shows, the lines of ``span`` with a
    mark below; none where there is nothing to be seen of it.
    """
    first, last = lines.line_of(span.start), lines.line_of(max(span.start, span.end - 1))
    if not text or not (lines.line_span(last).end > lines.line_span(first).start):
        return
    margin = len(str(last + 1))
    numbers = range(first, last + 1)
    for number in numbers if len(numbers) <= _MAX_LINES else (first, last):
        line = lines.line_span(number)
        start = max(span.start, line.start) - line.start
        end = max(start, min(span.end, line.end) - line.start)
        yield ExcerptRow(f"{number + 1:>{margin}}", *_mark_line(line.cut(text), start, end))
        if number == first and len(numbers) > _MAX_LINES:
            yield ExcerptRow(f"{_ELLIPSIS:>{margin}}", "")


def _mark_line(line: str, start: int, end: int) -> tuple[str, str]:
    """Returns a line as a terminal shows it, and the carets below the characters from start to end."""
    cut = 0
    if len(line) > EXCERPT_WIDTH:
        cut = max(0, min(start - _CONTEXT_LENGTH, len(line) - EXCERPT_WIDTH))
    window = line[cut : cut + EXCERPT_WIDTH]
    before, marked = window[: start - cut], window[start - cut : end - cut]
    behind = window[len(before) + len(marked) :]
    lead = _ELLIPSIS if cut else ""
    tail = _ELLIPSIS if cut + EXCERPT_WIDTH < len(line) else ""
    shown = [_expand_tabs(part) for part in (before, marked, behind)]
    source = f"{lead}{''.join(shown)}{tail}"
    carets = " " * (len(lead) + cell_width(shown[0])) + "^" * max(1, cell_width(shown[1]))
    return source, carets


def _expand_tabs(text: str) -> str:
    """Returns a text in which every character has the width that is counted with."""
    return escape_controls(text.replace("\t", " " * _TAB_WIDTH))


def write(report: Report, console: Console) -> None:
    """Writes the report of `synapse check` in the format ``full``."""
    for tree, found in report.findings():
        console.line(*finding_line(tree, found))
        _write_details(tree, found, console)
    if not console.quiet:
        console.line(*summary_line(report))


def _write_details(tree: CheckedTree, finding: Diagnostic, console: Console) -> None:
    marked = source_excerpt(
        tree.lines(finding.path), mask_secrets(tree.text_of(finding.path)), finding.span
    )
    for margin, source, carets in marked:
        console.line("  ", Styled(f"{margin} │ ", "dim"), source)
        if carets:
            blank = " " * len(margin)
            console.line(
                "  ", Styled(f"{blank} │ ", "dim"), Styled(carets, STYLES[finding.severity])
            )
    for related in finding.related:
        line = tree.range(related.path, related.span)["line"]
        console.line(
            "  ", Styled(f"{tree.display_path(related.path)}:{line}: {related.message}", "dim")
        )
    if finding.remedy:
        console.line("  ", Styled("remedy:", "good"), f" {finding.remedy}")
