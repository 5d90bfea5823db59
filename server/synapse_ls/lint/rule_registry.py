"""The registry of lint rules: the families, and the rules in the tables of their folders.

A new rule gets the highest code of its family plus one; codes are never reused.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import NamedTuple

from synapse_ls.lint.lint_rule import LintRule, ProblemRule


class Family(NamedTuple):
    """A family of lint rules, those of one folder: its title, and how their codes begin."""

    title: str
    prefixes: tuple[str, ...]


# Folder of `synapse_ls.lint.rules`, whose `RULES` are its rules -> what is in it.
FAMILIES: Mapping[str, Family] = {
    "syntax": Family("Syntax and keys", ("SYN1",)),
    "references": Family("References between files", ("SYN2",)),
    "keywords_and_triggers": Family("Activation and keywords", ("SYN3",)),
    "brackets_and_budgets": Family("Brackets and budgets", ("SYN4",)),
    "rule_content": Family("Rule content", ("SYN5",)),
    "squads": Family("Squads", ("SYN6",)),
    "workflows_and_tasks": Family("Workflows, tasks, stories, agents and sessions", ("SYN7",)),
    "safety": Family("Safety", ("SYN8",)),
    "memory": Family("Memory", ("SYN9",)),
    "carl": Family("CARL", ("SYN01",)),
    "brainiac": Family("Brainiac", ("SYN02", "SYN03")),
    "chati": Family("Chati.dev", ("SYN04", "SYN05")),
}

# Codes between others that no rule has. They stay unused, and one that is given up joins them:
# somebody's configuration may name it.
UNUSED_CODES = ("SYN208", "SYN311")


def family_of_code(code: str) -> str:
    """Return the folder of the lint rules whose codes begin as ``code`` does; "" where none do."""
    names = (name for name, family in FAMILIES.items() if code.startswith(family.prefixes))
    return next(names, "")


@cache
def family_rules(family: str) -> tuple[LintRule, ...]:
    """Return the lint rules of a family, in the order of its table."""
    rules: tuple[LintRule, ...] = import_module(f"synapse_ls.lint.rules.{family}").RULES
    return rules


@cache
def all_rules() -> tuple[LintRule, ...]:
    """Return every lint rule, sorted by code."""
    rules = (rule for family in FAMILIES for rule in family_rules(family))
    return tuple(sorted(rules, key=lambda rule: rule.code))


def rule_module(rule: LintRule) -> ModuleType:
    """Return the module of a lint rule that has its ``check`` and its page."""
    family, module = family_of_code(rule.code), rule.name.replace("-", "_")
    return import_module(f"synapse_ls.lint.rules.{family}.{module}")


@cache
def rules_by_problem_kind() -> Mapping[str, ProblemRule]:
    """Return kind of a problem, of a parser or the loader -> the lint rule that reports it."""
    rules = (rule for rule in all_rules() if isinstance(rule, ProblemRule))
    return MappingProxyType({kind: rule for rule in rules for kind in rule.problem_kinds})


def rule_file(family: str, rule: LintRule) -> str:
    """Return the file below ``lint/rules`` that has the page of a rule."""
    if isinstance(rule, ProblemRule):
        return f"{family}/{rule.name}.md"
    return f"{family}/{rule.name.replace('-', '_')}.py"
