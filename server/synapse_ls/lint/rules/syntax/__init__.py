"""Lint rules about syntax and keys: the table of those that name what a parser or the loader has
found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from synapse_ls.lint.fixes import (
    delete_repeated_line,
    mend_prose,
    mend_yaml_lines,
    move_note_up,
    renumber_rule,
    write_listed_settings,
    write_near_setting,
    write_near_word,
    write_new_key,
    write_rule_keys,
    write_safe_suggestion,
    write_suggestion,
)
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        "SYN101",
        "unreadable-file",
        Severity.ERROR,
        claims=(
            "unreadable",
            "not-a-file",
            "broken-link",
            "link-loop",
            "too-large",
            "too-deep",
            "too-many-settings",
            "binary",
            "bad-name",
            "late",
        ),
        remedy="Put a readable text file in its place, or delete it.",
    ),
    ProblemRule(
        "SYN102",
        "bad-encoding",
        Severity.ERROR,
        claims=("not-utf8", "invalid-utf8", "nul-character", "byte-order-mark"),
    ),
    ProblemRule("SYN103", "malformed-line", Severity.ERROR, fix=write_suggestion),
    ProblemRule("SYN104", "unknown-key", Severity.WARNING, fix=write_new_key),
    ProblemRule(
        "SYN105",
        "bad-state",
        Severity.ERROR,
        severity_if_understood=Severity.HINT,
        fix=write_suggestion,
    ),
    ProblemRule(
        "SYN106",
        "bad-boolean",
        Severity.WARNING,
        severity_if_understood=Severity.HINT,
        fix=write_suggestion,
    ),
    ProblemRule("SYN107", "bad-number", Severity.WARNING, fix=write_suggestion),
    ProblemRule("SYN108", "duplicate-key", Severity.WARNING, fix=delete_repeated_line),
    ProblemRule("SYN109", "odd-domain-name", Severity.HINT),
    ProblemRule("SYN110", "inline-comment", Severity.WARNING, fix=move_note_up),
    ProblemRule("SYN111", "manifest-key-in-rules", Severity.WARNING),
    ProblemRule("SYN112", "prose-in-keyvalue", Severity.ERROR, fix=mend_prose),
    ProblemRule("SYN113", "spaces-around-equals", Severity.INFO, fix=write_safe_suggestion),
    ProblemRule(
        "SYN114",
        "odd-rule-key",
        Severity.INFO,
        claims=("odd-index", "odd-key", "rule-attribute"),
        fix=write_rule_keys,
    ),
    ProblemRule("SYN115", "duplicate-index", Severity.INFO, fix=renumber_rule),
    ProblemRule(
        "SYN117",
        "invalid-yaml",
        Severity.ERROR,
        claims=("invalid-yaml", "yaml-too-large", "yaml-too-deep"),
        remedy="Correct the YAML.",
        fix=mend_yaml_lines,
    ),
    ProblemRule(
        "SYN118",
        "ambiguous-yaml",
        Severity.WARNING,
        claims=("duplicate-yaml-key", "extra-yaml-document"),
        remedy="Delete the part that is not meant.",
    ),
    ProblemRule(
        "SYN119",
        "invalid-toml",
        Severity.ERROR,
        checks_configuration=True,
        remedy="Correct the TOML.",
        fix=write_suggestion,
    ),
    ProblemRule(
        "SYN121",
        "bad-config",
        Severity.WARNING,
        claims=("unknown-config-key", "bad-config-value"),
        checks_configuration=True,
        remedy="Correct the value, or delete the line.",
        fix=write_near_setting,
    ),
    ProblemRule(
        "SYN129",
        "invalid-test",
        Severity.ERROR,
        claims=("bad-case",),
        remedy="Correct the case.",
        fix=write_near_word,
    ),
    ProblemRule("SYN133", "listed-files", Severity.INFO, fix=write_listed_settings),
    ProblemRule("SYN134", "untold-code", Severity.HINT, told_only=True),
    ProblemRule("SYN135", "debug-left-on", Severity.INFO, fix=write_suggestion),
)
