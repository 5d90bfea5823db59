"""Lint rules about syntax and keys: the table of those that name what a parser or the loader has
found.

Their pages are the Markdown files beside it; a rule with a check is a module of its own.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import (
    delete_repeated_line,
    give_keys,
    mend_yaml_lines,
    move_note_up,
    renumber_rule,
    write_listed_settings,
    write_near_setting,
    write_near_word,
    write_new_key,
    write_safe_suggestion,
    write_suggestion,
)
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Severity

PROBLEM_RULES = (
    ProblemRule(
        code="SYN101",
        name="unreadable-file",
        severity=Severity.ERROR,
        claims=(
            "unreadable",
            "not-a-file",
            "broken-link",
            "link-loop",
            "too-large",
            "too-many-settings",
            "binary",
            "bad-name",
            "late",
        ),
        remedy="Put a readable text file in its place, or delete it.",
    ),
    ProblemRule(
        code="SYN102",
        name="bad-encoding",
        severity=Severity.ERROR,
        claims=("not-utf8", "invalid-utf8", "nul-character", "byte-order-mark"),
    ),
    ProblemRule(
        code="SYN103",
        name="malformed-line",
        severity=Severity.ERROR,
        claims=("malformed-line",),
        fix=write_suggestion,
    ),
    ProblemRule(
        code="SYN104",
        name="unknown-key",
        severity=Severity.WARNING,
        claims=("unknown-key",),
        fix=write_new_key,
    ),
    ProblemRule(
        code="SYN105",
        name="bad-state",
        severity=Severity.ERROR,
        severity_if_understood=Severity.HINT,
        claims=("bad-state",),
        fix=write_suggestion,
    ),
    ProblemRule(
        code="SYN106",
        name="bad-boolean",
        severity=Severity.WARNING,
        severity_if_understood=Severity.HINT,
        claims=("bad-boolean",),
        fix=write_suggestion,
    ),
    ProblemRule(
        code="SYN107",
        name="bad-number",
        severity=Severity.WARNING,
        claims=("bad-number",),
    ),
    ProblemRule(
        code="SYN108",
        name="duplicate-key",
        severity=Severity.WARNING,
        claims=("duplicate-key",),
        fix=delete_repeated_line,
    ),
    ProblemRule(
        code="SYN109",
        name="odd-domain-name",
        severity=Severity.HINT,
        claims=("odd-domain-name",),
    ),
    ProblemRule(
        code="SYN110",
        name="inline-comment",
        severity=Severity.WARNING,
        claims=("inline-comment",),
        fix=move_note_up,
    ),
    ProblemRule(
        code="SYN111",
        name="manifest-key-in-rules",
        severity=Severity.WARNING,
        claims=("manifest-key-in-rules",),
    ),
    ProblemRule(
        code="SYN112",
        name="prose-in-keyvalue",
        severity=Severity.ERROR,
        claims=("prose-in-keyvalue",),
        fix=give_keys,
    ),
    ProblemRule(
        code="SYN113",
        name="spaces-around-equals",
        severity=Severity.INFO,
        claims=("spaces-around-equals",),
        fix=write_safe_suggestion,
    ),
    ProblemRule(
        code="SYN114",
        name="odd-rule-key",
        severity=Severity.INFO,
        claims=("odd-index", "odd-key", "rule-attribute"),
    ),
    ProblemRule(
        code="SYN115",
        name="duplicate-index",
        severity=Severity.INFO,
        claims=("duplicate-index",),
        fix=renumber_rule,
    ),
    ProblemRule(
        code="SYN117",
        name="invalid-yaml",
        severity=Severity.ERROR,
        claims=("invalid-yaml", "yaml-too-large", "yaml-too-deep"),
        remedy="Correct the YAML.",
        fix=mend_yaml_lines,
    ),
    ProblemRule(
        code="SYN118",
        name="ambiguous-yaml",
        severity=Severity.WARNING,
        claims=("duplicate-yaml-key", "extra-yaml-document"),
        remedy="Delete the part that is not meant.",
    ),
    ProblemRule(
        code="SYN119",
        name="invalid-toml",
        severity=Severity.ERROR,
        checks_configuration=True,
        claims=("invalid-toml",),
        remedy="Correct the TOML.",
    ),
    ProblemRule(
        code="SYN121",
        name="bad-config",
        severity=Severity.WARNING,
        checks_configuration=True,
        claims=("unknown-config-key", "bad-config-value"),
        remedy="Correct the value, or delete the line.",
        fix=write_near_setting,
    ),
    ProblemRule(
        code="SYN129",
        name="invalid-test",
        severity=Severity.ERROR,
        claims=("bad-case",),
        remedy="Correct the case.",
        fix=write_near_word,
    ),
    ProblemRule(
        code="SYN133",
        name="listed-files",
        severity=Severity.INFO,
        claims=("listed-files",),
        fix=write_listed_settings,
    ),
    ProblemRule(
        code="SYN134",
        name="untold-code",
        severity=Severity.HINT,
        claims=("untold-code",),
        told_only=True,
    ),
)
