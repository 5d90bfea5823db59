"""New names for what a tree consists of, wherever the tree speaks of it. Plans only, no IO."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from synapse_ls.manage import domains, rename_squad, rename_workflow
from synapse_ls.manage.config_names import config_texts
from synapse_ls.manage.draft import Draft
from synapse_ls.manage.plan import ManageError, Plan
from synapse_ls.manage.rename_memories import put_memories
from synapse_ls.manage.renaming import (
    check_free,
    check_id,
    check_known,
    check_name,
    put_file,
    put_names,
    put_prefixes,
)
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.mentions import command_of, mentions
from synapse_ls.workspace.naming import same_id, stem, upper_snake
from synapse_ls.workspace.tree import Tree

_ENGINES_OWN = "synapse"


def rename_agent(tree: Tree, old: str, new: str) -> Plan:
    """Rename an agent: its id, the files named after it, triggers, steps, squads, ``@mentions``,
    and what it remembers.

    The domain that it triggers keeps its name; rules whose keys carry the agent's name follow.
    Raises ManageError where there is no such agent, or the new name is no name or is taken.
    """
    check_id(new, "an agent")
    if new == old:
        return Plan()
    check_known(tree, "agent", old)
    check_free(tree, "agent", old, new)
    draft = Draft(tree)
    put_names(draft, tree, "agent", old, new)
    for path in tree.snapshot.definers(key("agent", old)):
        if same_id(stem(path), old):
            put_file(draft, tree, path, new)
    for domain in tree.domains:
        if domain.declaration and same_id(domain.declaration.agent_trigger, old):
            put_prefixes(draft, tree, domain, old, new)
    put_memories(draft, tree, old, new)
    return draft.plan()


def rename_task(tree: Tree, old: str, new: str) -> Plan:
    """Rename a task: its file, and where steps, agents and squads name the file.

    Raises ManageError where there is no such task, where several files are called so, and where the
    new name is no name or is taken.
    """
    check_id(new, "a task")
    if new == old:
        return Plan()
    check_known(tree, "task", old)
    check_free(tree, "task", old, new)
    paths = tree.snapshot.definers(key("task", old))
    if len(paths) > 1:
        raise ManageError(
            f"{' and '.join(paths)} are both the task {old}, so it is not clear what names which.",
            "Give one of the files another name first.",
        )
    draft = Draft(tree)
    put_names(draft, tree, "task", old, new)
    for path in paths:
        put_file(draft, tree, path, new)
    return draft.plan()


def rename_command(tree: Tree, old: str, new: str) -> Plan:
    """Rename a star-command: its headers, its keys, and ``*mentions`` in rules.

    Raises ManageError where there is no such command, where the new name is no name or is taken,
    and for ``*synapse`` and all that begins so.
    """
    old, new = old.removeprefix("*"), new.removeprefix("*")
    check_name(new, "a star-command")
    if new == old:
        return Plan()
    path, command = command_of(tree, old)
    if command is None:
        raise ManageError(f"There is no star-command *{old}.", "`*synapse help` lists them.")
    for name in (old, new):
        if name.partition("-")[0] == _ENGINES_OWN:
            raise ManageError(
                f"*{name} is answered by Synapse itself, so no star-command is renamed from or to it.",
                "Choose another name.",
            )
    if not same_id(old, new) and command_of(tree, new)[1]:
        raise ManageError(f"{path} already defines *{new}.", "Choose another name.")
    draft = Draft(tree)
    for mention in mentions(tree, "command", old):
        facts = tree.snapshot.facts(mention.path)
        if facts and mention.span.length:
            is_said = facts.text[mention.span.start - 1 : mention.span.start] == "*"
            draft.put(mention.path, mention.span, new if is_said else upper_snake(new))
    for text in config_texts(tree):
        if text.path[:2] == ("commands", "develop") and text.value == old:
            draft.put(CONFIG, text.span, new)
    return draft.plan()


RENAMES: Mapping[str, Callable[[Tree, str, str], Plan]] = {
    "domain": domains.rename,
    "agent": rename_agent,
    "workflow": rename_workflow.rename_workflow,
    "squad": rename_squad.rename_squad,
    "command": rename_command,
    "task": rename_task,
}
"""What can be renamed -> how: (tree, old name, new name). Domains go by their labels."""
