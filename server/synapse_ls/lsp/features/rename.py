"""This module answers ``textDocument/prepareRename`` and ``textDocument/rename``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.rename import prepare_rename, rename
from synapse_ls.lsp.feature_context import refuse_core_errors
from synapse_ls.lsp.workspace_edit import unsupported_change, workspace_edit
from synapse_ls.workspace.edit_plan import FileEdit
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server

Answer = types.PrepareRenamePlaceholder | types.WorkspaceEdit

_LABELS = {
    FileKind.MANIFEST: "Manifest: keys and triggers",
    **dict.fromkeys(RULE_KINDS, "Rules: keys and mentions"),
    FileKind.AGENT: "Agents",
    FileKind.WORKFLOW: "Workflows",
    FileKind.PATTERNS: "Workflows",
    FileKind.CHAINS: "Workflows",
    FileKind.WORKFLOW_STATE: "Workflow states",
    FileKind.TASK: "Tasks and stories",
    FileKind.STORY: "Tasks and stories",
    FileKind.SQUAD: "Squads",
    FileKind.CONFIG: "Configuration",
    FileKind.TESTS: "Tests of the rules",
    FileKind.MEMORY: "Memories",
}


async def handle(
    ls: Server, _: str, params: types.PrepareRenameParams | types.RenameParams
) -> Answer | None:
    """Answers ``textDocument/prepareRename`` and ``textDocument/rename``: returns the name at a
    place; or the changes that give it another one.
    """
    if isinstance(params, types.RenameParams):
        new = params.new_name
        return await ls.query_file(
            params.text_document.uri, lambda look: _rename_answer(ls, look, params, new)
        )
    return await ls.query_file(params.text_document.uri, lambda look: _prepare_answer(look, params))


def _prepare_answer(look: FileContext, params: types.PrepareRenameParams) -> Answer | None:
    with refuse_core_errors():
        found = prepare_rename(look.view, look.path, look.map.offset(params.position))
    if found is None:
        return None
    return types.PrepareRenamePlaceholder(look.map.range(found.span), found.name)


def _rename_answer(ls: Server, look: FileContext, params: types.RenameParams, new: str) -> Answer:
    with refuse_core_errors():
        plan = rename(look.view, look.path, look.map.offset(params.position), new)

    def label(change: FileEdit) -> str:
        facts = look.view.tree.snapshot.facts(change.path)
        return _LABELS.get(facts.kind, "Files") if facts else "Files"

    edit = workspace_edit(ls, look, plan, label)
    if edit is None:
        raise unsupported_change(plan, "`synapse rename` does all of it on the command line.")
    return edit
