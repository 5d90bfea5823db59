"""Lint rules about memories: the table of those that name what a parser or the loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import write_near_word
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        code="SYN901",
        name="invalid-memory",
        severity=Severity.WARNING,
        claims=("invalid-memory",),
    ),
    ProblemRule(
        code="SYN902",
        name="bad-memory-value",
        severity=Severity.WARNING,
        claims=("bad-memory-value",),
        remedy="Write a value that the field can have, or delete the line.",
        fix=write_near_word,
    ),
    ProblemRule(
        code="SYN905",
        name="expired-memory",
        severity=Severity.HINT,
        claims=("expired-memory",),
        remedy="Run `synapse memory gc`, or give it another date.",
    ),
)
