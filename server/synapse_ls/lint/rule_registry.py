"""The registry of lint rules: the families, each with the modules of its rules that have a check.

A rule that only names a parser's problem is a row of its family's table. A new rule gets the
highest code of its family plus one; codes are never reused.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib import import_module
from itertools import groupby
from types import MappingProxyType, ModuleType
from typing import NamedTuple

from synapse_ls.lint.lint_rule import FileRule, LintRule, ProblemRule, TreeRule
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.file_kinds import CHATI_KINDS, FileKind
from synapse_ls.workspace.naming_conventions import kebab_case
from synapse_ls.workspace.path_classification import BRAINIAC_KINDS

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
    """A family of lint rules, those of one folder: its title, how their codes begin, and the
    modules of those with a check, in the order of the codes. ``kinds`` are the files that it has a
    `FileRule` for, ``tree_kinds`` those that it has a `TreeRule` for: for another file none of its
    modules is imported.
    """

    title: str
    prefixes: tuple[str, ...]
    modules: tuple[str, ...]
    kinds: frozenset[FileKind] = _ALL_KINDS
    tree_kinds: frozenset[FileKind] = _ALL_KINDS


# Folder of `synapse_ls.lint.rules` -> what is in it.
FAMILIES: Mapping[str, Family] = {
    "syntax": Family(
        "Syntax and keys", ("SYN1",),
        ("foreign_key_prefix", "missing_state", "unknown_profile", "unknown_rule_code",
         "index_gap", "heading_as_comment", "placeholder", "unused_suppression", "mixed_line_ends",
         "merge_conflict", "bare_suppression", "bad_profile"),
    ),
    "references": Family(
        "References between files", ("SYN2",),
        ("domain_without_file", "file_without_domain", "stale_constitution", "duplicate_id",
         "unknown_squad", "unknown_phase", "empty_domain", "unknown_in_test", "stale_synced_file",
         "rule_in_client_file", "adopted_source", "unread_client_file"),
        frozenset(),
    ),
    "keywords_and_triggers": Family(
        "Activation and keywords", ("SYN3",),
        ("shadowed_recall", "unknown_agent_trigger", "unknown_workflow_trigger", "shared_trigger",
         "short_keyword", "common_keyword", "contained_keyword", "dead_list_item",
         "recall_without_effect", "dormant_domain", "glob_in_exclude"),
        frozenset({FileKind.MANIFEST, FileKind.CARL}),
    ),
    "brackets_and_budgets": Family(
        "Brackets and budgets", ("SYN4",),
        ("budget_overflow", "constitution_off", "sleeping_trigger", "never_fits",
         "contradicting_bracket_prose", "output_over_limit"),
        frozenset(),
    ),
    "rule_content": Family(
        "Rule content", ("SYN5",),
        ("duplicate_command", "command_collision", "contradicting_authority", "repeated_rule",
         "long_rule", "several_rules_in_one", "unreadable_boundary", "boundary_without_command",
         "unreadable_check", "unknown_delegate"),
        _RULE_TEXTS,
    ),
    "squads": Family(
        "Squads", ("SYN6",),
        ("conflicting_extends", "squad_name_collision", "missing_component", "forbidden_override",
         "squad_without_rules", "squad_name_mismatch"),
        frozenset({FileKind.SQUAD}),
    ),
    "workflows_and_tasks": Family(
        "Workflows, tasks, stories, agents and sessions", ("SYN7",),
        ("unknown_workflow", "unknown_step_agent", "task_without_criteria", "unknown_story_status",
         "invalid_agent", "unknown_executor", "state_out_of_step", "unknown_step_task",
         "unknown_assignee", "self_review", "unknown_step_command"),
        frozenset({FileKind.AGENT, FileKind.STORY, FileKind.TASK}),
    ),
    "safety": Family(
        "Safety", ("SYN8",),
        ("hidden_character", "mixed_script_key", "secret", "instruction_override"),
    ),
    "memory": Family(
        "Memory", ("SYN9",),
        ("duplicate_memory", "misplaced_memory"),
        frozenset({FileKind.MEMORY, FileKind.CHATI_MEMORY}),
        frozenset({FileKind.MEMORY, FileKind.CHATI_MEMORY}),
    ),
    "carl": Family(
        "CARL", ("SYN01",),
        ("env_file",),
        frozenset(),
    ),
    "brainiac": Family(
        "Brainiac", ("SYN02", "SYN03"),
        ("missing_identity", "repeated_memory_id", "dangling_index_entry", "unlisted_memory",
         "stray_memory_link", "core_over_budget", "section_without_file"),
        frozenset(),
        frozenset({FileKind.CONFIG, *BRAINIAC_KINDS}),
    ),
    "chati": Family(
        "Chati.dev", ("SYN04", "SYN05"),
        ("wrong_article_count", "conflicting_threshold", "conflicting_session_state",
         "unknown_chati_agent", "dangling_handoff", "duplicate_gotcha", "odd_bracket_table",
         "chati_over_budget"),
        frozenset({FileKind.CHATI_BRACKETS, FileKind.CHATI_SESSION}),
        CHATI_KINDS,
    ),
}  # fmt: skip

# Codes between others that no rule has. They stay unused, and one that is given up joins them:
# somebody's configuration may name it.
UNUSED_CODES = ("SYN208", "SYN311")


def rule_module(family: str, module: str) -> ModuleType:
    """Return the module of a lint rule with a check.

    Raises UserError where ``FAMILIES`` has one that is not there.
    """
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


def problem_rules(family: str) -> tuple[ProblemRule, ...]:
    """Return the rules of a family that report what a parser or the loader has found."""
    rules: tuple[ProblemRule, ...] = import_module(f"synapse_ls.lint.rules.{family}").PROBLEM_RULES
    return rules


def family_of_code(code: str) -> str:
    """Return the folder of the lint rules whose codes begin as ``code`` does; "" where none do."""
    names = (name for name, family in FAMILIES.items() if code.startswith(family.prefixes))
    return next(names, "")


@cache
def all_rules() -> tuple[LintRule, ...]:
    """Return every lint rule, sorted by code."""
    rules: list[LintRule] = []
    for name, family in FAMILIES.items():
        rules += problem_rules(name)
        rules += (rule_module(name, module).RULE for module in family.modules)
    return tuple(sorted(rules, key=lambda rule: rule.code))


@cache
def file_rules(kind: FileKind) -> tuple[FileRule, ...]:
    """Return the lint rules that check a file of a kind alone, sorted by code; modules of families
    that have none are not imported.
    """
    names = (name for name, family in FAMILIES.items() if kind in family.kinds)
    rules = (rule for rule in _checked_rules(names) if isinstance(rule, FileRule))
    return tuple(rule for rule in rules if kind in rule.kinds)


@cache
def tree_rules(kind: FileKind) -> tuple[TreeRule, ...]:
    """Return the lint rules that check a file of a kind against the others, sorted by code; modules
    of families that have none are not imported.
    """
    names = (name for name, family in FAMILIES.items() if kind in family.tree_kinds)
    rules = (rule for rule in _checked_rules(names) if isinstance(rule, TreeRule))
    return tuple(rule for rule in rules if kind in rule.kinds)


def _checked_rules(families: Iterable[str]) -> list[LintRule]:
    """Return the rules of some families that have a check, sorted by code."""
    rules: list[LintRule] = [
        rule_module(name, module).RULE for name in families for module in FAMILIES[name].modules
    ]
    return sorted(rules, key=lambda rule: rule.code)


@cache
def rules_by_problem_kind() -> Mapping[str, ProblemRule]:
    """Return kind of a problem, of a parser or the loader -> the lint rule that reports it."""
    rules = (rule for family in FAMILIES for rule in problem_rules(family))
    return MappingProxyType({kind: rule for rule in rules for kind in rule.problem_kinds})


def find_faults(files: Iterable[str]) -> list[str]:
    """Return a sentence for each fault of the registry: in ``FAMILIES``, and in what modules and
    tables say of their rules.

    ``files`` are those below ``lint/rules`` that a rule has: ``squads/empty_squad.py`` for one with
    a check, ``squads/bad-extends.md``, its page, for one without.
    """
    present = {path for path in files if not path.endswith("/__init__.py")}
    listed = {
        f"{name}/{module}.py" for name, family in FAMILIES.items() for module in family.modules
    }
    tables = {f"{name}/{rule.name}.md" for name in FAMILIES for rule in problem_rules(name)}
    faults = []
    for path in sorted(present - listed - tables):
        family, _, file = path.partition("/")
        if file.endswith(".md"):
            faults.append(f"{path} is the page of no rule in lint/rules/{family}/__init__.py.")
        else:
            faults.append(
                f"{path} is in no line of FAMILIES (lint/rule_registry.py): add "
                f"`{file.removesuffix('.py')}` to {family}."
            )
    for path in sorted(listed - present):
        family, _, file = path.partition("/")
        faults.append(
            f"FAMILIES (lint/rule_registry.py) has `{file.removesuffix('.py')}` in {family}, and "
            f"there is no lint/rules/{path}."
        )
    faults += [
        f"The rule `{path.partition('/')[2].removesuffix('.md')}` has no page lint/rules/{path}."
        for path in sorted(tables - present)
    ]
    # What is not there cannot be looked into.
    return faults or list(_rule_faults())


def _rule_faults() -> Iterator[str]:
    """Yield what is wrong with the names, codes and kinds of the rules."""
    coded = [(rule.code, rule.name) for name in FAMILIES for rule in problem_rules(name)]
    for name, family in FAMILIES.items():
        for module in family.modules:
            rule = getattr(rule_module(name, module), "RULE", None)
            if rule is None:
                yield f"{module}.py defines no RULE."
                continue
            coded.append((rule.code, f"{module}.py"))
            if rule.name != kebab_case(module):
                yield (
                    f"The rule of {module}.py has the name `{rule.name}`, and should have "
                    f"`{kebab_case(module)}`."
                )
            elif isinstance(rule, FileRule) and (more := set(rule.kinds) - family.kinds):
                kinds = ", ".join(sorted(kind.name for kind in more))
                yield (
                    f"{module}.py checks files by themselves that its family does not: add {kinds} "
                    "to its kinds in FAMILIES (lint/rule_registry.py)."
                )
            elif isinstance(rule, TreeRule) and (more := set(rule.kinds) - family.tree_kinds):
                kinds = ", ".join(sorted(kind.name for kind in more))
                yield (
                    f"{module}.py checks files that its family does not: add {kinds} to its "
                    "tree_kinds in FAMILIES (lint/rule_registry.py)."
                )
    for code, group in groupby(sorted(coded), key=lambda pair: pair[0]):
        owners = [owner for _, owner in group]
        if len(owners) > 1:
            yield f"{' and '.join(owners)} have the same code, {code}."
