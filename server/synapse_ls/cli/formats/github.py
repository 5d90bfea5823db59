"""``--format github``: workflow commands, which GitHub Actions shows beside the changed lines.

The grammar is that of "Workflow commands for GitHub Actions", with its escapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.lint.diagnostic import Severity

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.report import Checked, Report
    from synapse_ls.lint.diagnostic import Diagnostic

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
    Severity.HINT: "notice",
}
_IN_MESSAGE = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_IN_PROPERTY = (*_IN_MESSAGE, (":", "%3A"), (",", "%2C"))


def write(report: Report, console: Console) -> None:
    """Write the report."""
    for tree, found in report.findings():
        console.line(_command(tree, found))


def _command(tree: Checked, found: Diagnostic) -> str:
    place = tree.range(found.path, found.span)
    properties: dict[str, object] = {
        "title": f"{found.code} {found.name}",
        "file": tree.in_repository(found.path),
        "line": place["line"],
        "endLine": place["end_line"],
    }
    if place["line"] == place["end_line"]:  # columns are refused where there are several lines
        properties |= {"col": place["column"], "endColumn": place["end_column"]}
    given = ",".join(f"{name}={_escaped(str(v), _IN_PROPERTY)}" for name, v in properties.items())
    said = f"{found.message} {found.remedy}".rstrip()
    return f"::{_COMMANDS[found.severity]} {given}::{_escaped(said, _IN_MESSAGE)}"


def _escaped(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for character, escape in escapes:
        text = text.replace(character, escape)
    return text
