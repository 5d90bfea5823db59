"""This module reads the definitions of agents for a plan: their names, aliases, commands and tasks,
cached by stat, since reading them takes longer than all else that a plan needs.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from synapse_ls.storage import plan_cache
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_reader import RefusedError, read_file
from synapse_ls.workspace.file_stamps import stamp_of_status, take_stamp
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_agents import defining_paths
from synapse_ls.workspace.tree_loader import LoadedTree

if TYPE_CHECKING:
    from synapse_ls.formats.agent_definition import AgentDefinition

MEMO_KIND = "agents"
_NOWHERE = Span(0, 0)


def add_definitions(loaded: LoadedTree, tree: Tree) -> Tree:
    """Returns the tree with the definitions of its agents, of which only the names were listed."""
    listed = [
        facts for path in defining_paths(tree) if (facts := tree.snapshot.facts(path)) is not None
    ]
    wanted = [facts for facts in listed if not facts.is_read]
    if not wanted:
        return tree
    known = plan_cache.read_memo(loaded.root, MEMO_KIND)
    rows: dict[str, Any] = {}
    for facts in wanted:
        path = facts.path
        stamp = take_stamp(f"{loaded.root}/{path}")
        row = known.get(path)
        if row is None or stamp is None or row[0] != stamp:
            row = _read_row(f"{loaded.root}/{path}")
            stamp = row[0] if row else stamp
        loaded.stamps[path] = stamp
        if row is not None:
            rows[path] = row
            document = _to_definition(row[1])
            loaded.index.put_facts(path, replace(facts, document=document, is_read=True))
    if rows != known:
        plan_cache.write_memo(loaded.root, MEMO_KIND, rows)
    return Tree(loaded.index.snapshot())


def _read_row(path: str) -> tuple[Any, tuple[Any, ...]] | None:
    """Returns the stamp and the fields of a definition; None where it cannot be read."""
    try:
        content = read_file(path)
    except RefusedError:
        return None
    if content is None:
        return None
    from synapse_ls.formats.agent_definition import parse_quickly

    found = parse_quickly(content.decoded.text)
    fields = (
        found.id,
        found.name,
        found.aliases,
        tuple(command.name for command in found.commands),
        tuple(task.value for task in found.tasks),
    )
    return stamp_of_status(content.status), fields


def _to_definition(fields: tuple[Any, ...]) -> AgentDefinition:
    from synapse_ls.formats.agent_definition import AgentCommand, AgentDefinition

    id, name, aliases, commands, tasks = fields
    return AgentDefinition(
        id,
        name,
        "",
        "",
        "",
        tuple(AgentCommand(command, "", _NOWHERE) for command in commands),
        tuple(aliases),
        _NOWHERE,
        tuple(Text(task, _NOWHERE) for task in tasks),
    )
