"""Lint rules about what activates a domain, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint.fixes import mend_pattern, write_safe_suggestion
from synapse_ls.lint.lint_rule import FileRule, LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import FileKind

RULES: tuple[LintRule, ...] = (
    ProblemRule("SYN301", "empty-recall-item", Severity.INFO, fix=write_safe_suggestion),
    TreeRule("SYN302", "shadowed-recall", Severity.WARNING, (FileKind.MANIFEST,), reads_text=True,
        reads={"setting": Reach.EVERYWHERE}),
    TreeRule("SYN303", "unknown-agent-trigger", Severity.WARNING, (FileKind.MANIFEST,),
        reads={"agent": Reach.EVERYWHERE, "trigger": Reach.EVERYWHERE, "squad": Reach.FOLDER}),
    TreeRule("SYN304", "unknown-workflow-trigger", Severity.WARNING, (FileKind.MANIFEST,),
        reads={"workflow": Reach.EVERYWHERE, "setting": Reach.EVERYWHERE}),
    FileRule("SYN305", "shared-trigger", Severity.INFO, (FileKind.MANIFEST,)),
    TreeRule("SYN306", "short-keyword", Severity.INFO, (FileKind.MANIFEST,), reads_text=True),
    FileRule("SYN307", "common-keyword", Severity.HINT, (FileKind.MANIFEST,), default=False,
        reads_text=True),
    TreeRule("SYN308", "contained-keyword", Severity.HINT, (FileKind.MANIFEST,), default=False,
        reads_text=True),
    TreeRule("SYN309", "dead-list-item", Severity.WARNING, (FileKind.MANIFEST,), reads_text=True),
    FileRule("SYN310", "recall-without-effect", Severity.WARNING, (FileKind.MANIFEST,),
        reads_text=True),
    TreeRule("SYN312", "dormant-domain", Severity.WARNING, (FileKind.MANIFEST,), reads_text=True,
        reads={"domain": Reach.FOLDER, "file": Reach.FOLDER, "content": Reach.FOLDER}),
    TreeRule("SYN313", "glob-in-exclude", Severity.INFO, (FileKind.MANIFEST,),
        reads={"setting": Reach.EVERYWHERE}),
    ProblemRule("SYN314", "dead-pattern", Severity.WARNING, fix=mend_pattern),
)  # fmt: skip
