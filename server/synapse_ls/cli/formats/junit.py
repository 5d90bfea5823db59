"""``--format junit``: XML for services that show test results. A file is a suite, a finding a case.

A case fails where the check does: for errors and warnings. Infos and hints are its output.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from synapse_ls.cli.formats import xml
from synapse_ls.cli.formats.report import FAILING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.report import Checked, Report
    from synapse_ls.lint.diagnostic import Diagnostic


def write(report: Report, console: Console) -> None:
    """Write the report."""
    for line in _lines(report):
        console.line(line)


def _lines(report: Report) -> Iterator[str]:
    shown = [(tree.shown(found.path), tree, found) for tree, found in report.findings()]
    total, failures = len(shown), _failures(found for _, _, found in shown)
    yield xml.HEAD
    name = report.command
    yield xml.opened(0, "testsuites", name=name, tests=total or 1, failures=failures, errors=0)
    if not shown:  # some services take a report without any case for a broken one
        yield xml.opened(1, "testsuite", name=name, tests=1, failures=0, errors=0, skipped=0)
        yield xml.element(2, "testcase", name="no findings", classname=name)
        yield xml.closed(1, "testsuite")
    for path, group in groupby(shown, lambda item: item[0]):
        cases = [(tree, found) for _, tree, found in group]
        failures = _failures(found for _, found in cases)
        counts = {"tests": len(cases), "failures": failures, "errors": 0, "skipped": 0}
        yield xml.opened(1, "testsuite", name=path, **counts)
        for tree, found in cases:
            yield from _case(path, tree, found)
        yield xml.closed(1, "testsuite")
    yield xml.closed(0, "testsuites")


def _case(path: str, tree: Checked, found: Diagnostic) -> Iterator[str]:
    place = tree.range(found.path, found.span)
    where = f"{path}:{place['line']}:{place['column']}"
    name = f"{found.code} {found.name} at {place['line']}:{place['column']}"
    yield xml.opened(2, "testcase", name=name, classname=path, file=path, line=place["line"])
    said = f"{where}: {found.message} {found.remedy}".rstrip()
    if found.severity in FAILING:
        kind = found.severity.value
        yield xml.element(3, "failure", said, type=kind, message=found.message)
    else:
        yield xml.element(3, "system-out", said)
    yield xml.closed(2, "testcase")


def _failures(findings: Iterable[Diagnostic]) -> int:
    return sum(found.severity in FAILING for found in findings)
