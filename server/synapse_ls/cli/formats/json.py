"""This module writes ``--format json``: one list of findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.formats.check_report import finding_json

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.check_report import Report


def write(report: Report, console: Console) -> None:
    """Writes the report of `synapse check` in the format ``json``."""
    console.json([finding_json(tree, found) for tree, found in report.findings()])
