"""Answer the requests for renaming: of what stands at a place, and of what names files that are
moved.
"""

from __future__ import annotations

import logging

from lsprotocol import types

from synapse_ls.ide.rename import plan_file_renames, prepare_rename, rename
from synapse_ls.lsp.convert import uri_to_path
from synapse_ls.lsp.feature_context import FileContext, TreeContext, refuse_core_errors
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.tree_roots import Root
from synapse_ls.lsp.workspace_edit import unsupported_change, workspace_edit
from synapse_ls.workspace.edit_plan import FileEdit
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind

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


async def answer_rename(
    ls: Server, _: str, params: types.PrepareRenameParams | types.RenameParams
) -> Answer | None:
    """Answer ``textDocument/prepareRename`` and ``textDocument/rename``: return the name at a
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
        name = prepare_rename(look.view, look.path, look.map.offset(params.position))
    if name is None:
        return None
    return types.PrepareRenamePlaceholder(look.map.range(name.span), name.name)


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


logger = logging.getLogger(__name__)

Moves = list[tuple[str, str]]


async def answer_file_renames(
    ls: Server, method: str, params: types.RenameFilesParams
) -> types.WorkspaceEdit | None:
    """Answer ``workspace/willRenameFiles``: returns, before files are renamed, the changes of what
    names them; afterwards looks at them again.
    """
    paths = [(uri_to_path(file.old_uri), uri_to_path(file.new_uri)) for file in params.files]
    moves = [(old, new) for old, new in paths if old is not None and new is not None]
    if method == types.WORKSPACE_DID_RENAME_FILES:
        for path in {path for move in moves for path in move}:
            ls.trees.path_changed(path)
        return None
    if not ls.trusted:
        return None  # nobody asked for what would be changed beside the renamed file
    # The moves inside each tree, with paths relative to it.
    await ls.trees.scan_finished.wait()
    moves_by_root: dict[Root, Moves] = {}
    for old, new in moves:
        place = ls.trees.roots.find_place(old)
        target = place[0].relative_path(new) if place else None
        if place and place[1] and target:
            moves_by_root.setdefault(place[0], []).append((place[1], target))
    edits = [
        edit
        for root, inside in moves_by_root.items()
        if (edit := await _root_edit(ls, root, inside))
    ]
    if len(edits) < 2:
        return edits[0] if edits else None
    return types.WorkspaceEdit(
        document_changes=[change for edit in edits for change in edit.document_changes or ()],
    )


async def _root_edit(ls: Server, root: Root, moves: Moves) -> types.WorkspaceEdit | None:
    site = await ls.worker.run(ls.trees.tree_context, root)
    return await ls.reader.run(_plan_edit, ls, site, moves)


def _plan_edit(ls: Server, site: TreeContext, moves: Moves) -> types.WorkspaceEdit | None:
    plan, refused = plan_file_renames(site.view.tree, moves)
    for reason in refused:
        logger.warning("not followed: %s", reason)
    return workspace_edit(ls, site, plan) if plan else None
