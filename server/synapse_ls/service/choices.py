"""What a situation of a tree can be made of: for whoever offers a person to choose one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from synapse_ls.engine.plan import Plan
from synapse_ls.ide.completion import names
from synapse_ls.ide.completion.item import Item
from synapse_ls.ide.view import Compiled
from synapse_ls.workspace.tree import Tree


def choices_report(compiled: Compiled) -> dict[str, Any]:
    """The brackets of the profile, and who and what the tree knows, in the order of the tree."""
    tree, plan = compiled.tree, compiled.plan
    workflows = [
        *_choices(names.workflows(tree)),
        *({"id": trigger, "title": ""} for trigger in plan.by_workflow),
    ]
    agents = [
        *_choices(names.agents(tree)),
        *({"id": trigger, "title": ""} for trigger in plan.by_agent),
    ]
    return {
        "brackets": _brackets(plan),
        "agents": _once(agents),
        "workflows": [
            {**one, "phases": [phase.label for phase in names.phases(tree, one["id"])]}
            for one in _once(workflows)
        ],
        "tasks": _once(_choices(names.tasks(tree), titled=False)),
        "stories": _once(_choices(names.stories(tree))),
        "squads": _once(_choices(names.squads(tree), titled=False)),
        "commands": [{"id": command.name, "title": ""} for command in tree.commands],
        "articles": _articles(tree),
    }


def _brackets(plan: Plan) -> list[dict[str, Any]]:
    return [
        {
            "name": bracket.name,
            "label": bracket.label,
            "floor": float(bracket.floor),
            "budget": bracket.budget,
            "layers": sorted(bracket.layers),
        }
        for bracket in plan.profile.brackets
    ]


def _articles(tree: Tree) -> list[dict[str, Any]]:
    """The articles of the constitution, each with the rule that is its title."""
    domain = tree.labels.get("CONSTITUTION")
    rules = tree.rules_of(domain) if domain else ()
    found = {rule.qualifier: rule.text for rule in reversed(rules) if rule.kind == "article"}
    return [{"id": number, "title": found[number]} for number in sorted(found, key=int)]


def _choices(items: Iterable[Item], *, titled: bool = True) -> list[dict[str, Any]]:
    """``titled``: whether an item's detail is its title, and not where it is."""
    return [{"id": item.label, "title": item.detail if titled else ""} for item in items]


def _once(choices: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Of two spellings of an id the first, which is that of its file."""
    found: dict[str, dict[str, Any]] = {}
    for choice in choices:
        found.setdefault(choice["id"].casefold().replace("_", "-"), choice)
    return list(found.values())
