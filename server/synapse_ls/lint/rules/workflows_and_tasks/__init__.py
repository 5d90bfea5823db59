"""Lint rules about workflows, tasks, stories, agents and sessions: the table of those that name
what a parser or the loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from __future__ import annotations

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        code="SYN701",
        name="invalid-workflow-state",
        severity=Severity.WARNING,
        claims=("invalid-workflow-state",),
        remedy="Correct the field.",
    ),
    ProblemRule(
        code="SYN702",
        name="invalid-workflow",
        severity=Severity.WARNING,
        claims=("invalid-workflow", "no-workflow"),
        hints=("no-workflow",),
        remedy="Give it a `workflow` with an `id` and a `sequence`, if states are to follow it.",
    ),
    ProblemRule(
        code="SYN705",
        name="invalid-session",
        severity=Severity.WARNING,
        claims=("invalid-session",),
        remedy="Delete the file.",
    ),
    ProblemRule(
        code="SYN706",
        name="stale-session",
        severity=Severity.HINT,
        claims=("stale-session",),
        remedy="Run `synapse session clean`.",
    ),
    ProblemRule(
        code="SYN715",
        name="invalid-workflow-chain",
        severity=Severity.WARNING,
        claims=("invalid-workflow-chain",),
        remedy="Give each chain an `id`, and each step a number, an `agent` and a `command`.",
    ),
    ProblemRule(
        code="SYN717",
        name="invalid-continuation",
        severity=Severity.WARNING,
        claims=("invalid-continuation",),
        remedy="Mend the front matter, or write the file anew with `synapse handoff`.",
    ),
)
