"""``--format full``: each finding with its source, what else has to do with it, and the remedy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.console import Styled
from synapse_ls.cli.formats.concise import headline
from synapse_ls.cli.formats.frame import frame
from synapse_ls.cli.formats.report import STYLES
from synapse_ls.cli.formats.summary import summary
from synapse_ls.text.secrets import masked

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console
    from synapse_ls.cli.formats.report import Checked, Report
    from synapse_ls.lint.diagnostic import Diagnostic


def write(report: Report, console: Console) -> None:
    """Write the report."""
    for tree, found in report.findings():
        console.line(*headline(tree, found))
        _rest(tree, found, console)
    console.line(*summary(report))


def _rest(tree: Checked, found: Diagnostic, console: Console) -> None:
    marked = frame(tree.lines(found.path), masked(tree.text_of(found.path)), found.span)
    for margin, source, carets in marked:
        console.line("  ", Styled(f"{margin} │ ", "dim"), source)
        if carets:
            blank = " " * len(margin)
            console.line("  ", Styled(f"{blank} │ ", "dim"), Styled(carets, STYLES[found.severity]))
    for related in found.related:
        line = tree.range(related.path, related.span)["line"]
        console.line("  ", Styled(f"{tree.shown(related.path)}:{line}: {related.message}", "dim"))
    if found.remedy:
        console.line("  ", Styled("remedy:", "good"), f" {found.remedy}")
