"""``textDocument/codeAction`` and ``codeAction/resolve``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from synapse_ls.ide.actions.action import FIX_ALL, KINDS, Action, Named
from synapse_ls.ide.actions.offered import actions
from synapse_ls.lsp.convert import Place
from synapse_ls.lsp.workspace_edit import workspace_edit
from synapse_ls.text.span import Span

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look

_ON_SIGHT = tuple(kind for kind in KINDS if kind != FIX_ALL)
"""What is offered without having been asked for: not what changes a whole file (LSP 3.18, "Source")."""


async def handle(
    ls: Server, _: str, params: types.CodeActionParams | types.CodeAction
) -> list[types.CodeAction] | types.CodeAction | None:
    """The changes that are offered for a range, or the edit of the one that was chosen."""
    if isinstance(params, types.CodeAction):
        return await _resolve(ls, params)
    if not ls.client.actions.literals:
        return None
    uri = params.text_document.uri
    context = params.context
    only = _only(context)

    def answer(look: Look) -> list[types.CodeAction]:
        span = look.map.span(params.range)
        found = _offered(ls, look, span, only, _named(look, context.diagnostics))
        told = (
            _action(ls, look, uri, action, number, params) for number, action in enumerate(found)
        )
        return [action for action in told if action is not None]

    return await ls.look(uri, answer)


def _offered(
    ls: Server, look: Look, span: Span, only: Sequence[str], named: Iterable[Named]
) -> tuple[Action, ...]:
    """The actions that the client can carry out."""
    found = actions(look.view, look.path, span, only, named)
    return tuple(
        action
        for action in found
        if action.operations <= ls.client.operations and (ls.trusted or not action.command)
    )


def _named(look: Look, given: Iterable[types.Diagnostic]) -> list[Named]:
    """The client's diagnostics: Neovim sends those of the line, wherever on it the caret is."""
    return [(str(one.code), *look.map.span(one.range)) for one in given]


def _only(context: types.CodeActionContext) -> tuple[str, ...]:
    if context.only:
        return tuple(str(getattr(kind, "value", kind)) for kind in context.only)
    if context.trigger_kind == types.CodeActionTriggerKind.Automatic:
        return _ON_SIGHT
    return ()


def _action(
    ls: Server,
    look: Look,
    uri: str,
    action: Action,
    number: int,
    params: types.CodeActionParams,
) -> types.CodeAction | None:
    """An action with its edit, or with what finds it again when its edit is asked for."""
    told = types.CodeAction(
        title=action.title,
        kind=action.kind,
        diagnostics=_solved(action, look.place(look.path), params.context.diagnostics) or None,
        is_preferred=True if action.preferred and ls.client.actions.preferred else None,
    )
    if action.command:
        given = [{"uri": uri, **action.arguments}]
        told.command = types.Command(action.title, action.command, arguments=given)
        return told
    if not ls.client.actions.later:
        told.edit = workspace_edit(ls, look, action.plan())
        return told if told.edit and not _is_empty(told.edit) else None
    document = ls.documents.get(uri)
    span = look.map.span(params.range)
    told.data = {
        "uri": uri,
        "version": document.version if document else None,
        "span": list(span),
        "only": list(_only(params.context)),
        "named": [list(one) for one in _named(look, params.context.diagnostics)],
        "number": number,
    }
    return told


def _solved(
    action: Action, place: Place, given: Iterable[types.Diagnostic]
) -> list[types.Diagnostic]:
    """Those of the client's diagnostics that an action takes away."""
    known = [(found.code, place.range(found.span)) for found in action.solves]
    return [one for one in given if (one.code, one.range) in known]


async def _resolve(ls: Server, action: types.CodeAction) -> types.CodeAction:
    """The action with its edit; it is made anew from where and what it was offered for."""
    data: Any = action.data
    if not isinstance(data, dict) or not isinstance(data.get("uri"), str):
        return action
    uri, number = data["uri"], data.get("number")
    document = ls.documents.get(uri)
    if (document.version if document else None) != data.get("version"):
        raise JsonRpcContentModified("The document was changed meanwhile.")

    def answer(look: Look) -> types.WorkspaceEdit | None:
        named = ((str(code), int(start), int(end)) for code, start, end in data["named"])
        found = _offered(ls, look, Span(*data["span"]), data["only"], named)
        chosen = _chosen(found, action.title, number)
        if chosen is None:
            raise JsonRpcContentModified("What was offered is no longer there.")
        return workspace_edit(ls, look, chosen.plan())

    action.edit = await ls.look(uri, answer)
    return action


def _chosen(found: Sequence[Action], title: str, number: object) -> Action | None:
    """The action of a title; of several the one that had this number."""
    same = [(place, action) for place, action in enumerate(found) if action.title == title]
    exact = next((action for place, action in same if place == number), None)
    return exact or next((action for _, action in same), None)


def _is_empty(edit: types.WorkspaceEdit) -> bool:
    return not (edit.changes or edit.document_changes)
