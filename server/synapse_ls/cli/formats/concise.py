"""This module writes ``--format concise``: a line for each finding, as compilers write it, and a
summary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.formats.check_report import STYLES, summary_line

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.check_report import CheckedTree, Report
    from synapse_ls.lint.diagnostic import Diagnostic


def write(report: Report, console: Console) -> None:
    """Writes the report of `synapse check` in the format ``concise``."""
    for tree, found in report.findings():
        console.line(*finding_line(tree, found))
    if not console.quiet:
        console.line(*summary_line(report))


def finding_line(tree: CheckedTree, finding: Diagnostic) -> tuple[Part, ...]:
    """Returns the concise line of a finding: where, how bad, which rule and what."""
    place = tree.range(finding.path, finding.span)
    return (
        Styled(tree.display_path(finding.path), "title"),
        f":{place['line']}:{place['column']}: ",
        Styled(finding.severity.value, STYLES[finding.severity]),
        f" {finding.code} {finding.name}: {finding.message}",
    )
