"""This module completes files of tree tests: fields of a case, and the names of the tree that they
use.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from synapse_ls.formats.config_option import Option
from synapse_ls.formats.tree_tests import BY_NAME, OPTIONS, TABLE
from synapse_ls.ide.completion import known_names, toml_completion
from synapse_ls.ide.completion.completion_item import CompletionItem, CompletionOffer
from synapse_ls.ide.completion.line_context import LineContext
from synapse_ls.ide.tree_view import View
from synapse_ls.workspace.file_facts import FileFacts


def complete(view: View, facts: FileFacts, place: LineContext) -> CompletionOffer | None:
    """Returns the completions at a place of a file of tree tests."""
    schema = toml_completion.TomlSchema(
        _header_items, _field_items, _case_option, partial(_value_items, view)
    )
    return toml_completion.complete_toml(schema, facts, place)


def _header_items(_: FileFacts, typed: str) -> Iterator[CompletionItem]:
    text = f"{'[' * (2 - len(typed))}{TABLE}]]"
    yield CompletionItem(f"[[{TABLE}]]", "key", text, detail="a case", topic=("case", ""))


def _field_items(table: str, taken: frozenset[str]) -> Iterator[CompletionItem]:
    if table != TABLE:
        yield CompletionItem(f"[[{TABLE}]]", "key", detail="a case", topic=("case", ""))
        return
    for option in OPTIONS:
        if option.path not in taken:
            text = f"{option.path} = "
            yield CompletionItem(option.path, "key", text, "", option.kind, ("case", option.path))


def _case_option(table: str, key: str) -> Option | None:
    return BY_NAME.get(key) if table == TABLE else None


def _value_items(view: View, _: str, option: Option) -> Iterable[CompletionItem]:
    words = _SUPPLIERS.get(option.path)
    return words(view) if words else ()


def _domain_items(view: View) -> Iterator[CompletionItem]:
    for label in view.plan.labels:
        yield CompletionItem(label, "value", detail="domain", topic=("domain", label))


def _rule_items(view: View) -> Iterator[CompletionItem]:
    for domain in view.tree.domains:
        for rule in view.tree.rules_of(domain):
            if rule.key:
                yield CompletionItem(rule.key, "rule", detail=rule.text)


def _bracket_items(view: View) -> Iterator[CompletionItem]:
    for bracket in view.plan.profile.brackets:
        yield CompletionItem(
            bracket.name, "bracket", detail=bracket.label, topic=("bracket", bracket.name)
        )


def _phase_items(view: View) -> Iterator[CompletionItem]:
    for workflow in view.tree.workflows:
        yield from known_names.rule_phase_items(view.tree, workflow)


_SUPPLIERS: Mapping[str, Callable[[View], Iterable[CompletionItem]]] = {
    "agent": lambda view: known_names.agent_items(view.tree),
    "workflow": lambda view: known_names.workflow_items(view.tree),
    "phase": _phase_items,
    "task": lambda view: known_names.task_items(view.tree),
    "story": lambda view: known_names.story_items(view.tree),
    "squad": lambda view: known_names.squad_items(view.tree),
    "bracket": _bracket_items,
    "domains": _domain_items,
    "no_domains": _domain_items,
    "rules": _rule_items,
    "no_rules": _rule_items,
}
