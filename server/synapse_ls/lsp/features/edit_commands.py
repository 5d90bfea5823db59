"""Run the commands that change rules (``synapse.newDomain``, ``newRule``, ``toggleDomain``,
``useLive``, ``fixAll``): planned with the editor's buffers, carried out by the client.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.edits.configuration import LIVE_PROFILE, choose_profile
from synapse_ls.edits.domain_edits import add_domain, toggle_domain
from synapse_ls.edits.rule_edits import add_rule
from synapse_ls.ide.code_action import tree_findings
from synapse_ls.lint.fix_plan import is_rewritable, plan_fixes
from synapse_ls.lsp import convert, custom_messages
from synapse_ls.lsp.custom_messages import TreeParams
from synapse_ls.lsp.feature_context import (
    TreeContext,
    find_place,
    refuse_core_errors,
    request_refusal,
    tree_context,
)
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.tree_roots import Root
from synapse_ls.lsp.workspace_edit import unsupported_change, workspace_edit
from synapse_ls.text.finding import Finding
from synapse_ls.text.phrases import format_count
from synapse_ls.text.span import Span
from synapse_ls.workspace.edit_plan import CREATE, EditPlan
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_folders import CONFIG


async def run_edit_command(
    ls: Server, command: str, arguments: Mapping[str, Any]
) -> dict[str, Any]:
    """Run one of the commands that edit rules: plan what it asks for and has the client do it."""
    edit_command = EDIT_COMMANDS[command]
    parsed = custom_messages.parse_arguments(edit_command.params, command, arguments)
    root, _ = await find_place(ls, arguments["uri"])
    return await apply_plan(ls, root, lambda tree: edit_command.plan(tree, parsed), edit_command)


async def apply_plan(
    ls: Server, root: Root, plan: Callable[[Tree], EditPlan], known: EditLabel
) -> dict[str, Any]:
    """Plan a change of a tree's rules with the editor's buffers and has the client make it, as one
    step of its undo list.
    """
    site = await tree_context(ls, root)

    def plan_edit() -> tuple[EditPlan, types.WorkspaceEdit | None]:
        with refuse_core_errors():
            edits = plan(site.view.tree)
            edit = workspace_edit(ls, site, edits) if ls.client.apply_edit else None
            if edits and edit is None:
                raise unsupported_change(edits, known.instead)
        return edits, edit

    changes, edit = await ls.reader.run(plan_edit)
    if not changes or edit is None:
        return {"changed": [], "location": None}
    result = await ls.request_client(
        types.WORKSPACE_APPLY_EDIT,
        types.ApplyWorkspaceEditParams(
            edit, known.label, types.WorkspaceEditMetadata(is_refactoring=True)
        ),
    )
    if not getattr(result, "applied", False):
        why = getattr(result, "failure_reason", None)
        raise request_refusal(f"Your editor did not make the change{f': {why}' if why else '.'}")
    for change in changes.edits:
        ls.trees.path_changed(f"{root.path}/{change.result_path}")
    return {
        "changed": [site.place(change.result_path).uri for change in changes.edits],
        "location": _written_location(site, changes),
    }


def _written_location(site: TreeContext, plan: EditPlan) -> dict[str, Any]:
    """Return the last line of what was written: in the new file if there is one."""
    change = next((edit for edit in plan.edits if edit.action == CREATE), plan.edits[-1])
    first = min(change.edits, key=lambda edit: edit.span)
    text = change.after
    end = first.span.start + len(first.new_text.rstrip())
    start = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1
    range_ = convert.TextMap(text, site.encoding).range(Span(start, end))
    return {"uri": site.place(change.result_path).uri, "range": convert.to_json(range_)}


def _new_domain(tree: Tree, asked: custom_messages.NewDomain) -> EditPlan:
    return add_domain(
        tree,
        asked.name,
        recall=asked.keywords,
        always_on=asked.always_on or False,
        agent=(asked.agent or "").removeprefix("@"),
        workflow=asked.workflow or "",
        paths=asked.paths or (),
        rules=asked.rules or (),
        squad=asked.squad or "",
    )


def _new_rule(tree: Tree, asked: custom_messages.NewRule) -> EditPlan:
    named = {"bracket": asked.bracket, "command": asked.command, "article": asked.article}
    lists = [(kind, value) for kind, value in named.items() if value is not None]
    if len(lists) > 1:
        raise JsonRpcInvalidParams("synapse.newRule: give one of bracket, command and article.")
    kind, value = lists[0] if lists else ("rule", "")
    qualifier = str(value).removeprefix("*")
    return add_rule(
        tree, asked.domain, asked.text, kind=kind, qualifier=qualifier, named_by="as `{}`"
    )


def _toggle_domain(tree: Tree, asked: custom_messages.ToggleDomain) -> EditPlan:
    return toggle_domain(tree, asked.domain, asked.active)


def _use_live(tree: Tree, _: TreeParams) -> EditPlan:
    return choose_profile(tree, LIVE_PROFILE)


class EditLabel(Protocol):
    """How a change of rules is called in the undo list, and what does the same where the client
    cannot.
    """

    @property
    def label(self) -> str:
        """The words of the undo list."""

    @property
    def instead(self) -> str:
        """The remedy."""


class EditCommand(NamedTuple):
    """A command that edits rules: its parameters, how it is planned, the label of its change in the
    undo list, and what does the same where the client cannot.
    """

    params: type[TreeParams]
    plan: Callable[[Tree, Any], EditPlan]
    label: str
    instead: str


_BY_COMMAND_LINE = "`synapse domain {}` does it on the command line."

EDIT_COMMANDS: Mapping[str, EditCommand] = {
    "synapse.newDomain": EditCommand(
        custom_messages.NewDomain, _new_domain, "New domain", _BY_COMMAND_LINE.format("new")
    ),
    "synapse.newRule": EditCommand(
        custom_messages.NewRule, _new_rule, "New rule", _BY_COMMAND_LINE.format("rule add")
    ),
    "synapse.toggleDomain": EditCommand(
        custom_messages.ToggleDomain,
        _toggle_domain,
        "Toggle domain",
        _BY_COMMAND_LINE.format("toggle"),
    ),
    "synapse.useLive": EditCommand(
        TreeParams,
        _use_live,
        f"Use {LIVE_PROFILE}",
        f'Write profile = "{LIVE_PROFILE}" in {CONFIG}.',
    ),
}


COMMAND = "synapse.fixAll"


class _Label(NamedTuple):
    label: str = "Fix all that Synapse can fix safely"
    instead: str = "`synapse check --fix` does it on the command line."


async def fix_tree(ls: Server, given: dict[str, Any]) -> dict[str, Any]:
    """Run ``synapse.fixAll``: fix what is found and shown in a tree, as `synapse check --fix` does,
    and say how much.
    """
    arguments = custom_messages.parse_arguments(custom_messages.FixAll, COMMAND, given)
    root, _ = await find_place(ls, given["uri"])
    count = 0

    def plan(tree: Tree) -> EditPlan:
        nonlocal count

        def accepts(found: Finding) -> bool:
            edited = [path for path, _ in found.fix.edits] if found.fix else []
            return ls.renderer.selection.shows(found) and all(
                is_rewritable(tree, path) for path in edited
            )

        outcome = plan_fixes(tree, tree_findings, accepts=accepts)
        count = outcome.count
        return outcome.plan

    answer = await apply_plan(ls, root, plan, _Label())
    if not arguments.quiet:
        sentence = "There is nothing to fix that could be fixed safely."
        if count:
            fixed, files = (
                format_count(count, "finding"),
                format_count(len(answer["changed"]), "file"),
            )
            sentence = f"{fixed} fixed in {files}."
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, sentence))
    return {**answer, "fixed": count}
