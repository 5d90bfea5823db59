"""Lint rules about squads, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint.fixes import write_meant_field, write_suggestion
from synapse_ls.lint.lint_rule import FileRule, LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import FileKind

RULES: tuple[LintRule, ...] = (
    ProblemRule("SYN601", "invalid-squad", Severity.WARNING, fix=write_meant_field),
    ProblemRule("SYN602", "bad-extends", Severity.WARNING, fix=write_suggestion),
    TreeRule("SYN603", "conflicting-extends", Severity.WARNING, (FileKind.MANIFEST,),
        reads={"squad": Reach.FOLDER}),
    TreeRule("SYN604", "squad-name-collision", Severity.WARNING,
        (FileKind.SQUAD, FileKind.MANIFEST),
        reads={"squad": Reach.EVERYWHERE, "domain": Reach.FOLDER}),
    TreeRule("SYN605", "missing-component", Severity.WARNING, (FileKind.SQUAD,),
        reads={"file": Reach.FOLDER}),
    TreeRule("SYN606", "forbidden-override", Severity.WARNING, (FileKind.MANIFEST,),
        reads={"squad": Reach.FOLDER, "domain": Reach.FOLDER, "setting": Reach.EVERYWHERE}),
    TreeRule("SYN607", "squad-without-rules", Severity.WARNING, (FileKind.MANIFEST,),
        reads={"squad": Reach.FOLDER, "file": Reach.FOLDER}),
    FileRule("SYN608", "squad-name-mismatch", Severity.INFO, (FileKind.SQUAD,)),
    ProblemRule("SYN609", "squad-without-manifest", Severity.INFO,
        remedy="Create a `squad.yaml` with `name` and `version`."),
)  # fmt: skip
