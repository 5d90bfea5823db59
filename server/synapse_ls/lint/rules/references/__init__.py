"""Lint rules about references between files: the table of those that name what a parser or the
loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        code="SYN210",
        name="twin-domain",
        severity=Severity.WARNING,
        claims=("twin-domain",),
    ),
    ProblemRule(
        code="SYN212",
        name="two-systems",
        severity=Severity.WARNING,
        claims=("two-systems",),
        remedy="Take one of the two away.",
    ),
    ProblemRule(
        code="SYN214",
        name="dead-import",
        severity=Severity.WARNING,
        claims=("dead-import",),
    ),
)
