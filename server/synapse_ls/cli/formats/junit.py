"""``--format junit``: XML for services that show test results. A file is a suite, a finding a case."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from synapse_ls.cli.console import visible

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    total = len(shown)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield f"<testsuites{_attributes(name=_NAME, tests=total or 1, failures=total, errors=0)}>"
    if not shown:  # some services take a report without any case for a broken one
        yield f"  <testsuite{_attributes(name=_NAME, tests=1, failures=0, errors=0, skipped=0)}>"
        yield f"    <testcase{_attributes(name='no findings', classname=_NAME)}/>"
        yield "  </testsuite>"
    for path, group in groupby(shown, lambda item: item[0]):
        cases = [(tree, found) for _, tree, found in group]
        count = len(cases)
        counts = _attributes(name=path, tests=count, failures=count, errors=0, skipped=0)
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
    failure = _attributes(type=found.severity.value, message=found.message)
    said = f"{where}: {found.message} {found.remedy}".rstrip()
    yield f"      <failure{failure}>{escape(visible(said))}</failure>"
    yield "    </testcase>"


def _attributes(**given: object) -> str:
    return "".join(f" {name}={quoteattr(visible(str(value)))}" for name, value in given.items())
