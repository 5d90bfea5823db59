"""Lint rules about the files of CARL: the table of those that name what a parser or the loader has
found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule("SYN010", "invalid-carl-json", Severity.ERROR, remedy="Correct the JSON."),
)
