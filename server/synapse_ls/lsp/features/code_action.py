"""Answer ``textDocument/codeAction`` and ``codeAction/resolve``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from synapse_ls.ide.code_action import FIX_ALL, KINDS, Action, FindingKey, code_actions
from synapse_ls.lsp.convert import FilePlace
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.workspace_edit import find_link_outside, workspace_edit
from synapse_ls.text.span import Span

_AUTOMATIC_KINDS = tuple(kind for kind in KINDS if kind != FIX_ALL)
"""What is offered without having been asked for: not what changes a whole file (LSP 3.18,
"Source").
"""


async def answer_code_action(
    ls: Server, _: str, params: types.CodeActionParams | types.CodeAction
) -> list[types.CodeAction] | types.CodeAction | None:
    """Answer ``textDocument/codeAction`` and ``codeAction/resolve``: return the code actions for a
    range, or the edit of the one that was chosen.
    """
    if isinstance(params, types.CodeAction):
        return await _resolve_action(ls, params)
    if not ls.client.actions.action_literals:
        return None
    uri = params.text_document.uri
    context = params.context
    only = _wanted_kinds(context)

    def answer(look: FileContext) -> list[types.CodeAction]:
        span = look.map.span(params.range)
        actions = _feasible_actions(ls, look, span, only, _finding_keys(look, context.diagnostics))
        answers = (
            _to_code_action(ls, look, uri, action, number, params)
            for number, action in enumerate(actions)
        )
        return [action for action in answers if action is not None]

    return await ls.query_file(uri, answer)


def _feasible_actions(
    ls: Server, look: FileContext, span: Span, only: Sequence[str], named: Iterable[FindingKey]
) -> tuple[Action, ...]:
    """Return the actions that the client can carry out."""
    shows = ls.renderer.selection.shows
    actions = code_actions(look.view, look.path, span, only, named, shows)
    return tuple(
        action
        for action in actions
        if action.operations <= ls.client.operations and (ls.trusted or not action.command)
    )


def _finding_keys(look: FileContext, given: Iterable[types.Diagnostic]) -> list[FindingKey]:
    """Return the keys of the client's diagnostics: Neovim sends those of the line, wherever on it
    the caret is.
    """
    return [(str(diagnostic.code), *look.map.span(diagnostic.range)) for diagnostic in given]


def _wanted_kinds(context: types.CodeActionContext) -> tuple[str, ...]:
    if context.only:
        return tuple(str(getattr(kind, "value", kind)) for kind in context.only)
    if context.trigger_kind == types.CodeActionTriggerKind.Automatic:
        return _AUTOMATIC_KINDS
    return ()


def _to_code_action(
    ls: Server,
    look: FileContext,
    uri: str,
    action: Action,
    number: int,
    params: types.CodeActionParams,
) -> types.CodeAction | None:
    """Return an action with its edit, or with the data that finds it again when its edit is asked
    for.
    """
    title = ls.translate(action.title)
    code_action = types.CodeAction(
        title=title,
        kind=action.kind,
        diagnostics=_solved_diagnostics(action, look.place(look.path), params.context.diagnostics)
        or None,
        is_preferred=True if action.is_preferred and ls.client.actions.preferred_mark else None,
    )
    if action.command:
        arguments = [{"uri": uri, **action.arguments}]
        code_action.command = types.Command(title, action.command, arguments=arguments)
        return code_action
    if not ls.client.actions.lazy_edits:
        plan = action.plan()
        if find_link_outside(look.root, plan):
            return None  # the other actions are offered all the same
        code_action.edit = workspace_edit(ls, look, plan)
        return code_action if code_action.edit and not _is_empty_edit(code_action.edit) else None
    document = ls.documents.get(uri)
    span = look.map.span(params.range)
    code_action.data = {
        "uri": uri,
        "version": document.version if document else None,
        "span": list(span),
        "only": list(_wanted_kinds(params.context)),
        "named": [list(key) for key in _finding_keys(look, params.context.diagnostics)],
        "number": number,
    }
    return code_action


def _solved_diagnostics(
    action: Action, place: FilePlace, given: Iterable[types.Diagnostic]
) -> list[types.Diagnostic]:
    """Return those of the client's diagnostics that an action removes."""
    solved = [(finding.code, place.range(finding.span)) for finding in action.solves]
    return [diagnostic for diagnostic in given if (diagnostic.code, diagnostic.range) in solved]


async def _resolve_action(ls: Server, action: types.CodeAction) -> types.CodeAction:
    """Return the action with its edit; it is computed anew from where and what it was offered
    for.
    """
    data: Any = action.data
    if not isinstance(data, dict) or not isinstance(data.get("uri"), str):
        return action
    uri, number = data["uri"], data.get("number")
    document = ls.documents.get(uri)
    if (document.version if document else None) != data.get("version"):
        raise JsonRpcContentModified("The document was changed meanwhile.")

    def answer(look: FileContext) -> types.WorkspaceEdit | None:
        named = ((str(code), int(start), int(end)) for code, start, end in data["named"])
        actions = _feasible_actions(ls, look, Span(*data["span"]), data["only"], named)
        titles = [ls.translate(offered.title) for offered in actions]
        # The action of a title, as the client was told it.
        title = action.title
        same = [
            (place, action)
            for place, (action, name) in enumerate(zip(actions, titles, strict=True))
            if name == title
        ]
        exact = next((action for place, action in same if place == number), None)
        chosen = exact or next((action for _, action in same), None)
        if chosen is None:
            raise JsonRpcContentModified("What was offered is no longer there.")
        return workspace_edit(ls, look, chosen.plan())

    action.edit = await ls.query_file(uri, answer)
    return action


def _is_empty_edit(edit: types.WorkspaceEdit) -> bool:
    return not (edit.changes or edit.document_changes)
