"""This module is the registry of lint rules: the modules of each family. To add a rule, add its line here.

A code's beginning says its family. A code that is given up is never used again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType

from synapse_ls.lint.lint_rule import LintRule, ProblemRule

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "syntax": (
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
        "listed_files",
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
        "untold_code",
    ),
    "references": (
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
    "keywords_and_triggers": (
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
    "brackets_and_budgets": (
        "budget_overflow",
        "unknown_bracket_key",
        "constitution_off",
        "sleeping_trigger",
        "never_fits",
        "contradicting_bracket_prose",
        "output_over_limit",
    ),
    "rule_content": (
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
        "unreadable_check",
        "boundary_without_command",
    ),
    "squads": (
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
    "workflows_and_tasks": (
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
    "safety": (
        "forged_markup",
        "path_leaves_workspace",
        "hidden_character",
        "mixed_script_key",
        "secret",
        "instruction_override",
        "world_writable",
        "private_in_git",
    ),
    "memory": (
        "invalid_memory",
        "bad_memory_value",
        "duplicate_memory",
        "misplaced_memory",
        "expired_memory",
    ),
    "carl": (
        "invalid_carl_json",
        "env_file",
    ),
    "brainiac": (
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
    "chati": (
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
}

_FAMILY_OF = {module: family for family, modules in FAMILIES.items() for module in modules}


def rule_module(name: str) -> ModuleType:
    """Returns the module of the rule ``name``, given in kebab-case or as the module's own name."""
    module = name.replace("-", "_")
    return import_module(f"synapse_ls.lint.rules.{_FAMILY_OF[module]}.{module}")


@cache
def all_rules() -> tuple[LintRule, ...]:
    """Returns every rule, sorted by code."""
    return tuple(
        sorted((rule_module(name).RULE for name in _FAMILY_OF), key=lambda rule: rule.code)
    )


@cache
def rules_by_problem_kind() -> Mapping[str, ProblemRule]:
    """Returns kind of a problem or load note -> the rule that reports it."""
    return MappingProxyType(
        {
            kind: rule
            for rule in all_rules()
            if isinstance(rule, ProblemRule)
            for kind in rule.claims
        }
    )
