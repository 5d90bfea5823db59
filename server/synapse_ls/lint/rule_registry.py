"""This module is the registry of lint rules: it lists the modules of each family. To add a rule,
add its line here.

A code's beginning says its family. A new rule has the highest code of its family plus one: one that is
given up is never used again.

This module finds faults of the registry of lint rules, what is wrong with their list, for those
who add one to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import groupby
from types import MappingProxyType, ModuleType
from typing import NamedTuple

from synapse_ls.lint.lint_rule import FileRule, LintRule, ProblemRule
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import FileKind
from synapse_ls.workspace.naming_conventions import kebab_case

_ALL_KINDS = frozenset(FileKind)
_RULE_TEXTS = frozenset(
    {
        FileKind.RULES,
        FileKind.COMMANDS,
        FileKind.CONSTITUTION,
        FileKind.CONTEXT,
        FileKind.INSTRUCTIONS,
        FileKind.CARL,
    }
)


class Family(NamedTuple):
    """A Family is a family of lint rules in the registry, those of one folder: its title, how their
    codes begin, and their modules in the order of the codes. ``kinds`` are the files that it has a
    `FileRule` for: to check another file alone none of its modules is imported.
    """

    title: str
    prefixes: tuple[str, ...]
    modules: tuple[str, ...]
    kinds: frozenset[FileKind] = _ALL_KINDS


FAMILIES: Mapping[str, Family] = {
    "syntax": Family(
        "Syntax and keys",
        ("SYN1",),
        (
            "unreadable_file",
            "bad_encoding",
            "malformed_line",
            "unknown_key",
            "bad_state",
            "bad_boolean",
            "bad_number",
            "duplicate_key",
            "odd_domain_name",
            "inline_comment",
            "manifest_key_in_rules",
            "prose_in_keyvalue",
            "spaces_around_equals",
            "odd_rule_key",
            "duplicate_index",
            "foreign_key_prefix",
            "invalid_yaml",
            "ambiguous_yaml",
            "invalid_toml",
            "missing_state",
            "bad_config",
            "unknown_profile",
            "unknown_rule_code",
            "index_gap",
            "heading_as_comment",
            "placeholder",
            "unused_suppression",
            "mixed_line_ends",
            "invalid_test",
            "merge_conflict",
            "bare_suppression",
            "bad_profile",
            "listed_files",
            "untold_code",
        ),
    ),
    "references": Family(
        "References between files",
        ("SYN2",),
        (
            "domain_without_file",
            "file_without_domain",
            "stale_constitution",
            "duplicate_id",
            "unknown_squad",
            "unknown_phase",
            "empty_domain",
            "unknown_in_test",
            "twin_domain",
            "stale_synced_file",
            "two_systems",
            "rule_in_client_file",
            "dead_import",
        ),
        frozenset(),
    ),
    "keywords_and_triggers": Family(
        "Activation and keywords",
        ("SYN3",),
        (
            "empty_recall_item",
            "shadowed_recall",
            "unknown_agent_trigger",
            "unknown_workflow_trigger",
            "shared_trigger",
            "short_keyword",
            "common_keyword",
            "contained_keyword",
            "dead_keyword",
            "recall_without_effect",
            "dormant_domain",
            "glob_in_exclude",
        ),
        frozenset({FileKind.MANIFEST, FileKind.CARL}),
    ),
    "brackets_and_budgets": Family(
        "Brackets and budgets",
        ("SYN4",),
        (
            "budget_overflow",
            "unknown_bracket_key",
            "constitution_off",
            "sleeping_trigger",
            "never_fits",
            "contradicting_bracket_prose",
            "output_over_limit",
        ),
        frozenset(),
    ),
    "rule_content": Family(
        "Rule content",
        ("SYN5",),
        (
            "command_without_rules",
            "article_without_title",
            "unknown_severity",
            "duplicate_command",
            "command_collision",
            "contradicting_authority",
            "repeated_rule",
            "long_rule",
            "several_rules_in_one",
            "unreadable_boundary",
            "boundary_without_command",
            "unreadable_check",
        ),
        _RULE_TEXTS,
    ),
    "squads": Family(
        "Squads",
        ("SYN6",),
        (
            "invalid_squad",
            "bad_extends",
            "conflicting_extends",
            "squad_name_collision",
            "missing_component",
            "forbidden_override",
            "squad_without_rules",
            "squad_name_mismatch",
            "squad_without_manifest",
        ),
        frozenset({FileKind.SQUAD}),
    ),
    "workflows_and_tasks": Family(
        "Workflows, tasks, stories, agents and sessions",
        ("SYN7",),
        (
            "invalid_workflow_state",
            "invalid_workflow",
            "unknown_workflow",
            "unknown_step_agent",
            "invalid_session",
            "stale_session",
            "task_without_criteria",
            "unknown_story_status",
            "invalid_agent",
            "unknown_executor",
            "state_out_of_step",
            "unknown_step_task",
            "unknown_assignee",
            "self_review",
            "invalid_workflow_chain",
            "unknown_step_command",
            "invalid_continuation",
        ),
        frozenset({FileKind.AGENT, FileKind.STORY, FileKind.TASK}),
    ),
    "safety": Family(
        "Safety",
        ("SYN8",),
        (
            "forged_markup",
            "path_leaves_workspace",
            "hidden_character",
            "mixed_script_key",
            "secret",
            "instruction_override",
            "world_writable",
            "private_in_git",
        ),
    ),
    "memory": Family(
        "Memory",
        ("SYN9",),
        (
            "invalid_memory",
            "bad_memory_value",
            "duplicate_memory",
            "misplaced_memory",
            "expired_memory",
        ),
        frozenset({FileKind.MEMORY, FileKind.CHATI_MEMORY}),
    ),
    "carl": Family(
        "CARL",
        ("SYN01",),
        (
            "invalid_carl_json",
            "env_file",
        ),
        frozenset(),
    ),
    "brainiac": Family(
        "Brainiac",
        ("SYN02", "SYN03"),
        (
            "missing_identity",
            "forged_heading",
            "broken_front_matter",
            "bad_memory_field",
            "unreadable_event",
            "odd_memory_part",
            "repeated_memory_id",
            "dangling_index_entry",
            "unlisted_memory",
            "stray_memory_link",
            "bad_access_line",
            "core_over_budget",
            "section_without_file",
        ),
        frozenset(),
    ),
    "chati": Family(
        "Chati.dev",
        ("SYN04", "SYN05"),
        (
            "invalid_chati_file",
            "invalid_chati_rule",
            "unread_chati_key",
            "agent_without_mission",
            "wrong_article_count",
            "conflicting_threshold",
            "conflicting_session_state",
            "unknown_chati_agent",
            "dangling_handoff",
            "duplicate_gotcha",
            "odd_bracket_table",
            "chati_over_budget",
        ),
        frozenset({FileKind.CHATI_BRACKETS, FileKind.CHATI_SESSION}),
    ),
}
"""Folder of `synapse_ls.lint.rules` -> what is in it."""

UNUSED_CODES = ("SYN208", "SYN311")
"""Codes between others that no rule has. They stay unused, and one that is given up joins them: somebody's
configuration may name it.
"""

_FAMILY_OF = {module: name for name, family in FAMILIES.items() for module in family.modules}


def rule_module(name: str) -> ModuleType:
    """Returns the module that the registry has for the lint rule ``name``, given in kebab-case or
    as the module's own name.

    Raises UserError where ``FAMILIES`` has no such module, or has one that is not there.
    """
    module = name.replace("-", "_")
    family = _FAMILY_OF.get(module)
    if family is None:
        raise UserError(
            f"FAMILIES (lint/rule_registry.py) has no module `{module}`.",
            "A rule has the name of its module, in kebab-case.",
        )
    path = f"synapse_ls.lint.rules.{family}.{module}"
    try:
        return import_module(path)
    except ModuleNotFoundError as error:
        if error.name not in (path, path.rpartition(".")[0]):
            raise
        raise UserError(
            f"FAMILIES (lint/rule_registry.py) has `{module}` in {family}, and there is no "
            f"lint/rules/{family}/{module}.py.",
            "Mend the name, or move one of the two.",
        ) from None


def family_of_code(code: str) -> Family | None:
    """Returns the family of lint rules whose codes begin as ``code`` does; None where none does."""
    return next((one for one in FAMILIES.values() if code.startswith(one.prefixes)), None)


@cache
def all_rules() -> tuple[LintRule, ...]:
    """Returns every lint rule of the registry, sorted by code."""
    return _load_rules(_FAMILY_OF)


@cache
def file_rules(kind: FileKind) -> tuple[FileRule, ...]:
    """Returns the lint rules that check a file of a kind alone, sorted by code; families that have none
    are not imported.
    """
    found = _load_rules(_modules_for_kind(kind))
    return tuple(rule for rule in found if isinstance(rule, FileRule) and kind in rule.kinds)


def _load_rules(modules: Iterable[str]) -> tuple[LintRule, ...]:
    return tuple(sorted((rule_module(name).RULE for name in modules), key=lambda rule: rule.code))


def _modules_for_kind(kind: FileKind) -> Iterator[str]:
    for family in FAMILIES.values():
        if kind in family.kinds:
            yield from family.modules


@cache
def problem_rule(problem: str, kind: FileKind) -> ProblemRule:
    """Returns the lint rule of the registry that reports a kind of problem in a file of a kind. Families
    that check such a file alone are asked first, and mostly no other.
    """
    for rule in _load_rules(_modules_for_kind(kind)):
        if isinstance(rule, ProblemRule) and problem in rule.claims:
            return rule
    return rules_by_problem_kind()[problem]


@cache
def rules_by_problem_kind() -> Mapping[str, ProblemRule]:
    """Returns kind of a problem or load note -> the lint rule of the registry that reports it."""
    return MappingProxyType(
        {
            kind: rule
            for rule in all_rules()
            if isinstance(rule, ProblemRule)
            for kind in rule.claims
        }
    )


def find_faults(files: Iterable[str]) -> list[str]:
    """Returns a sentence for each fault of the registry: in ``FAMILIES``, and in what its modules
    say of their rules.

    ``files`` are the modules that there are below ``lint/rules``, such as ``squads/bad_extends.py``.
    """
    there = {tuple(path.removesuffix(".py").split("/")) for path in files}
    listed = {(name, module) for name, family in FAMILIES.items() for module in family.modules}
    faults = [
        f"{family}/{module}.py is in no line of FAMILIES (lint/rule_registry.py): add `{module}` to {family}."
        for family, module in sorted(there - listed)
    ]
    faults += [
        f"FAMILIES (lint/rule_registry.py) has `{module}` in {family}, and there is no lint/rules/{family}/{module}.py."
        for family, module in sorted(listed - there)
    ]
    # What is not there cannot be looked into.
    return faults or list(_rule_faults())


def _rule_faults() -> Iterator[str]:
    """Yields what is wrong with the names, codes and kinds of the rules."""
    found = [
        (family, module, rule_module(module))
        for family in FAMILIES.values()
        for module in family.modules
    ]
    for family, module, code in found:
        if not hasattr(code, "RULE"):
            yield f"{module}.py defines no RULE."
        elif code.RULE.name != kebab_case(module):
            yield f"The rule of {module}.py has the name `{code.RULE.name}`, and should have `{kebab_case(module)}`."
        elif isinstance(code.RULE, FileRule) and (more := code.RULE.kinds - family.kinds):
            names = ", ".join(sorted(kind.name for kind in more))
            yield f"{module}.py checks files by themselves that its family does not: add {names} to its kinds in FAMILIES (lint/rule_registry.py)."
    coded = sorted((c.RULE.code, module) for _, module, c in found if hasattr(c, "RULE"))
    for code, group in groupby(coded, key=lambda pair: pair[0]):
        modules = [f"{module}.py" for _, module in group]
        if len(modules) > 1:
            yield f"{' and '.join(modules)} have the same code, {code}."
