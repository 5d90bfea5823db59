"""Lint rules about the files of Brainiac: the table of those that name what a parser or the loader
has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.fixes import write_near_word
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule("SYN021", "forged-heading", Severity.ERROR),
    ProblemRule(
        "SYN022",
        "broken-front-matter",
        Severity.WARNING,
        claims=("broken-front-matter", "memory-without-front-matter", "text-before-front-matter"),
    ),
    ProblemRule(
        "SYN023",
        "bad-memory-field",
        Severity.WARNING,
        claims=("bad-memory-field", "unknown-memory-field"),
        fix=write_near_word,
    ),
    ProblemRule("SYN024", "unreadable-event", Severity.WARNING),
    ProblemRule(
        "SYN025",
        "odd-memory-part",
        Severity.WARNING,
        claims=("unknown-memory-part", "repeated-memory-part"),
        fix=write_near_word,
    ),
    ProblemRule("SYN030", "bad-access-line", Severity.INFO),
)
