"""``--format gitlab``: the report of GitLab's Code Quality, a subset of Code Climate's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.formats.identity import identified
from synapse_ls.lint.diagnostic import Severity

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.report import Report

_SEVERITIES = {
    Severity.ERROR: "critical",
    Severity.WARNING: "major",
    Severity.INFO: "minor",
    Severity.HINT: "info",
}


def write(report: Report, console: Console) -> None:
    """Write the report."""
    issues = []
    for tree, found, identity in identified(report):
        place = tree.range(found.path, found.span)
        issues.append(
            {
                "check_name": f"{found.code} {found.name}",
                "description": f"{found.message} {found.remedy}".rstrip(),
                "severity": _SEVERITIES[found.severity],
                "fingerprint": identity,
                "location": {
                    "path": tree.in_repository(found.path),
                    "lines": {"begin": place["line"], "end": place["end_line"]},
                },
            }
        )
    console.json(issues)
