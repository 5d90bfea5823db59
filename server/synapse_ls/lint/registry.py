"""Every rule, by the name of the module that holds it. To add a rule, add its line here.

Families: SYN1 syntax and keys, SYN2 references between files, SYN3 activation and keywords, SYN4
brackets and budgets, SYN5 rule content, SYN6 squads, SYN7 state of workflows, tasks, stories,
agents and sessions, SYN8 safety. A code that is given up is never used again.
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
    "domain_without_file",
    "file_without_domain",
    "empty_recall_item",
    "shadowed_recall",
    "unknown_agent_trigger",
    "unknown_workflow_trigger",
    "shared_trigger",
    "budget_overflow",
    "unknown_bracket_key",
    "constitution_off",
    "command_without_rules",
    "article_without_title",
    "unknown_severity",
    "invalid_squad",
    "bad_extends",
    "conflicting_extends",
    "invalid_workflow_state",
    "invalid_workflow",
    "forged_markup",
    "path_leaves_workspace",
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
