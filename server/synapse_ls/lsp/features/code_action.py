"""Answer ``textDocument/codeAction`` and ``codeAction/resolve``."""

from collections.abc import Iterable, Sequence
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcContentModified

from synapse_ls.ide.code_action import FIX_ALL, KINDS, Action, FindingKey, code_actions
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.request_errors import require_version
from synapse_ls.lsp.workspace_edit import find_obstacle, workspace_edit
from synapse_ls.text.span import Span

# What is offered without having been asked for: not what changes a whole file (LSP 3.18, "Source").
_AUTOMATIC_KINDS = tuple(kind for kind in KINDS if kind != FIX_ALL)


async def answer_code_action(
    ls: Server, _: str, params: types.CodeActionParams | types.CodeAction
) -> list[types.CodeAction] | types.CodeAction | None:
    """Answer ``textDocument/codeAction`` and ``codeAction/resolve``: return the code actions for a
    range, or the edit of the one that was chosen.
    """
    if isinstance(params, types.CodeAction):
        return await _resolve_action(ls, params)
    if not ls.client.action_literals:
        return None
    uri, context = params.text_document.uri, params.context
    only: tuple[str, ...] = ()
    if context.only:
        only = tuple(str(getattr(kind, "value", kind)) for kind in context.only)
    elif context.trigger_kind == types.CodeActionTriggerKind.Automatic:
        only = _AUTOMATIC_KINDS

    def answer(look: FileContext) -> list[types.CodeAction]:
        span = look.map.span(params.range)
        # Neovim sends the diagnostics of the line, wherever on it the caret is.
        keys = [(str(item.code), *look.map.span(item.range)) for item in context.diagnostics]
        document = ls.documents.get(uri)
        offer = {
            "uri": uri,
            "version": document.version if document else None,
            "span": list(span),
            "only": list(only),
            "named": [list(key) for key in keys],
        }
        answers = (
            _to_code_action(ls, look, action, {**offer, "number": number}, context.diagnostics)
            for number, action in enumerate(_feasible_actions(ls, look, span, only, keys))
        )
        return [action for action in answers if action is not None]

    return await ls.query_file(uri, answer)


def _feasible_actions(
    ls: Server, look: FileContext, span: Span, only: Sequence[str], named: Iterable[FindingKey]
) -> tuple[Action, ...]:
    """Return the actions that the client can carry out."""
    actions = code_actions(look.view, look.path, span, only, named, ls.renderer.selection.shows)
    return tuple(
        action
        for action in actions
        if action.operations <= ls.client.operations and (ls.trusted or not action.command)
    )


def _to_code_action(
    ls: Server,
    look: FileContext,
    action: Action,
    offer: dict[str, Any],
    diagnostics: Iterable[types.Diagnostic],
) -> types.CodeAction | None:
    """Return an action with its edit, or with the data that finds it again when its edit is asked
    for: ``offer``. ``diagnostics`` are the client's.
    """
    title = ls.translate(action.title)
    place = look.place(look.path)
    solved = [(finding.code, place.range(finding.span)) for finding in action.solves]
    code_action = types.CodeAction(
        title=title,
        kind=action.kind,
        diagnostics=[item for item in diagnostics if (item.code, item.range) in solved] or None,
        is_preferred=True if action.is_preferred and ls.client.preferred_mark else None,
    )
    if action.command:
        arguments = [{"uri": offer["uri"], **action.arguments}]
        code_action.command = types.Command(title, action.command, arguments=arguments)
    elif ls.client.lazy_edits:
        code_action.data = offer
    else:
        plan = action.plan()
        if find_obstacle(look.root, plan):
            return None  # the other actions are offered all the same
        edit = code_action.edit = workspace_edit(ls, look, plan)
        if not edit or not (edit.changes or edit.document_changes):
            return None
    return code_action


async def _resolve_action(ls: Server, action: types.CodeAction) -> types.CodeAction:
    """Return the action with its edit; it is computed anew from where and what it was offered
    for.
    """
    data: Any = action.data
    if not isinstance(data, dict) or not isinstance(data.get("uri"), str):
        return action
    uri, number = data["uri"], data.get("number")
    require_version(ls.documents.get(uri), data.get("version"))

    def answer(look: FileContext) -> types.WorkspaceEdit | None:
        named = ((str(code), int(start), int(end)) for code, start, end in data["named"])
        actions = _feasible_actions(ls, look, Span(*data["span"]), data["only"], named)
        # The actions of the title, as the client was told it.
        same = {
            place: offered
            for place, offered in enumerate(actions)
            if ls.translate(offered.title) == action.title
        }
        if not same:
            raise JsonRpcContentModified("What was offered is no longer there.")
        chosen = next((offered for place, offered in same.items() if place == number), None)
        return workspace_edit(ls, look, (chosen or next(iter(same.values()))).plan())

    action.edit = await ls.query_file(uri, answer)
    return action
