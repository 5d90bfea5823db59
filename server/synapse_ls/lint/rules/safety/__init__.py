"""Lint rules about safety: the table of those that name what a parser or the loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        code="SYN801",
        name="forged-markup",
        severity=Severity.ERROR,
        claims=("forged-markup",),
    ),
    ProblemRule(
        code="SYN802",
        name="path-leaves-workspace",
        severity=Severity.WARNING,
        claims=("outside", "outside-folder", "path-leaves-root"),
        remedy="Move the files into the workspace.",
    ),
    ProblemRule(
        code="SYN807",
        name="world-writable",
        severity=Severity.WARNING,
        default=False,
        claims=("world-writable",),
        remedy="Take the right away: chmod o-w.",
    ),
    ProblemRule(
        code="SYN808",
        name="private-in-git",
        severity=Severity.HINT,
        claims=("private-in-git",),
    ),
)
