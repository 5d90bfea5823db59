"""``--statistics``: how many findings each rule has."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.formats.summary import summary
from synapse_ls.cli.table import columns, header

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.report import Report


def write_statistics(report: Report, form: str, console: Console) -> None:
    """The rules with findings, the most frequent first."""
    found = [diagnostic for _, diagnostic in report.findings()]
    counts = Counter((d.code, d.name) for d in found)
    safe = Counter((d.code, d.name) for d in found if d.fix and d.fix.safe)
    unsafe = Counter((d.code, d.name) for d in found if d.fix and not d.fix.safe)
    rules = sorted(counts, key=lambda rule: (-counts[rule], rule))
    if form == "json":
        console.json(
            [
                {
                    "code": code,
                    "name": name,
                    "count": counts[code, name],
                    "safe_fixes": safe[code, name],
                    "unsafe_fixes": unsafe[code, name],
                }
                for code, name in rules
            ]
        )
        return
    rows: list[list[Part]] = [header("findings", "code", "name", "fixable", "unsafe")]
    rows += [
        [
            str(counts[rule]),
            rule[0],
            Styled(rule[1], "name"),
            str(safe[rule] or ""),
            str(unsafe[rule] or ""),
        ]
        for rule in rules
    ]
    for line in columns(rows) if counts else ():
        console.line(*line)
    console.line(*summary(report))
