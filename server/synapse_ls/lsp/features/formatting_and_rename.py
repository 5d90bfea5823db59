"""Answer the requests for formatting, and for renaming a name or moved files."""

import logging
from typing import Any

from lsprotocol import types

from synapse_ls.ide.formatting import format_edits, next_rule_edits
from synapse_ls.ide.rename import plan_file_renames, prepare_rename, rename
from synapse_ls.lsp import request_errors, root_discovery
from synapse_ls.lsp.convert import uri_to_path
from synapse_ls.lsp.feature_context import FileContext, file_feature, tree_context
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.workspace_edit import unsupported_change, workspace_edit
from synapse_ls.workspace.edit_plan import FileEdit
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind

logger = logging.getLogger(__name__)

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


@file_feature
def answer_formatting(_: Server, look: FileContext, params: Any) -> list[types.TextEdit]:
    """Answer ``textDocument/formatting``, ``rangeFormatting``, ``rangesFormatting`` and
    ``onTypeFormatting``: return the edits that format a file, parts of it, or the line that was
    begun. The options are ignored: there is one layout.
    """
    if isinstance(params, types.DocumentOnTypeFormattingParams):
        edits = next_rule_edits(look.facts, look.map.offset(params.position))
    elif isinstance(params, types.DocumentFormattingParams):
        edits = format_edits(look.facts)
    else:
        ranges = (
            params.ranges
            if isinstance(params, types.DocumentRangesFormattingParams)
            else [params.range]
        )
        parts = (format_edits(look.facts, look.map.span(range_)) for range_ in ranges)
        edits = tuple(dict.fromkeys(edit for part in parts for edit in part))
    return [types.TextEdit(look.map.range(edit.span), edit.new_text) for edit in edits]


@file_feature
def answer_rename(
    ls: Server, look: FileContext, params: types.PrepareRenameParams | types.RenameParams
) -> types.PrepareRenamePlaceholder | types.WorkspaceEdit | None:
    """Answer ``textDocument/prepareRename`` and ``textDocument/rename``: return the name at a
    place; or the changes that give it another one.
    """
    offset = look.map.offset(params.position)
    with request_errors.refuse_core_errors():
        if isinstance(params, types.PrepareRenameParams):
            if (name := prepare_rename(look.view, look.path, offset)) is None:
                return None
            return types.PrepareRenamePlaceholder(look.map.range(name[0]), name[1])
        plan = rename(look.view, look.path, offset, params.new_name)

    def label(change: FileEdit) -> str:
        facts = look.view.tree.snapshot.facts(change.path)
        return _LABELS.get(facts.kind, "Files") if facts else "Files"

    if (edit := workspace_edit(ls, look, plan, label)) is None:
        raise unsupported_change(plan, "`synapse rename` does all of it on the command line.")
    return edit


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
    moves_by_root: dict[root_discovery.Root, list[tuple[str, str]]] = {}
    for old, new in moves:
        place = ls.trees.roots.find_place(old)
        target = place[0].relative_path(new) if place else None
        if place and place[1] and target:
            moves_by_root.setdefault(place[0], []).append((place[1], target))
    edits = []
    for root, inside in moves_by_root.items():
        site = await tree_context(ls, root)
        plan, refused = await ls.reader.run(plan_file_renames, site.view.tree, inside)
        for reason in refused:
            logger.warning("not followed: %s", reason)
        if plan and (edit := await ls.reader.run(workspace_edit, ls, site, plan)):
            edits.append(edit)
    if len(edits) < 2:
        return edits[0] if edits else None
    return types.WorkspaceEdit(
        document_changes=[change for edit in edits for change in edit.document_changes or ()]
    )
