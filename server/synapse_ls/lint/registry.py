"""Every rule, by the name of the module that holds it. To add a rule, add its line here.

Families: SYN1 syntax and keys, SYN2 references between files, SYN3 activation and keywords, SYN4
brackets and budgets, SYN5 rule content, SYN6 squads, SYN7 state of workflows, tasks, stories,
agents and sessions (SYN74 and SYN75 those of Chati.dev), SYN8 safety (from SYN82 on the files of Brainiac and sections), SYN9 memory. A code that is given up is never used again.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType

from synapse_ls.lint.rule import ProblemRule, Rule

MODULES = (
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
    "invalid_carl_json",
    "env_file",
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
    "budget_overflow",
    "unknown_bracket_key",
    "constitution_off",
    "sleeping_trigger",
    "never_fits",
    "contradicting_bracket_prose",
    "output_over_limit",
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
    "invalid_squad",
    "bad_extends",
    "conflicting_extends",
    "squad_name_collision",
    "missing_component",
    "forbidden_override",
    "squad_without_rules",
    "squad_name_mismatch",
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
    "forged_markup",
    "path_leaves_workspace",
    "hidden_character",
    "mixed_script_key",
    "secret",
    "instruction_override",
    "world_writable",
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
    "invalid_memory",
    "bad_memory_value",
    "duplicate_memory",
    "misplaced_memory",
    "expired_memory",
)


def module_of(name: str) -> ModuleType:
    """The module of the rule ``name``, given in kebab-case or as the module's own name."""
    return import_module(f"synapse_ls.lint.rules.{name.replace('-', '_')}")


@cache
def rules() -> tuple[Rule, ...]:
    """Every rule, by code."""
    return tuple(module_of(name).RULE for name in MODULES)


@cache
def claimed() -> Mapping[str, ProblemRule]:
    """Kind of a problem or load note -> the rule that takes it over."""
    return MappingProxyType(
        {kind: rule for rule in rules() if isinstance(rule, ProblemRule) for kind in rule.claims}
    )
