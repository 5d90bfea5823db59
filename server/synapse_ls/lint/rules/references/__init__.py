"""Lint rules about references between files: the table of those that name what a parser or the
loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.fixes import write_suggestion
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule("SYN210", "twin-domain", Severity.WARNING),
    ProblemRule("SYN212", "two-systems", Severity.WARNING, remedy="Remove one of the two."),
    ProblemRule("SYN214", "dead-import", Severity.WARNING, fix=write_suggestion),
)
