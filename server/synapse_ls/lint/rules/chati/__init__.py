"""Lint rules about the files of Chati.dev: the table of those that name what a parser or the loader
has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import write_rule_id
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        code="SYN040",
        name="invalid-chati-file",
        severity=Severity.WARNING,
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
    ProblemRule(
        code="SYN041",
        name="invalid-chati-rule",
        severity=Severity.WARNING,
        claims=("invalid-chati-rule",),
        fix=write_rule_id,
    ),
    ProblemRule(
        code="SYN042",
        name="unread-chati-key",
        severity=Severity.WARNING,
        claims=("unread-chati-key",),
    ),
    ProblemRule(
        code="SYN043",
        name="agent-without-mission",
        severity=Severity.WARNING,
        claims=("chati-agent-without-mission",),
    ),
)
