"""Lint rules about what rules say, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint.fixes import write_suggestion
from synapse_ls.lint.lint_rule import FileRule, LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import RULE_KINDS, RULE_TEXT_KINDS, FileKind

RULES: tuple[LintRule, ...] = (
    ProblemRule("SYN501", "command-without-rules", Severity.WARNING),
    ProblemRule("SYN502", "article-without-title", Severity.INFO),
    ProblemRule("SYN503", "unknown-severity", Severity.WARNING, fix=write_suggestion),
    FileRule("SYN504", "duplicate-command", Severity.INFO, (FileKind.COMMANDS,)),
    TreeRule("SYN505", "command-collision", Severity.HINT, (FileKind.COMMANDS,),
        reads={"agent": Reach.EVERYWHERE, "agent-command": Reach.EVERYWHERE}),
    TreeRule("SYN506", "contradicting-authority", Severity.WARNING, (FileKind.RULES,),
        reads={"authority": Reach.FOLDER, "domain": Reach.SERVED, "file": Reach.FOLDER}),
    TreeRule("SYN507", "repeated-rule", Severity.INFO, RULE_TEXT_KINDS, reads_text=True,
        reads={"rule": Reach.FOLDER, "domain": Reach.SERVED, "file": Reach.FOLDER}),
    FileRule("SYN508", "long-rule", Severity.HINT, RULE_TEXT_KINDS, default=False, reads_text=True),
    FileRule("SYN509", "several-rules-in-one", Severity.HINT, RULE_TEXT_KINDS, default=False,
        reads_text=True),
    FileRule("SYN510", "unreadable-boundary", Severity.WARNING, RULE_KINDS),
    FileRule("SYN511", "boundary-without-command", Severity.HINT, (FileKind.RULES,), default=False),
    FileRule("SYN512", "unreadable-check", Severity.WARNING, RULE_KINDS),
    TreeRule("SYN513", "unknown-delegate", Severity.WARNING, (FileKind.RULES,),
        reads={"agent": Reach.EVERYWHERE, "trigger": Reach.EVERYWHERE, "squad": Reach.EVERYWHERE}),
)  # fmt: skip
