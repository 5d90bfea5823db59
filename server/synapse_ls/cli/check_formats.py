"""The output formats of ``synapse check``.

``github`` follows "Workflow commands for GitHub Actions"; ``gitlab`` is GitLab's Code Quality
report, a subset of Code Climate's, whose fingerprints tell findings of two runs apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from synapse_ls.cli import check_report
from synapse_ls.cli.console import Console, Part, Styled, cell_width, escape_controls
from synapse_ls.text.digest import hash_text
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.secret_masking import mask_secrets
from synapse_ls.text.span import Span
from synapse_ls.version import REPOSITORY, VERSION, page_address

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element


Json = dict[str, Any]
Writer = Callable[[check_report.Report, Console], None]

# What other commands call a format, and its name here.
ALIASES = {"text": "full"}

# Formats that are read by people: remarks may stand beside them.
HUMAN_FORMATS = ("full", "concise")


def _level(severity: Severity, mild: str) -> str:
    """Return what a service calls a severity; ``mild`` is its word for those that let it pass."""
    return severity.value if severity in check_report.FAILING else mild


def fingerprint_findings(
    report: check_report.Report,
) -> Iterator[tuple[check_report.CheckedTree, Finding, str]]:
    """Yield every finding with its fingerprint, a text that is its own and stays when lines above
    it come and go, so that findings of two runs can be compared without line numbers.

    Of findings that say the same about the same words of a file, the later ones count on.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    for tree, finding in report.findings():
        marked = finding.span.cut(tree.text_of(finding.path))
        what = (tree.repository_path(finding.path), finding.code, finding.message, marked)
        counts[what] += 1
        yield tree, finding, hash_text("\n".join((*what, str(counts[what]))))


def finding_line(tree: check_report.CheckedTree, finding: Finding) -> tuple[Part, ...]:
    """Return the concise line of a finding: where, how bad, which rule and what."""
    place = tree.range(finding.path, finding.span)
    return (
        Styled(tree.display_path(finding.path), "title"),
        f":{place['line']}:{place['column']}: ",
        Styled(finding.severity.value, check_report.STYLES[finding.severity]),
        f" {finding.code} {finding.name}: {finding.message}",
    )


# Columns of source that are shown of a line.
EXCERPT_WIDTH = 96

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


def write_full(report: check_report.Report, console: Console) -> None:
    for tree, finding in report.findings():
        console.line(*finding_line(tree, finding))
        marked = source_excerpt(
            tree.lines(finding.path), mask_secrets(tree.text_of(finding.path)), finding.span
        )
        for margin, source, carets in marked:
            console.line("  ", Styled(f"{margin} │ ", "dim"), source)
            if carets:
                console.line(
                    "  ",
                    Styled(f"{' ' * len(margin)} │ ", "dim"),
                    Styled(carets, check_report.STYLES[finding.severity]),
                )
        for related in finding.related:
            line = tree.range(related.path, related.span)["line"]
            console.line(
                "  ", Styled(f"{tree.display_path(related.path)}:{line}: {related.message}", "dim")
            )
        if finding.remedy:
            console.line("  ", Styled("remedy:", "good"), f" {finding.remedy}")
    if not console.quiet:
        console.line(*check_report.summary_line(report))


def write_concise(report: check_report.Report, console: Console) -> None:
    console.lines(finding_line(tree, finding) for tree, finding in report.findings())
    if not console.quiet:
        console.line(*check_report.summary_line(report))


def write_json(report: check_report.Report, console: Console) -> None:
    console.json([check_report.finding_json(tree, finding) for tree, finding in report.findings()])


def write_json_lines(report: check_report.Report, console: Console) -> None:
    for tree, finding in report.findings():
        console.json(check_report.finding_json(tree, finding), indent=None)


_SARIF_SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
_SARIF_BASE = "%SRCROOT%"


def write_sarif(report: check_report.Report, console: Console) -> None:
    """Write SARIF 2.1.0 (OASIS), for code scanning services and editors. Places are relative to the
    root of the checkout, where a service names it, else to the working directory.
    """
    from synapse_ls.lint import rule_pages, rule_registry  # no other format needs the linter

    catalogue = rule_registry.all_rules()
    descriptors: list[Json] = []
    for rule in catalogue:
        page, address = rule_pages.rule_page(rule), page_address(f"docs/rules/{rule.name}.md")
        why, markdown = page.sections["Why it matters"], rule_pages.page_markdown(rule)
        level = _level(rule.severity, "note")
        descriptors.append(
            {
                "id": rule.code,
                "name": rule.name,
                "shortDescription": {"text": page.summary},
                "fullDescription": {"text": page.sections["What it does"]},
                **({"helpUri": address} if address else {}),
                "help": {"text": why, "markdown": markdown},
                "defaultConfiguration": {"enabled": rule.default, "level": level},
                "properties": {"tags": [rule_pages.family_title(rule)]},
            }
        )
    driver = {
        "name": "Synapse LS",
        "version": VERSION,
        "semanticVersion": VERSION,
        **({"informationUri": REPOSITORY} if REPOSITORY else {}),
        "rules": descriptors,
    }
    places = {rule.code: number for number, rule in enumerate(catalogue)}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True}],
        "results": [_result_object(*finding, places) for finding in fingerprint_findings(report)],
    }
    console.json({"$schema": _SARIF_SCHEMA, "version": "2.1.0", "runs": [run]})


def _result_object(
    tree: check_report.CheckedTree, finding: Finding, fingerprint: str, places: dict[str, int]
) -> Json:
    result: Json = {
        "ruleId": finding.code,
        "ruleIndex": places[finding.code],
        "level": _level(finding.severity, "note"),
        "message": _sarif_message(f"{finding.message} {finding.remedy}".rstrip()),
        "locations": [{"physicalLocation": _physical_location(tree, finding.path, finding.span)}],
        "partialFingerprints": {"finding/v1": fingerprint},
    }
    if finding.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _physical_location(tree, related.path, related.span),
                "message": _sarif_message(related.message),
            }
            for number, related in enumerate(finding.related, start=1)
        ]
    if finding.fix:
        fix = finding.fix
        result["fixes"] = [
            {
                "description": _sarif_message(fix.title),
                "artifactChanges": [
                    {
                        "artifactLocation": _artifact_location(tree, path),
                        "replacements": [
                            {
                                "deletedRegion": _source_region(tree, path, edit.span),
                                "insertedContent": {"text": edit.new_text},
                            }
                            for edit in edits
                        ],
                    }
                    for path, edits in group_pairs(fix.edits).items()
                ],
                "properties": {"safe": fix.safe},
            }
        ]
    return result


def _sarif_message(text: str) -> Json:
    """Return a message in which nothing is a link (SARIF 2.1.0, 3.11.6), nor is to a viewer that
    does not know of escaped brackets.
    """
    return {"text": text.replace("](", "]\\(")}


def _physical_location(tree: check_report.CheckedTree, path: str, span: Span) -> Json:
    return {
        "artifactLocation": _artifact_location(tree, path),
        "region": _source_region(tree, path, span),
    }


def _source_region(tree: check_report.CheckedTree, path: str, span: Span) -> Json:
    place = tree.range(path, span)
    return {
        "startLine": place["line"],
        "startColumn": place["column"],
        "endLine": place["end_line"],
        "endColumn": place["end_column"],
    }


def _artifact_location(tree: check_report.CheckedTree, path: str) -> Json:
    if (location := tree.repository_path(path)).startswith("/"):
        return {"uri": f"file://{quote(location)}"}
    if location[1:2] == ":":  # a drive of Windows
        return {"uri": f"file:///{quote(location.replace(chr(92), '/'), safe='/:')}"}
    return {"uri": quote(location), "uriBaseId": _SARIF_BASE}


_MESSAGE_ESCAPES = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_PROPERTY_ESCAPES = (*_MESSAGE_ESCAPES, (":", "%3A"), (",", "%2C"))


def write_github(report: check_report.Report, console: Console) -> None:
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
        command = _level(finding.severity, "notice")
        console.line(f"::{command} {fields}::{_escape_text(message, _MESSAGE_ESCAPES)}")


def _escape_text(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for character, escape in escapes:
        text = text.replace(character, escape)
    return text


_SEVERITIES = dict(zip(Severity, ("critical", "major", "minor", "info"), strict=True))


def write_gitlab(report: check_report.Report, console: Console) -> None:
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


def write_junit(report: check_report.Report, console: Console) -> None:
    """Write JUnit XML for services that show test results: a file is a suite, a finding a case,
    which fails where the check does, for errors and warnings. Infos and hints are its output.
    """
    rows = [(tree.display_path(finding.path), tree, finding) for tree, finding in report.findings()]
    name, failures = report.command, _count_failures(finding for _, _, finding in rows)
    root = xml_root("testsuites", name=name, tests=len(rows) or 1, failures=failures, errors=0)
    if not rows:  # some services take a report without any case for a broken one
        suite = add_xml(root, "testsuite", name=name, tests=1, failures=0, errors=0, skipped=0)
        nothing = "no new findings" if report.hidden_count else "no findings"
        add_xml(suite, "testcase", name=nothing, classname=name)
    for path, group in groupby(rows, lambda item: item[0]):
        cases = [(tree, finding) for _, tree, finding in group]
        failures = _count_failures(finding for _, finding in cases)
        counts = {"tests": len(cases), "failures": failures, "errors": 0, "skipped": 0}
        suite = add_xml(root, "testsuite", name=path, **counts)
        for tree, finding in cases:
            place = tree.range(finding.path, finding.span)
            where = f"{path}:{place['line']}:{place['column']}"
            case_name = f"{finding.code} {finding.name} at {place['line']}:{place['column']}"
            # Jenkins' schema knows neither `file` nor `line`, and refuses a report that has them.
            case = add_xml(suite, "testcase", name=case_name, classname=path)
            message = f"{where}: {finding.message} {finding.remedy}".rstrip()
            if finding.severity in check_report.FAILING:
                kind = finding.severity.value
                add_xml(case, "failure", message, type=kind, message=finding.message)
            else:
                add_xml(case, "system-out", message)
    write_xml(root, console)


def _count_failures(findings: Iterable[Finding]) -> int:
    return sum(finding.severity in check_report.FAILING for finding in findings)


def xml_root(name: str, /, **attributes: object) -> Element:
    """Return the outermost element of a report in XML."""
    from xml.etree.ElementTree import Element  # which few reports need

    return add_xml(Element(""), name, **attributes)


def add_xml(parent: Element, name: str, text: str = "", /, **attributes: object) -> Element:
    """Add an element to another one of a report in XML, and return it."""
    values = {key: escape_controls(str(value)) for key, value in attributes.items()}
    element = parent.makeelement(name, values)
    element.text = escape_controls(text) or None
    parent.append(element)
    return element


def write_xml(root: Element, console: Console) -> None:
    """Write a report in XML."""
    from xml.etree import ElementTree

    ElementTree.indent(root)
    text = ElementTree.tostring(root, encoding="unicode")
    console.write(f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n')


# What writes a report to a console, by the name of the format; the first one is the default.
BY_NAME: dict[str, Writer] = {
    "full": write_full,
    "concise": write_concise,
    "json": write_json,
    "json-lines": write_json_lines,
    "sarif": write_sarif,
    "github": write_github,
    "gitlab": write_gitlab,
    "junit": write_junit,
}


def write_statistics(report: check_report.Report, form: str, console: Console) -> None:
    """Write the listing of how many findings each rule has (``--statistics``), the most frequent
    first.
    """
    findings = [diagnostic for _, diagnostic in report.findings()]
    counts = Counter((d.code, d.name) for d in findings)
    safe = Counter((d.code, d.name) for d in findings if d.fix and d.fix.safe)
    unsafe = Counter((d.code, d.name) for d in findings if d.fix and not d.fix.safe)
    rules = sorted(counts, key=lambda rule: (-counts[rule], rule))
    if form == "json":
        names = ("code", "name", "count", "safe_fixes", "unsafe_fixes")
        figures = ((*rule, counts[rule], safe[rule], unsafe[rule]) for rule in rules)
        console.json([dict(zip(names, row, strict=True)) for row in figures])
        return
    fixable = {rule: (str(safe[rule] or ""), str(unsafe[rule] or "")) for rule in rules}
    rows: list[list[Part]] = [
        [str(counts[rule]), rule[0], Styled(rule[1], "name"), *fixable[rule]] for rule in rules
    ]
    if counts:
        console.table(rows, ("findings", "code", "name", "fixable", "unsafe"))
    console.line(*check_report.summary_line(report))
