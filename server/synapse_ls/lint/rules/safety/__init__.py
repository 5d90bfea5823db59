"""Lint rules about safety: the table of those that name what a parser or the loader has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule("SYN801", "forged-markup", Severity.ERROR),
    ProblemRule(
        "SYN802",
        "path-leaves-workspace",
        Severity.WARNING,
        claims=("outside", "outside-folder", "path-leaves-root"),
        remedy="Move the files into the workspace.",
    ),
    ProblemRule(
        "SYN807",
        "world-writable",
        Severity.WARNING,
        default=False,
        remedy="Take away the right of others to write: chmod o-w.",
    ),
    ProblemRule("SYN808", "private-in-git", Severity.HINT),
)
