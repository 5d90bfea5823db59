"""Lint rules about safety, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint import comment_syntax, fixes
from synapse_ls.lint.lint_rule import FileRule, LintRule, ProblemRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.path_classification import BRAINIAC_KINDS

RULES: tuple[LintRule, ...] = (
    ProblemRule("SYN801", "forged-markup", Severity.ERROR, fix=fixes.write_suggestion),
    ProblemRule("SYN802", "path-leaves-workspace", Severity.WARNING,
        claims=("outside", "outside-folder", "path-leaves-root"),
        remedy="Move the files into the workspace."),
    FileRule("SYN803", "hidden-character", Severity.ERROR, comment_syntax.COMMENT_STYLES),
    FileRule("SYN804", "mixed-script-key", Severity.WARNING, comment_syntax.COMMENT_STYLES),
    FileRule("SYN805", "secret", Severity.ERROR, comment_syntax.COMMENT_STYLES),
    FileRule("SYN806", "instruction-override", Severity.WARNING, (*RULE_KINDS, FileKind.AGENT,
        FileKind.TASK, FileKind.STORY, FileKind.MEMORY, FileKind.INSTRUCTIONS, *BRAINIAC_KINDS),
        reads_text=True),
    ProblemRule("SYN807", "world-writable", Severity.WARNING, default=False,
        remedy="Take away the right of others to write: chmod o-w."),
    ProblemRule("SYN808", "private-in-git", Severity.HINT),
)  # fmt: skip
