"""Lint rules about the files of Brainiac: the table of those that name what a parser or the loader
has found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import write_near_word
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        code="SYN021",
        name="forged-heading",
        severity=Severity.ERROR,
        claims=("forged-heading",),
    ),
    ProblemRule(
        code="SYN022",
        name="broken-front-matter",
        severity=Severity.WARNING,
        claims=("broken-front-matter", "memory-without-front-matter", "text-before-front-matter"),
    ),
    ProblemRule(
        code="SYN023",
        name="bad-memory-field",
        severity=Severity.WARNING,
        claims=("bad-memory-field", "unknown-memory-field"),
        fix=write_near_word,
    ),
    ProblemRule(
        code="SYN024",
        name="unreadable-event",
        severity=Severity.WARNING,
        claims=("unreadable-event",),
    ),
    ProblemRule(
        code="SYN025",
        name="odd-memory-part",
        severity=Severity.WARNING,
        claims=("unknown-memory-part", "repeated-memory-part"),
        fix=write_near_word,
    ),
    ProblemRule(
        code="SYN030",
        name="bad-access-line",
        severity=Severity.INFO,
        claims=("bad-access-line",),
    ),
)
