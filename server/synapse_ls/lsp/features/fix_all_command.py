"""This module runs ``synapse.fixAll``: all safe fixes of a tree, in all of its files, as one change
of the client.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lsprotocol import types

from synapse_ls.ide.actions.code_action import tree_findings
from synapse_ls.lint.fix_plan import is_rewritable, plan_fixes
from synapse_ls.lsp import command_arguments as params
from synapse_ls.lsp.features.rule_edit_commands import apply_plan
from synapse_ls.lsp.request_target import find_place
from synapse_ls.text.plural_counts import format_count

if TYPE_CHECKING:
    from synapse_ls.lint.diagnostic import Diagnostic
    from synapse_ls.lsp.language_server import Server
    from synapse_ls.workspace.edit_plan import EditPlan
    from synapse_ls.workspace.rule_tree import Tree

COMMAND = "synapse.fixAll"


class _Label(NamedTuple):
    label: str = "Fix all that Synapse can fix safely"
    instead: str = "`synapse check --fix` does it on the command line."


async def fix_tree(ls: Server, given: dict[str, Any]) -> dict[str, Any]:
    """Runs ``synapse.fixAll``: fixes what is found and shown in a tree, as `synapse check --fix`
    does, and says how much.
    """
    asked = params.parse_arguments(params.FixAll, COMMAND, given)
    root, _ = await find_place(ls, given["uri"])
    count = 0

    def plan(tree: Tree) -> EditPlan:
        nonlocal count

        def accepts(found: Diagnostic) -> bool:
            edited = [path for path, _ in found.fix.edits] if found.fix else []
            return ls.renderer.selection.shows(found) and all(
                is_rewritable(tree, path) for path in edited
            )

        outcome = plan_fixes(tree, tree_findings, accepts=accepts)
        count = outcome.count
        return outcome.plan

    answer = await apply_plan(ls, root, plan, _Label())
    if not asked.quiet:
        sentence = "There is nothing to fix that could be fixed safely."
        if count:
            fixed, files = (
                format_count(count, "finding"),
                format_count(len(answer["changed"]), "file"),
            )
            sentence = f"{fixed} fixed in {files}."
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, sentence))
    return {**answer, "fixed": count}
