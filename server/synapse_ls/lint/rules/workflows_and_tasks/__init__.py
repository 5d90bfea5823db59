"""Lint rules about workflows, tasks, stories, agents and sessions: the table of those that name
what a parser or the loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.fixes import write_meant_field, write_suggestion
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        "SYN701",
        "invalid-workflow-state",
        Severity.WARNING,
        remedy="Correct the field.",
        fix=write_suggestion,
    ),
    ProblemRule(
        "SYN702",
        "invalid-workflow",
        Severity.WARNING,
        claims=("invalid-workflow", "no-workflow"),
        hints=("no-workflow",),
        remedy="Give it a `workflow` with an `id` and a `sequence`, if a state file uses it.",
        fix=write_meant_field,
    ),
    ProblemRule("SYN705", "invalid-session", Severity.WARNING, remedy="Delete the file."),
    ProblemRule("SYN706", "stale-session", Severity.HINT, remedy="Run `synapse session clean`."),
    ProblemRule(
        "SYN715",
        "invalid-workflow-chain",
        Severity.WARNING,
        remedy="Give each chain an `id`, and each step a number, an `agent` and a `command`.",
    ),
    ProblemRule(
        "SYN717",
        "invalid-continuation",
        Severity.WARNING,
        remedy="Mend the front matter, or write the file anew with `synapse handoff`.",
    ),
)
