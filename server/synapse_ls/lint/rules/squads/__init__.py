"""Lint rules about squads: the table of those that name what a parser or the loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.fixes import write_meant_field, write_suggestion
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule("SYN601", "invalid-squad", Severity.WARNING, fix=write_meant_field),
    ProblemRule("SYN602", "bad-extends", Severity.WARNING, fix=write_suggestion),
    ProblemRule(
        "SYN609",
        "squad-without-manifest",
        Severity.INFO,
        remedy="Create a `squad.yaml` with `name` and `version`.",
    ),
)
