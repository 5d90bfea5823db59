"""Lint rules about syntax and keys, by code.

A rule with a check is a module of its name, which is its page too; the page of any other is a
Markdown file.
"""

from synapse_ls.lint import fixes
from synapse_ls.lint.comment_syntax import COMMENT_STYLES
from synapse_ls.lint.lint_rule import FileRule, LintRule, ProblemRule, Reach, TreeRule
from synapse_ls.text.finding import Severity
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind

# Those that the linter itself knows.
MERGE_CONFLICT = FileRule(
    "SYN130",
    "merge-conflict",
    Severity.ERROR,
    frozenset(FileKind) - {FileKind.COMPONENT, FileKind.SYNCED},
)
UNUSED_SUPPRESSION = LintRule("SYN127", "unused-suppression", Severity.WARNING)
BARE_SUPPRESSION = FileRule(
    "SYN131", "bare-suppression", Severity.INFO, COMMENT_STYLES, default=False
)

RULES: tuple[LintRule, ...] = (
    ProblemRule("SYN101", "unreadable-file", Severity.ERROR, claims=("unreadable", "not-a-file",
        "broken-link", "link-loop", "too-large", "too-deep", "too-many-settings", "binary",
        "bad-name", "late"), remedy="Put a readable text file in its place, or delete it."),
    ProblemRule("SYN102", "bad-encoding", Severity.ERROR,
        claims=("not-utf8", "invalid-utf8", "nul-character", "byte-order-mark")),
    ProblemRule("SYN103", "malformed-line", Severity.ERROR, fix=fixes.write_suggestion),
    ProblemRule("SYN104", "unknown-key", Severity.WARNING, fix=fixes.write_new_key),
    ProblemRule("SYN105", "bad-state", Severity.ERROR, severity_if_understood=Severity.HINT,
        fix=fixes.write_suggestion),
    ProblemRule("SYN106", "bad-boolean", Severity.WARNING, severity_if_understood=Severity.HINT,
        fix=fixes.write_suggestion),
    ProblemRule("SYN107", "bad-number", Severity.WARNING, fix=fixes.write_suggestion),
    ProblemRule("SYN108", "duplicate-key", Severity.WARNING, fix=fixes.delete_repeated_line),
    ProblemRule("SYN109", "odd-domain-name", Severity.HINT),
    ProblemRule("SYN110", "inline-comment", Severity.WARNING, fix=fixes.move_note_up),
    ProblemRule("SYN111", "manifest-key-in-rules", Severity.WARNING),
    ProblemRule("SYN112", "prose-in-keyvalue", Severity.ERROR, fix=fixes.mend_prose),
    ProblemRule("SYN113", "spaces-around-equals", Severity.INFO, fix=fixes.write_safe_suggestion),
    ProblemRule("SYN114", "odd-rule-key", Severity.INFO,
        claims=("odd-index", "odd-key", "rule-attribute"), fix=fixes.write_rule_keys),
    ProblemRule("SYN115", "duplicate-index", Severity.INFO, fix=fixes.renumber_rule),
    TreeRule("SYN116", "foreign-key-prefix", Severity.INFO, (FileKind.RULES,),
        reads={"domain": Reach.SERVED, "file": Reach.FOLDER}),
    ProblemRule("SYN117", "invalid-yaml", Severity.ERROR,
        claims=("invalid-yaml", "yaml-too-large", "yaml-too-deep"), remedy="Correct the YAML.",
        fix=fixes.mend_yaml_lines),
    ProblemRule("SYN118", "ambiguous-yaml", Severity.WARNING,
        claims=("duplicate-yaml-key", "extra-yaml-document"),
        remedy="Delete the part that is not meant."),
    ProblemRule("SYN119", "invalid-toml", Severity.ERROR, checks_configuration=True,
        remedy="Correct the TOML.", fix=fixes.write_suggestion),
    FileRule("SYN120", "missing-state", Severity.HINT, (FileKind.MANIFEST,), default=False),
    ProblemRule("SYN121", "bad-config", Severity.WARNING,
        claims=("unknown-config-key", "bad-config-value"), checks_configuration=True,
        remedy="Correct the value, or delete the line.", fix=fixes.write_near_setting),
    FileRule("SYN122", "unknown-profile", Severity.ERROR, (FileKind.CONFIG,),
        checks_configuration=True),
    FileRule("SYN123", "unknown-rule-code", Severity.WARNING, COMMENT_STYLES,
        checks_configuration=True),
    FileRule("SYN124", "index-gap", Severity.HINT, RULE_KINDS, default=False),
    FileRule("SYN125", "heading-as-comment", Severity.INFO,
        (FileKind.RULES, FileKind.CONTEXT, FileKind.CONSTITUTION)),
    TreeRule("SYN126", "placeholder", Severity.WARNING, (FileKind.MANIFEST, *RULE_KINDS),
        reads={"domain": Reach.SERVED, "file": Reach.FOLDER}),
    UNUSED_SUPPRESSION,
    FileRule("SYN128", "mixed-line-ends", Severity.INFO, COMMENT_STYLES),
    ProblemRule("SYN129", "invalid-test", Severity.ERROR, claims=("bad-case",),
        remedy="Correct the case.", fix=fixes.write_near_word),
    MERGE_CONFLICT,
    BARE_SUPPRESSION,
    FileRule("SYN132", "bad-profile", Severity.WARNING, (FileKind.CONFIG,),
        checks_configuration=True),
    ProblemRule("SYN133", "listed-files", Severity.INFO, fix=fixes.write_listed_settings),
    ProblemRule("SYN134", "untold-code", Severity.HINT, told_only=True),
    ProblemRule("SYN135", "debug-left-on", Severity.INFO, fix=fixes.write_suggestion),
)  # fmt: skip
