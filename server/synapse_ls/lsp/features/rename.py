"""``textDocument/prepareRename`` and ``textDocument/rename``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.rename import prepare_rename, rename
from synapse_ls.lsp.refusal import refusing
from synapse_ls.lsp.workspace_edit import too_much, workspace_edit
from synapse_ls.manage.plan import FileEdit
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look

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
    """The name at a place; or the changes that give it another one."""
    if isinstance(params, types.RenameParams):
        new = params.new_name
        return await ls.look(params.text_document.uri, lambda look: _rename(ls, look, params, new))
    return await ls.look(params.text_document.uri, lambda look: _prepare(look, params))


def _prepare(look: Look, params: types.PrepareRenameParams) -> Answer | None:
    with refusing():
        found = prepare_rename(look.view, look.path, look.map.offset(params.position))
    if found is None:
        return None
    return types.PrepareRenamePlaceholder(look.map.range(found.span), found.name)


def _rename(ls: Server, look: Look, params: types.RenameParams, new: str) -> Answer:
    with refusing():
        plan = rename(look.view, look.path, look.map.offset(params.position), new)

    def label(change: FileEdit) -> str:
        facts = look.view.tree.snapshot.facts(change.path)
        return _LABELS.get(facts.kind, "Files") if facts else "Files"

    edit = workspace_edit(ls, look, plan, label)
    if edit is None:
        raise too_much(plan, "`synapse rename` does all of it on the command line.")
    return edit
