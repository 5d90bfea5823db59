"""``--format json``: one list of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.formats.report import as_json

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.report import Report


def write(report: Report, console: Console) -> None:
    """Write the report."""
    console.json([as_json(tree, found) for tree, found in report.findings()])
