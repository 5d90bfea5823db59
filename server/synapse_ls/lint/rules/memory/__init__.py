"""Lint rules about memories, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint.fixes import write_near_word
from synapse_ls.lint.lint_rule import FileRule, LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import FileKind

RULES: tuple[LintRule, ...] = (
    ProblemRule("SYN901", "invalid-memory", Severity.WARNING),
    ProblemRule("SYN902", "bad-memory-value", Severity.WARNING,
        remedy="Write a value that the field can have, or delete the line.", fix=write_near_word),
    TreeRule("SYN903", "duplicate-memory", Severity.WARNING,
        (FileKind.MEMORY, FileKind.CHATI_MEMORY),
        reads={"memory": Reach.EVERYWHERE, "chati-memory": Reach.EVERYWHERE}),
    FileRule("SYN904", "misplaced-memory", Severity.INFO, (FileKind.MEMORY, FileKind.CHATI_MEMORY)),
    ProblemRule("SYN905", "expired-memory", Severity.HINT,
        remedy="Run `synapse memory gc`, or give it another date."),
)  # fmt: skip
