"""Lint rules about memories: the table of those that name what a parser or the loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.fixes import write_near_word
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule("SYN901", "invalid-memory", Severity.WARNING),
    ProblemRule(
        "SYN902",
        "bad-memory-value",
        Severity.WARNING,
        remedy="Write a value that the field can have, or delete the line.",
        fix=write_near_word,
    ),
    ProblemRule(
        "SYN905",
        "expired-memory",
        Severity.HINT,
        remedy="Run `synapse memory gc`, or give it another date.",
    ),
)
