"""This module writes ``--format gitlab``: the report of GitLab's Code Quality, a subset of Code
Climate's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.formats.check_report import fingerprint_findings
from synapse_ls.lint.diagnostic import Severity

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.check_report import Report

_SEVERITIES = {
    Severity.ERROR: "critical",
    Severity.WARNING: "major",
    Severity.INFO: "minor",
    Severity.HINT: "info",
}


def write(report: Report, console: Console) -> None:
    """Writes the report of `synapse check` in the format ``gitlab``."""
    issues = []
    for tree, found, identity in fingerprint_findings(report):
        place = tree.range(found.path, found.span)
        issues.append(
            {
                "check_name": f"{found.code} {found.name}",
                "description": f"{found.message} {found.remedy}".rstrip(),
                "severity": _SEVERITIES[found.severity],
                "fingerprint": identity,
                "location": {
                    "path": tree.repository_path(found.path),
                    "lines": {"begin": place["line"], "end": place["end_line"]},
                },
            }
        )
    console.json(issues)
