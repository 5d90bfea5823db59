"""Lint rules about the files of Chati.dev, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint.fixes import write_rule_id
from synapse_ls.lint.lint_rule import FileRule, LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import FileKind

RULES: tuple[LintRule, ...] = (
    ProblemRule("SYN040", "invalid-chati-file", Severity.WARNING, claims=("invalid-chati-session",
        "invalid-chati-config", "invalid-chati-task", "invalid-chati-memory",
        "invalid-chati-handoff", "invalid-chati-workflow"), remedy="Correct the field."),
    ProblemRule("SYN041", "invalid-chati-rule", Severity.WARNING, fix=write_rule_id),
    ProblemRule("SYN042", "unread-chati-key", Severity.WARNING),
    ProblemRule("SYN043", "agent-without-mission", Severity.WARNING,
        claims=("chati-agent-without-mission",)),
    TreeRule("SYN044", "wrong-article-count", Severity.INFO,
        (FileKind.CHATI_DOMAIN, FileKind.CHATI_CONSTITUTION, FileKind.CHATI_BRACKETS),
        reads={"chati": Reach.EVERYWHERE}),
    TreeRule("SYN045", "conflicting-threshold", Severity.INFO,
        (FileKind.CHATI_DOMAIN, FileKind.CHATI_CONSTITUTION), reads={"chati": Reach.EVERYWHERE}),
    FileRule("SYN046", "conflicting-session-state", Severity.WARNING, (FileKind.CHATI_SESSION,)),
    TreeRule("SYN047", "unknown-chati-agent", Severity.WARNING, (FileKind.CHATI_SESSION,
        FileKind.CHATI_DOMAIN, FileKind.CHATI_WORKFLOW, FileKind.CHATI_TASK),
        reads={"chati": Reach.EVERYWHERE}),
    TreeRule("SYN048", "dangling-handoff", Severity.WARNING,
        (FileKind.CHATI_SESSION, FileKind.CHATI_HANDOFF), reads={"chati": Reach.EVERYWHERE}),
    TreeRule("SYN049", "duplicate-gotcha", Severity.INFO,
        (FileKind.CHATI_GOTCHAS, FileKind.CHATI_TRACKED), reads={"chati": Reach.EVERYWHERE}),
    FileRule("SYN050", "odd-bracket-table", Severity.WARNING, (FileKind.CHATI_BRACKETS,)),
    TreeRule("SYN051", "chati-over-budget", Severity.WARNING,
        (FileKind.CHATI_DOMAIN, FileKind.CHATI_CONSTITUTION), reads={"chati": Reach.EVERYWHERE}),
)  # fmt: skip
