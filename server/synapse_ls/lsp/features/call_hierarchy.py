"""Answer the requests of call hierarchies: workflow, step, agent, task."""

from collections.abc import Callable, Mapping
from typing import Any

from lsprotocol import types

from synapse_ls.ide import call_hierarchy
from synapse_ls.ide.tree_view import View
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.feature_table import object_fields
from synapse_ls.lsp.language_server import Server

_KINDS: Mapping[str, types.SymbolKind] = {
    "workflow": types.SymbolKind.Module,
    "step": types.SymbolKind.Event,
    "agent": types.SymbolKind.Class,
    "task": types.SymbolKind.Function,
}


async def answer_preparation(
    ls: Server, _: str, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    """Answer ``textDocument/prepareCallHierarchy``: return the item at a place."""

    def answer(look: FileContext) -> list[types.CallHierarchyItem]:
        item = call_hierarchy.item_at(look.view, look.path, look.map.offset(params.position))
        return [_protocol_item(look, item)] if item else []

    return await ls.query_file(params.text_document.uri, answer)


async def answer_incoming(
    ls: Server, _: str, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall] | None:
    """Answer ``callHierarchy/incomingCalls``; the places are in the file of each caller."""

    def answer(look: FileContext) -> list[types.CallHierarchyIncomingCall]:
        return [
            types.CallHierarchyIncomingCall(
                _protocol_item(look, call.item),
                [look.place(call.item.path).range(span) for span in call.places],
            )
            for call in _calls(look, params.item, call_hierarchy.incoming_calls)
        ]

    return await ls.query_file(params.item.uri, answer)


async def answer_outgoing(
    ls: Server, _: str, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall] | None:
    """Answer ``callHierarchy/outgoingCalls``; the places are in the file of the item itself."""

    def answer(look: FileContext) -> list[types.CallHierarchyOutgoingCall]:
        return [
            types.CallHierarchyOutgoingCall(
                _protocol_item(look, call.item), [look.map.range(span) for span in call.places]
            )
            for call in _calls(look, params.item, call_hierarchy.outgoing_calls)
        ]

    return await ls.query_file(params.item.uri, answer)


def _calls(
    look: FileContext,
    item: types.CallHierarchyItem,
    find_calls: Callable[[View, call_hierarchy.WorkItem], tuple[call_hierarchy.Call, ...]],
) -> tuple[call_hierarchy.Call, ...]:
    """Return the calls of an item that a client has sent back; none where it is gone since."""
    data: dict[str, Any] = object_fields(item.data)
    step = data.get("step")
    work_item = call_hierarchy.find_item(
        look.view.tree,
        str(data.get("family", "")),
        str(data.get("name", "")),
        step if isinstance(step, int) else -1,
    )
    return find_calls(look.view, work_item) if work_item else ()


def _protocol_item(look: FileContext, item: call_hierarchy.WorkItem) -> types.CallHierarchyItem:
    place = look.place(item.path)
    return types.CallHierarchyItem(
        name=item.title,
        kind=_KINDS[item.family],
        uri=place.uri,
        range=place.range(item.span),
        selection_range=place.range(item.selection),
        detail=item.family if item.step < 0 else f"step of {item.name}",
        data={"family": item.family, "name": item.name, "step": item.step},
    )
