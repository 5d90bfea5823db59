"""The output formats of ``synapse check``: for people, for programs and for services.

The grammar of ``github`` is that of "Workflow commands for GitHub Actions"; ``gitlab`` is the
report of GitLab's Code Quality, a subset of Code Climate's.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from synapse_ls.cli.check_report import (
    STYLES,
    CheckedTree,
    Report,
    finding_json,
    fingerprint_findings,
    summary_line,
)
from synapse_ls.cli.console import Console, Part, Styled, cell_width, escape_controls
from synapse_ls.cli.junit_report import write_junit
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.secret_tokens import mask_secrets
from synapse_ls.text.span import Span


def write_concise(report: Report, console: Console) -> None:
    """Write the report of `synapse check` in the format ``concise``."""
    for tree, finding in report.findings():
        console.line(*finding_line(tree, finding))
    if not console.quiet:
        console.line(*summary_line(report))


def finding_line(tree: CheckedTree, finding: Finding) -> tuple[Part, ...]:
    """Return the concise line of a finding: where, how bad, which rule and what."""
    place = tree.range(finding.path, finding.span)
    return (
        Styled(tree.display_path(finding.path), "title"),
        f":{place['line']}:{place['column']}: ",
        Styled(finding.severity.value, STYLES[finding.severity]),
        f" {finding.code} {finding.name}: {finding.message}",
    )


EXCERPT_WIDTH = 96
"""Columns of source that are shown of a line."""

_CONTEXT_LENGTH = 24  # characters of a long line that stay before the mark
_MAX_LINES = 3  # of a mark that is longer, the first and the last line are shown
_TAB_WIDTH = 4
_ELLIPSIS = "…"


class ExcerptRow(NamedTuple):
    """A line of the source that the format ``full`` shows. ``margin``: its number, or a gap.
    ``carets``: what stands below it, "" for nothing.
    """

    margin: str
    source: str
    carets: str = ""


def source_excerpt(lines: LineIndex, text: str, span: Span) -> Iterator[ExcerptRow]:
    """Yield the excerpt of a source that the format ``full`` shows, the lines of ``span`` with a
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
    """Return a line as a terminal shows it, and the carets below the characters from start to
    end.
    """
    cut = 0
    if len(line) > EXCERPT_WIDTH:
        cut = max(0, min(start - _CONTEXT_LENGTH, len(line) - EXCERPT_WIDTH))
    window = line[cut : cut + EXCERPT_WIDTH]
    before, marked = window[: start - cut], window[start - cut : end - cut]
    behind = window[len(before) + len(marked) :]
    lead = _ELLIPSIS if cut else ""
    tail = _ELLIPSIS if cut + EXCERPT_WIDTH < len(line) else ""
    expanded = [
        escape_controls(part.replace("\t", " " * _TAB_WIDTH)) for part in (before, marked, behind)
    ]
    source = f"{lead}{''.join(expanded)}{tail}"
    carets = " " * (len(lead) + cell_width(expanded[0])) + "^" * max(1, cell_width(expanded[1]))
    return source, carets


def write_full(report: Report, console: Console) -> None:
    """Write the report of `synapse check` in the format ``full``."""
    for tree, finding in report.findings():
        console.line(*finding_line(tree, finding))
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
    if not console.quiet:
        console.line(*summary_line(report))


_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
    Severity.HINT: "notice",
}
_MESSAGE_ESCAPES = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_PROPERTY_ESCAPES = (*_MESSAGE_ESCAPES, (":", "%3A"), (",", "%2C"))


def write_github(report: Report, console: Console) -> None:
    """Write the report of `synapse check` in the format ``github``."""
    for tree, finding in report.findings():
        place = tree.range(finding.path, finding.span)
        properties: dict[str, object] = {
            "title": f"{finding.code} {finding.name}",
            "file": tree.repository_path(finding.path),
            "line": place["line"],
            "endLine": place["end_line"],
        }
        if place["line"] == place["end_line"]:  # columns are refused where there are several lines
            properties |= {"col": place["column"], "endColumn": place["end_column"]}
        fields = ",".join(
            f"{name}={_escape_text(str(v), _PROPERTY_ESCAPES)}" for name, v in properties.items()
        )
        message = f"{finding.message} {finding.remedy}".rstrip()
        console.line(
            f"::{_COMMANDS[finding.severity]} {fields}::{_escape_text(message, _MESSAGE_ESCAPES)}"
        )


def _escape_text(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for character, escape in escapes:
        text = text.replace(character, escape)
    return text


_SEVERITIES = {
    Severity.ERROR: "critical",
    Severity.WARNING: "major",
    Severity.INFO: "minor",
    Severity.HINT: "info",
}


def write_gitlab(report: Report, console: Console) -> None:
    """Write the report of `synapse check` in the format ``gitlab``."""
    issues = []
    for tree, finding, identity in fingerprint_findings(report):
        place = tree.range(finding.path, finding.span)
        issues.append(
            {
                "check_name": f"{finding.code} {finding.name}",
                "description": f"{finding.message} {finding.remedy}".rstrip(),
                "severity": _SEVERITIES[finding.severity],
                "fingerprint": identity,
                "location": {
                    "path": tree.repository_path(finding.path),
                    "lines": {"begin": place["line"], "end": place["end_line"]},
                },
            }
        )
    console.json(issues)


def write_json(report: Report, console: Console) -> None:
    """Write the report of `synapse check` in the format ``json``."""
    console.json([finding_json(tree, finding) for tree, finding in report.findings()])


def write_json_lines(report: Report, console: Console) -> None:
    """Write the report of `synapse check` in the format ``json-lines``."""
    for tree, finding in report.findings():
        console.json(finding_json(tree, finding), indent=None)


def _write_junit(report: Report, console: Console) -> None:
    write_junit(report, console)


def _write_sarif(report: Report, console: Console) -> None:
    from synapse_ls.cli.sarif_report import write_sarif

    write_sarif(report, console)


class Format(NamedTuple):
    """An output format of ``synapse check``: its name, and what writes a report to a console."""

    name: str
    write: Callable[[Report, Console], None]


FORMATS = (
    Format("full", write_full),
    Format("concise", write_concise),
    Format("json", write_json),
    Format("json-lines", write_json_lines),
    Format("sarif", _write_sarif),
    Format("github", write_github),
    Format("gitlab", write_gitlab),
    Format("junit", _write_junit),
)

BY_NAME = {form.name: form for form in FORMATS}
"""The formats by name; the first one is the default."""

ALIASES = {"text": "full"}
"""What other commands call a format, and its name here."""

HUMAN_FORMATS = ("full", "concise")
"""Formats that are read by people: remarks may stand beside them."""
