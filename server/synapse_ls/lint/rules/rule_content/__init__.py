"""Lint rules about what rules say: the table of those that name what a parser or the loader has
found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import write_suggestion
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        code="SYN501",
        name="command-without-rules",
        severity=Severity.WARNING,
        claims=("command-without-rules",),
    ),
    ProblemRule(
        code="SYN502",
        name="article-without-title",
        severity=Severity.INFO,
        claims=("article-without-title",),
    ),
    ProblemRule(
        code="SYN503",
        name="unknown-severity",
        severity=Severity.WARNING,
        claims=("unknown-severity",),
        fix=write_suggestion,
    ),
)
