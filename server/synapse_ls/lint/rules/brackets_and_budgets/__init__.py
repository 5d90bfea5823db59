"""Lint rules about brackets and budgets: the table of those that name what a parser or the loader
has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.fixes import write_suggestion
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule("SYN402", "unknown-bracket-key", Severity.ERROR, fix=write_suggestion),
)
