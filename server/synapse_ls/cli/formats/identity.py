"""Telling findings of two runs apart, or recognising them, without their line numbers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from synapse_ls.engine.hashing import text_hash

if TYPE_CHECKING:
    from collections.abc import Iterator

    from synapse_ls.cli.formats.report import Checked, Report
    from synapse_ls.lint.diagnostic import Diagnostic


def identified(report: Report) -> Iterator[tuple[Checked, Diagnostic, str]]:
    """Every finding with a text that is its own and stays when lines above it come and go.

    Of findings that say the same about the same words of a file, the later ones count on.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    for tree, found in report.findings():
        marked = found.span.cut(tree.text_of(found.path))
        what = (tree.in_repository(found.path), found.code, found.message, marked)
        seen[what] += 1
        yield tree, found, text_hash("\n".join((*what, str(seen[what]))))
