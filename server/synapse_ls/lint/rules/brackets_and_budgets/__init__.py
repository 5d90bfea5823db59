"""Lint rules about brackets and budgets, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint.fixes import write_suggestion
from synapse_ls.lint.lint_rule import LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import FileKind

RULES: tuple[LintRule, ...] = (
    TreeRule("SYN401", "budget-overflow", Severity.INFO, (FileKind.MANIFEST,), reads_text=True,
        reads={"content": Reach.FOLDER, "file": Reach.FOLDER, "agent": Reach.EVERYWHERE,
        "setting": Reach.EVERYWHERE}),
    ProblemRule("SYN402", "unknown-bracket-key", Severity.ERROR, fix=write_suggestion),
    TreeRule("SYN403", "constitution-off", Severity.WARNING, (FileKind.MANIFEST,),
        reads={"file": Reach.FOLDER, "domain": Reach.FOLDER, "content": Reach.FOLDER}),
    TreeRule("SYN404", "sleeping-trigger", Severity.HINT, (FileKind.MANIFEST,),
        reads={"domain": Reach.EVERYWHERE, "file": Reach.EVERYWHERE, "content": Reach.FOLDER,
        "squad": Reach.EVERYWHERE}),
    TreeRule("SYN405", "never-fits", Severity.WARNING, (FileKind.MANIFEST,), reads_text=True,
        reads={"content": Reach.FOLDER, "file": Reach.FOLDER}),
    TreeRule("SYN406", "contradicting-bracket-prose", Severity.HINT, (FileKind.CONTEXT,)),
    TreeRule("SYN407", "output-over-limit", Severity.ERROR, (FileKind.MANIFEST,), reads_text=True,
        reads={"content": Reach.FOLDER, "file": Reach.FOLDER}),
)  # fmt: skip
