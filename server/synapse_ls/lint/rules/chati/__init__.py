"""Lint rules about the files of Chati.dev: the table of those that name what a parser or the loader
has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.fixes import write_rule_id
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        "SYN040",
        "invalid-chati-file",
        Severity.WARNING,
        claims=(
            "invalid-chati-session",
            "invalid-chati-config",
            "invalid-chati-task",
            "invalid-chati-memory",
            "invalid-chati-handoff",
            "invalid-chati-workflow",
        ),
        remedy="Correct the field.",
    ),
    ProblemRule("SYN041", "invalid-chati-rule", Severity.WARNING, fix=write_rule_id),
    ProblemRule("SYN042", "unread-chati-key", Severity.WARNING),
    ProblemRule(
        "SYN043", "agent-without-mission", Severity.WARNING, claims=("chati-agent-without-mission",)
    ),
)
