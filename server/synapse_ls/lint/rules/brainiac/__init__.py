"""Lint rules about the files of Brainiac, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint.fixes import write_near_word
from synapse_ls.lint.lint_rule import LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import FileKind

RULES: tuple[LintRule, ...] = (
    TreeRule("SYN020", "missing-identity", Severity.WARNING,
        (FileKind.SHORT_TERM, FileKind.IDENTITY), reads={"file": Reach.EVERYWHERE}),
    ProblemRule("SYN021", "forged-heading", Severity.ERROR),
    ProblemRule("SYN022", "broken-front-matter", Severity.WARNING,
        claims=("broken-front-matter", "memory-without-front-matter", "text-before-front-matter")),
    ProblemRule("SYN023", "bad-memory-field", Severity.WARNING,
        claims=("bad-memory-field", "unknown-memory-field"), fix=write_near_word),
    ProblemRule("SYN024", "unreadable-event", Severity.WARNING),
    ProblemRule("SYN025", "odd-memory-part", Severity.WARNING,
        claims=("unknown-memory-part", "repeated-memory-part"), fix=write_near_word),
    TreeRule("SYN026", "repeated-memory-id", Severity.WARNING, (FileKind.LONG_TERM,),
        reads={"memory-id": Reach.EVERYWHERE}),
    TreeRule("SYN027", "dangling-index-entry", Severity.WARNING, (FileKind.MEMORY_INDEX,),
        reads={"file": Reach.EVERYWHERE, "memory-id": Reach.EVERYWHERE}),
    TreeRule("SYN028", "unlisted-memory", Severity.HINT, (FileKind.LONG_TERM,),
        reads={"file": Reach.EVERYWHERE, "index": Reach.EVERYWHERE}),
    TreeRule("SYN029", "stray-memory-link", Severity.WARNING,
        (FileKind.LONG_TERM, FileKind.MEMORY_INDEX), reads={"file": Reach.EVERYWHERE}),
    ProblemRule("SYN030", "bad-access-line", Severity.INFO),
    TreeRule("SYN031", "core-over-budget", Severity.WARNING, (FileKind.SHORT_TERM,),
        reads={"identity": Reach.EVERYWHERE, "setting": Reach.EVERYWHERE}),
    TreeRule("SYN032", "section-without-file", Severity.WARNING, (FileKind.CONFIG,),
        reads={"file": Reach.EVERYWHERE}),
)  # fmt: skip
