"""Convert plans of changes into workspace edits that the client supports."""

from collections.abc import Callable, Iterator
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from synapse_ls.lsp.convert import TextMap, start_of_file
from synapse_ls.lsp.feature_context import FileContext, TreeContext
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.request_errors import request_refusal, require_text
from synapse_ls.storage.edit_application import check_place
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import CREATE, EDIT, EditPlan, FileEdit
from synapse_ls.workspace.outside_links import find_refusal

EditLabels = Callable[[FileEdit], str]
DocumentChange = types.CreateFile | types.RenameFile | types.TextDocumentEdit


def workspace_edit(
    ls: Server, look: FileContext | TreeContext, plan: EditPlan, labels: EditLabels | None = None
) -> types.WorkspaceEdit | None:
    """Return a plan for the tree that ``look`` sees as a workspace edit; None where the client
    cannot carry it out.

    Edits of open documents name the version that they speak of. ``labels`` says what a file's
    changes are for, so that a client can group them in a preview. Raises JsonRpcContentModified
    where such a document has another text by now, and JsonRpcException (RequestFailed) where a link
    leads one of the files out of the project or to secrets, which an editor would follow, or where
    something stands in the place of a new one, which some editors empty.
    """
    actions = (edit.action for edit in plan.edits if edit.action != EDIT)
    operations = {"create" if action == CREATE else "rename" for action in actions}
    if not operations <= ls.client.operations:
        return None
    if obstacle := find_obstacle(look.root, plan):
        raise request_refusal(obstacle.sentence, obstacle.remedy)
    changes = [change for edit in plan.edits for change in _document_changes(ls, look, edit)]
    if ls.client.document_changes:
        if labels is None or not ls.client.annotations:
            return types.WorkspaceEdit(document_changes=changes)
        by_uri = {look.place(edit.path).uri: labels(edit) for edit in plan.edits}
        for change in changes:
            if isinstance(change, types.TextDocumentEdit):
                label = by_uri[change.text_document.uri]
                change.edits = [
                    types.AnnotatedTextEdit(label, edit.range, edit.new_text)
                    for edit in change.edits
                    if isinstance(edit, types.TextEdit)
                ]
            else:
                uri = change.old_uri if isinstance(change, types.RenameFile) else change.uri
                change.annotation_id = by_uri[uri]
        annotations = {label: types.ChangeAnnotation(label) for label in by_uri.values()}
        return types.WorkspaceEdit(document_changes=changes, change_annotations=annotations)
    return types.WorkspaceEdit(
        changes={
            change.text_document.uri: list(change.edits)  # type: ignore[arg-type]
            for change in changes
            if isinstance(change, types.TextDocumentEdit)
        }
    )


def find_obstacle(root: str, plan: EditPlan) -> UserError | None:
    """Return why no workspace edit is made of a plan, None where one may be."""
    for path in dict.fromkeys(
        path for edit in plan.edits for path in (edit.path, edit.result_path)
    ):
        if refusal := find_refusal(root, path):
            reason, remedy = refusal
            return UserError(f"Cannot change {path}: {reason}, so nothing was changed.", remedy)
    try:
        for edit in plan.edits:
            check_place(Path(root), edit)
    except UserError as error:
        return error
    return None


def unsupported_change(plan: EditPlan, instead: str) -> JsonRpcException:
    """Return the refusal of a plan that the client cannot carry out as a workspace edit;
    ``instead`` says what does it.
    """
    change = next((edit for edit in plan.edits if edit.action != EDIT), plan.edits[0])
    if change.action == EDIT:
        what = f"change {change.path}"
    elif change.action == CREATE:
        what = f"create {change.path}"
    else:
        what = f"rename {change.path} to {change.target}"
    return request_refusal(
        f"Your editor cannot {what} on request, so nothing was changed.", instead
    )


def _document_changes(
    ls: Server, look: FileContext | TreeContext, change: FileEdit
) -> Iterator[DocumentChange]:
    """Yield one file's changes: what becomes of the file first, then its text."""
    uri = look.place(change.path).uri
    if change.action == CREATE:
        yield types.CreateFile(uri)
        document = types.OptionalVersionedTextDocumentIdentifier(uri)
        yield types.TextDocumentEdit(document, [types.TextEdit(start_of_file(), change.after)])
        return
    if change.edits:
        opened = ls.documents.get(uri)
        require_text(opened, change.before)
        version = opened.version if opened is not None else None
        map_ = TextMap(change.before, look.encoding)
        yield types.TextDocumentEdit(
            types.OptionalVersionedTextDocumentIdentifier(uri, version),
            [types.TextEdit(map_.range(edit.span), edit.new_text) for edit in change.edits],
        )
    if change.action != EDIT:
        yield types.RenameFile(uri, look.place(change.target).uri)
