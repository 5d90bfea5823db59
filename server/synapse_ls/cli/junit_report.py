"""JUnit XML for services that show test results: of ``synapse check``, a file is a suite, a finding
a case.

A case fails where the check does: for errors and warnings. Infos and hints are its output. What
steers a terminal, or is no character of XML, is written as an escape.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from synapse_ls.cli.check_report import FAILING, Report
from synapse_ls.cli.console import Console, escape_controls
from synapse_ls.text.finding import Finding

XML_DECLARATION = '<?xml version="1.0" encoding="UTF-8"?>'


def start_tag(depth: int, name: str, /, **attributes: object) -> str:
    """Return the line of XML that begins an element with others in it."""
    return f"{'  ' * depth}<{name}{_render_attributes(attributes)}>"


def end_tag(depth: int, name: str) -> str:
    """Return the line of XML that ends an element."""
    return f"{'  ' * depth}</{name}>"


def text_element(depth: int, name: str, text: str = "", /, **attributes: object) -> str:
    """Return the line of XML of an element with text in it, or with nothing."""
    start = f"{'  ' * depth}<{name}{_render_attributes(attributes)}"
    return f"{start}>{escape(_escape_characters(text))}</{name}>" if text else f"{start}/>"


def _render_attributes(attributes: dict[str, object]) -> str:
    return "".join(
        f" {name}={quoteattr(_escape_characters(str(v)))}" for name, v in attributes.items()
    )


def _escape_characters(text: str) -> str:
    """Escape what XML 1.0 does not have: U+FFFE and U+FFFF, and controls, which `escape_controls`
    writes.
    """
    return escape_controls(text).replace("\ufffe", "\\ufffe").replace("\uffff", "\\uffff")


def write_junit(report: Report, console: Console) -> None:
    """Write the report of `synapse check` in the format ``junit``."""
    for line in _xml_lines(report):
        console.line(line)


def _xml_lines(report: Report) -> Iterator[str]:
    rows = [(tree.display_path(finding.path), tree, finding) for tree, finding in report.findings()]
    total, failures = len(rows), _count_failures(finding for _, _, finding in rows)
    yield XML_DECLARATION
    name = report.command
    yield start_tag(0, "testsuites", name=name, tests=total or 1, failures=failures, errors=0)
    if not rows:  # some services take a report without any case for a broken one
        yield start_tag(1, "testsuite", name=name, tests=1, failures=0, errors=0, skipped=0)
        nothing = "no new findings" if report.hidden_count else "no findings"
        yield text_element(2, "testcase", name=nothing, classname=name)
        yield end_tag(1, "testsuite")
    for path, group in groupby(rows, lambda item: item[0]):
        cases = [(tree, finding) for _, tree, finding in group]
        failures = _count_failures(finding for _, finding in cases)
        counts = {"tests": len(cases), "failures": failures, "errors": 0, "skipped": 0}
        yield start_tag(1, "testsuite", name=path, **counts)
        for tree, finding in cases:
            place = tree.range(finding.path, finding.span)
            where = f"{path}:{place['line']}:{place['column']}"
            case_name = f"{finding.code} {finding.name} at {place['line']}:{place['column']}"
            # Jenkins' schema knows neither `file` nor `line`, and refuses a report that has them.
            yield start_tag(2, "testcase", name=case_name, classname=path)
            message = f"{where}: {finding.message} {finding.remedy}".rstrip()
            if finding.severity in FAILING:
                kind = finding.severity.value
                yield text_element(3, "failure", message, type=kind, message=finding.message)
            else:
                yield text_element(3, "system-out", message)
            yield end_tag(2, "testcase")
        yield end_tag(1, "testsuite")
    yield end_tag(0, "testsuites")


def _count_failures(findings: Iterable[Finding]) -> int:
    return sum(finding.severity in FAILING for finding in findings)
