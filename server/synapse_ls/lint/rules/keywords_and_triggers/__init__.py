"""Lint rules about what activates a domain: the table of those that name what a parser or the
loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.fixes import mend_pattern, write_safe_suggestion
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule("SYN301", "empty-recall-item", Severity.INFO, fix=write_safe_suggestion),
    ProblemRule("SYN314", "dead-pattern", Severity.WARNING, fix=mend_pattern),
)
