"""Commands that change rules: planned with the editor's buffers, carried out by the client."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.lsp import command_params as params
from synapse_ls.lsp import convert
from synapse_ls.lsp.asked import place_of, site_of
from synapse_ls.lsp.custom import TreeParams
from synapse_ls.lsp.refusal import refusal, refusing
from synapse_ls.lsp.workspace_edit import too_much, workspace_edit
from synapse_ls.manage.domains import new_domain, toggle
from synapse_ls.manage.plan import CREATE, Plan
from synapse_ls.manage.profile import LIVE, use_profile
from synapse_ls.manage.rules import add_rule
from synapse_ls.text.span import Span
from synapse_ls.workspace.folders import CONFIG

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Site
    from synapse_ls.workspace.tree import Tree


async def handle(ls: Server, command: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Plan what one of `COMMANDS` asks for and have the client do it."""
    known = COMMANDS[command]
    asked = params.asked(known.params, command, given)
    root, _ = await place_of(ls, given["uri"])
    site = await site_of(ls, root)

    def plan() -> tuple[Plan, types.WorkspaceEdit | None]:
        with refusing():
            made = known.plan(site.view.tree, asked)
            edit = workspace_edit(ls, site, made) if ls.client.apply_edit else None
            if made and edit is None:
                raise too_much(made, known.instead)
        return made, edit

    made, edit = await ls.reader.run(plan)
    if not made or edit is None:
        return {"changed": [], "location": None}
    result = await ls.ask(
        types.WORKSPACE_APPLY_EDIT,
        types.ApplyWorkspaceEditParams(
            edit, known.label, types.WorkspaceEditMetadata(is_refactoring=True)
        ),
    )
    if not getattr(result, "applied", False):
        why = getattr(result, "failure_reason", None)
        raise refusal(f"Your editor did not make the change{f': {why}' if why else '.'}")
    for change in made.edits:
        ls.trees.on_disk(f"{root.path}/{change.written}")
    return {
        "changed": [site.place(change.written).uri for change in made.edits],
        "location": _shown(site, made),
    }


def _shown(site: Site, plan: Plan) -> dict[str, Any]:
    """The last line of what was written: in the new file if there is one."""
    change = next((edit for edit in plan.edits if edit.action == CREATE), plan.edits[-1])
    first = min(change.edits, key=lambda edit: edit.span)
    text = change.after
    end = first.span.start + len(first.new_text.rstrip())
    start = max(text.rfind("\n", 0, end), text.rfind("\r", 0, end)) + 1
    range_ = convert.TextMap(text, site.encoding).range(Span(start, end))
    return {"uri": site.place(change.written).uri, "range": convert.plain(range_)}


def _new_domain(tree: Tree, asked: params.NewDomain) -> Plan:
    return new_domain(
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


def _new_rule(tree: Tree, asked: params.NewRule) -> Plan:
    named = {"bracket": asked.bracket, "command": asked.command, "article": asked.article}
    given = [(kind, value) for kind, value in named.items() if value is not None]
    if len(given) > 1:
        raise JsonRpcInvalidParams("synapse.newRule: give one of bracket, command and article.")
    kind, value = given[0] if given else ("rule", "")
    qualifier = str(value).removeprefix("*")
    return add_rule(
        tree, asked.domain, asked.text, kind=kind, qualifier=qualifier, named_by="as `{}`"
    )


def _toggle(tree: Tree, asked: params.ToggleDomain) -> Plan:
    return toggle(tree, asked.domain, asked.active)


def _use_live(tree: Tree, _: TreeParams) -> Plan:
    return use_profile(tree, LIVE)


class Command(NamedTuple):
    """A command: what it is given, how it is planned, what its change is called for who undoes it,
    and what does the same where the client cannot."""

    params: type[TreeParams]
    plan: Callable[[Tree, Any], Plan]
    label: str
    instead: str


_BY_COMMAND_LINE = "`synapse domain {}` does it on the command line."

COMMANDS: Mapping[str, Command] = {
    "synapse.newDomain": Command(
        params.NewDomain, _new_domain, "New domain", _BY_COMMAND_LINE.format("new")
    ),
    "synapse.newRule": Command(
        params.NewRule, _new_rule, "New rule", _BY_COMMAND_LINE.format("rule add")
    ),
    "synapse.toggleDomain": Command(
        params.ToggleDomain, _toggle, "Toggle domain", _BY_COMMAND_LINE.format("toggle")
    ),
    "synapse.useLive": Command(
        TreeParams, _use_live, f"Use {LIVE}", f'Write profile = "{LIVE}" in {CONFIG}.'
    ),
}
