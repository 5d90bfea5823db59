"""Lint rules about squads: the table of those that name what a parser or the loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import write_near_word, write_suggestion
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        code="SYN601",
        name="invalid-squad",
        severity=Severity.WARNING,
        claims=("invalid-squad",),
        remedy="Correct the field.",
        fix=write_near_word,
    ),
    ProblemRule(
        code="SYN602",
        name="bad-extends",
        severity=Severity.WARNING,
        claims=("bad-extends",),
        fix=write_suggestion,
    ),
    ProblemRule(
        code="SYN609",
        name="squad-without-manifest",
        severity=Severity.INFO,
        claims=("squad-without-manifest",),
        remedy="Create a `squad.yaml` with `name` and `version`.",
    ),
)
