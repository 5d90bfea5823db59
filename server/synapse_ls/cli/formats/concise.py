"""``--format concise``: a line for each finding, as compilers write it, and a summary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.formats.report import STYLES
from synapse_ls.cli.formats.summary import summary

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.report import Checked, Report
    from synapse_ls.lint.diagnostic import Diagnostic


def write(report: Report, console: Console) -> None:
    """Write the report."""
    for tree, found in report.findings():
        console.line(*headline(tree, found))
    console.line(*summary(report))


def headline(tree: Checked, found: Diagnostic) -> tuple[Part, ...]:
    """Where, how bad, which rule and what."""
    place = tree.range(found.path, found.span)
    return (
        Styled(tree.shown(found.path), "title"),
        f":{place['line']}:{place['column']}: ",
        Styled(found.severity.value, STYLES[found.severity]),
        f" {found.code} {found.name}: {found.message}",
    )
