"""``--format junit``: XML for services that show test results. A file is a suite, a finding a case.

A case fails where the check does: for errors and warnings. Infos and hints are its output.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from synapse_ls.cli.console import visible
from synapse_ls.cli.formats.report import FAILING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.report import Checked, Report
    from synapse_ls.lint.diagnostic import Diagnostic

_NAME = "synapse check"


def write(report: Report, console: Console) -> None:
    """Write the report."""
    for line in _lines(report):
        console.line(line)


def _lines(report: Report) -> Iterator[str]:
    shown = [(tree.shown(found.path), tree, found) for tree, found in report.findings()]
    total, failures = len(shown), _failures(found for _, _, found in shown)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites{_attributes(name=_NAME, tests=total or 1, failures=failures, errors=0)}>"
    if not shown:  # some services take a report without any case for a broken one
        yield f"  <testsuite{_attributes(name=_NAME, tests=1, failures=0, errors=0, skipped=0)}>"
        yield f"    <testcase{_attributes(name='no findings', classname=_NAME)}/>"
        yield "  </testsuite>"
    for path, group in groupby(shown, lambda item: item[0]):
        cases = [(tree, found) for _, tree, found in group]
        failures = _failures(found for _, found in cases)
        counts = _attributes(name=path, tests=len(cases), failures=failures, errors=0, skipped=0)
        yield f"  <testsuite{counts}>"
        for tree, found in cases:
            yield from _case(path, tree, found)
        yield "  </testsuite>"
    yield "</testsuites>"


def _case(path: str, tree: Checked, found: Diagnostic) -> Iterator[str]:
    place = tree.range(found.path, found.span)
    where = f"{path}:{place['line']}:{place['column']}"
    name = f"{found.code} {found.name} at {place['line']}:{place['column']}"
    yield f"    <testcase{_attributes(name=name, classname=path, file=path, line=place['line'])}>"
    said = escape(visible(f"{where}: {found.message} {found.remedy}".rstrip()))
    if found.severity in FAILING:
        failure = _attributes(type=found.severity.value, message=found.message)
        yield f"      <failure{failure}>{said}</failure>"
    else:
        yield f"      <system-out>{said}</system-out>"
    yield "    </testcase>"


def _failures(findings: Iterable[Diagnostic]) -> int:
    return sum(found.severity in FAILING for found in findings)


def _attributes(**given: object) -> str:
    return "".join(f" {name}={quoteattr(visible(str(value)))}" for name, value in given.items())
