"""A new name for a workflow, which may go by several."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.aliases import PHASES, WORKFLOWS
from synapse_ls.manage.config_names import config_texts
from synapse_ls.manage.draft import Draft, spelled_like
from synapse_ls.manage.edits import line_after, lines_at_end
from synapse_ls.manage.plan import ManageError, Plan
from synapse_ls.manage.renaming import (
    check_free,
    check_id,
    check_known,
    put_file,
    put_names,
    put_prefixes,
)
from synapse_ls.workspace.folders import CONFIG
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import same_id, snake, stem
from synapse_ls.workspace.tree import Tree

_TABLE = "workflow.aliases"


def rename_workflow(tree: Tree, old: str, new: str) -> Plan:
    """Rename a workflow: its id, the file named after it, triggers, states, squads, configuration.

    Where the framework knows the old id as another name of a workflow, the new one is written into
    the configuration as such, so that the same domains keep waiting for it.

    Raises ManageError where there is no such workflow, where the new name is no name or is taken,
    and for the ids that the framework's other names and phases lead to.
    """
    check_id(new, "a workflow")
    if new == old:
        return Plan()
    check_known(tree, "workflow", old)
    check_free(tree, "workflow", old, new)
    if not same_id(old, new):
        _check_framework(tree, old, new)
    draft = Draft(tree)
    put_names(draft, tree, "workflow", old, new)
    for path in tree.snapshot.definers(key("workflow", old)):
        facts = tree.snapshot.facts(path)
        if facts and facts.kind is FileKind.WORKFLOW and same_id(stem(path), old):
            put_file(draft, tree, path, new)
    for domain in tree.domains:
        if domain.declaration and same_id(domain.declaration.workflow_trigger, old):
            put_prefixes(draft, tree, domain, old, new)
    _configure(draft, tree, old, new)
    return draft.plan()


def _check_framework(tree: Tree, old: str, new: str) -> None:
    """Raise ManageError where the framework's own names would lead elsewhere afterwards."""
    known = snake(new)
    aliases = tree.snapshot.config.workflow_aliases
    own = {snake(name): snake(id) for name, id in aliases.items()}
    if WORKFLOWS.get(known, "") not in ("", own.get(snake(old), WORKFLOWS.get(snake(old)))):
        raise ManageError(
            f"{new} is another name of {WORKFLOWS[known]}, so it would mean that workflow.",
            "Choose another name.",
        )
    led = sorted(name for name in _in_use(tree) if WORKFLOWS.get(name) == snake(old))
    if led:
        raise ManageError(
            f"The framework knows {' and '.join(led)} as {old}, so under another name the rules for "
            "their states would not be found.",
            "Say under [workflow.aliases] what they stand for first.",
        )
    if snake(old) in PHASES:
        raise ManageError(
            f"The framework's names of phases belong to {old}, so under another name its states "
            "would lose them.",
            "Leave its name, or say the phases' names under [workflow.phases] first.",
        )


def _in_use(tree: Tree) -> Iterator[str]:
    """The names of workflows that the tree uses and the configuration does not explain."""
    explained = {snake(name) for name in tree.snapshot.config.workflow_aliases}
    names = {snake(name) for name in tree.snapshot.names("workflow")}
    names |= {snake(state.workflow_id) for _, state in tree.states}
    yield from names - explained


def _configure(draft: Draft, tree: Tree, old: str, new: str) -> None:
    """Aliases and phases in the configuration, and an alias that the new name needs."""
    explained = False
    for text in config_texts(tree):
        if text.path[:2] == ("workflow", "aliases") and len(text.path) > 2:
            explained |= text.is_key and same_id(text.value, old)
        elif text.path[:2] != ("workflow", "phases") or not text.is_key or len(text.path) != 3:
            continue
        if same_id(text.value, old):
            draft.put(CONFIG, text.span, spelled_like(text.value, new))
    meant = WORKFLOWS.get(snake(old))
    if meant is None or explained or same_id(old, new):
        return
    line = f'{snake(new)} = "{meant}"'
    facts = tree.snapshot.facts(CONFIG)
    if facts is None:
        draft.create(CONFIG, f"[{_TABLE}]\n{line}\n")
        return
    header = next((t for t in config_texts(tree) if t.path == ("workflow", "aliases")), None)
    change = (
        line_after(facts.text, header.span.start, line)
        if header
        else lines_at_end(facts.text, [f"[{_TABLE}]", line], apart=True)
    )
    draft.put_all(CONFIG, [change])
