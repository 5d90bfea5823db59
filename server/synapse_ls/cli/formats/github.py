"""This module writes ``--format github``: workflow commands, which GitHub Actions shows beside the
changed lines.

The grammar is that of "Workflow commands for GitHub Actions", with its escapes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.lint.diagnostic import Severity

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.check_report import CheckedTree, Report
    from synapse_ls.lint.diagnostic import Diagnostic

_COMMANDS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "notice",
    Severity.HINT: "notice",
}
_MESSAGE_ESCAPES = (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"))
_PROPERTY_ESCAPES = (*_MESSAGE_ESCAPES, (":", "%3A"), (",", "%2C"))


def write(report: Report, console: Console) -> None:
    """Writes the report of `synapse check` in the format ``github``."""
    for tree, found in report.findings():
        console.line(_workflow_command(tree, found))


def _workflow_command(tree: CheckedTree, finding: Diagnostic) -> str:
    place = tree.range(finding.path, finding.span)
    properties: dict[str, object] = {
        "title": f"{finding.code} {finding.name}",
        "file": tree.repository_path(finding.path),
        "line": place["line"],
        "endLine": place["end_line"],
    }
    if place["line"] == place["end_line"]:  # columns are refused where there are several lines
        properties |= {"col": place["column"], "endColumn": place["end_column"]}
    given = ",".join(
        f"{name}={_escape_text(str(v), _PROPERTY_ESCAPES)}" for name, v in properties.items()
    )
    said = f"{finding.message} {finding.remedy}".rstrip()
    return f"::{_COMMANDS[finding.severity]} {given}::{_escape_text(said, _MESSAGE_ESCAPES)}"


def _escape_text(text: str, escapes: tuple[tuple[str, str], ...]) -> str:
    for character, escape in escapes:
        text = text.replace(character, escape)
    return text
