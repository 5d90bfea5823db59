"""Lint rules about references between files, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint.fixes import write_suggestion
from synapse_ls.lint.lint_rule import LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind

RULES: tuple[LintRule, ...] = (
    TreeRule("SYN201", "domain-without-file", Severity.WARNING, (FileKind.MANIFEST,),
        reads={"file": Reach.FOLDER, "domain": Reach.FOLDER}),
    TreeRule("SYN202", "file-without-domain", Severity.WARNING, RULE_KINDS,
        reads={"domain": Reach.SERVED, "file": Reach.FOLDER}),
    TreeRule("SYN203", "stale-constitution", Severity.WARNING, (FileKind.CONSTITUTION,),
        reads={"source": Reach.EVERYWHERE}),
    TreeRule("SYN204", "duplicate-id", Severity.WARNING,
        (FileKind.AGENT, FileKind.WORKFLOW, FileKind.TASK),
        reads=dict.fromkeys(("agent", "workflow", "task"), Reach.FOLDER)),
    TreeRule("SYN205", "unknown-squad", Severity.WARNING, (FileKind.SQUAD, FileKind.WORKFLOW_STATE),
        reads={"squad": Reach.EVERYWHERE, "file": Reach.EVERYWHERE}),
    TreeRule("SYN206", "unknown-phase", Severity.WARNING, (FileKind.RULES,),
        reads={"domain": Reach.SERVED, "workflow": Reach.EVERYWHERE, "steps": Reach.EVERYWHERE,
        "setting": Reach.EVERYWHERE}),
    TreeRule("SYN207", "empty-domain", Severity.WARNING, RULE_KINDS,
        reads={"domain": Reach.SERVED, "file": Reach.FOLDER}),
    TreeRule("SYN209", "unknown-in-test", Severity.WARNING, (FileKind.TESTS,),
        reads={"domain": Reach.EVERYWHERE, "file": Reach.EVERYWHERE, "agent": Reach.EVERYWHERE,
        "workflow": Reach.EVERYWHERE, "setting": Reach.EVERYWHERE, "rules": Reach.EVERYWHERE}),
    ProblemRule("SYN210", "twin-domain", Severity.WARNING),
    TreeRule("SYN211", "stale-synced-file", Severity.WARNING, (FileKind.SYNCED,),
        reads={"content": Reach.EVERYWHERE, "file": Reach.EVERYWHERE}),
    ProblemRule("SYN212", "two-systems", Severity.WARNING, remedy="Remove one of the two."),
    TreeRule("SYN213", "rule-in-client-file", Severity.WARNING,
        (FileKind.SYNCED, FileKind.INSTRUCTIONS),
        reads={"content": Reach.EVERYWHERE, "file": Reach.EVERYWHERE}),
    ProblemRule("SYN214", "dead-import", Severity.WARNING, fix=write_suggestion),
    TreeRule("SYN215", "adopted-source", Severity.WARNING, (FileKind.CONFIG,),
        reads={"file": Reach.EVERYWHERE, "content": Reach.EVERYWHERE}),
    TreeRule("SYN216", "unread-client-file", Severity.INFO,
        (FileKind.SYNCED, FileKind.INSTRUCTIONS), reads={"file": Reach.FOLDER}),
)  # fmt: skip
