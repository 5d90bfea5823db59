"""The last line of what people read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.formats.report import STYLES
from synapse_ls.lint.diagnostic import Severity
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from synapse_ls.cli.formats.report import Report


def summary(report: Report) -> list[Part]:
    """How much was found, looked at and mended, and what could be mended."""
    parts = list(_parts(report.severities())) or [Styled("No findings", "good")]
    parts.append(f" · {counted(report.files, 'file')} checked")
    mended = sum(tree.mended for tree in report.trees)
    if mended:
        parts.append(f" · {mended} fixed")
    silenced = sum(tree.silenced for tree in report.trees)
    if silenced:
        parts.append(f" · {counted(silenced, 'comment')} added")
    fixes = [found.fix for _, found in report.findings() if found.fix]
    safe = sum(fix.safe for fix in fixes)
    if safe:
        parts.append(f" · {safe} fixable with --fix")
    if len(fixes) > safe:
        more = "more " if safe else "fixable "
        parts.append(f" · {len(fixes) - safe} {more}with --unsafe-fixes")
    return parts


def _parts(counts: Counter[Severity]) -> Iterator[Part]:
    for number, severity in enumerate(s for s in Severity if counts[s]):
        if number:
            yield ", "
        yield Styled(counted(counts[severity], severity.value), STYLES[severity])
