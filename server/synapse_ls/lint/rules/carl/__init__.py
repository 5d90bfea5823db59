"""Lint rules about the files of CARL, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint.lint_rule import LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import RULE_KINDS

RULES: tuple[LintRule, ...] = (
    ProblemRule("SYN010", "invalid-carl-json", Severity.ERROR, remedy="Correct the JSON."),
    TreeRule("SYN011", "env-file", Severity.HINT, RULE_KINDS,
        reads={"domain": Reach.SERVED, "file": Reach.FOLDER}),
)  # fmt: skip
