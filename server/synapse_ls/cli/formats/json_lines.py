"""``--format json-lines``: a finding a line, so that a reader need not wait for the last one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.formats.report import as_json

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.report import Report


def write(report: Report, console: Console) -> None:
    """Write the report."""
    for tree, found in report.findings():
        console.json(as_json(tree, found), indent=None)
