"""Answer the requests for definitions, references, highlights, links and call hierarchies."""

import os
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from lsprotocol import types

from synapse_ls.ide import document_link, navigation, rename
from synapse_ls.ide.tree_view import View
from synapse_ls.lsp.feature_context import FileContext, file_feature, send_in_parts, show_progress
from synapse_ls.lsp.feature_table import object_fields
from synapse_ls.lsp.language_server import Server


@file_feature
def answer_definition(
    ls: Server, look: FileContext, params: types.DefinitionParams | types.DeclarationParams
) -> list[types.LocationLink] | list[types.Location]:
    """Answer ``textDocument/definition`` and ``textDocument/declaration``: return where the thing
    at a place is defined or declared; with the whole of it where the client can show that.

    What a file only announces, such as a source that a story is going to add, is no place to go to.
    """
    is_declaration = isinstance(params, types.DeclarationParams)
    targets = [
        target
        for target in navigation.find_definitions(
            look.view, look.path, look.map.offset(params.position), is_declaration=is_declaration
        )
        if look.view.tree.snapshot.facts(target.path)
        or os.path.exists(f"{look.root}/{target.path}")
    ]
    places = [(look.place(target.path), target) for target in targets]
    if ls.client.declaration_links if is_declaration else ls.client.definition_links:
        return [
            types.LocationLink(
                target_uri=place.uri,
                target_range=place.range(target.span),
                target_selection_range=place.range(target.selection),
                origin_selection_range=look.map.range(target.origin),
            )
            for place, target in places
        ]
    return [place.location(target.selection) for place, target in places]


async def answer_references(
    ls: Server, _: str, params: types.ReferenceParams
) -> list[types.Location] | None:
    """Answer ``textDocument/references``: return the places of the whole tree that speak of what
    stands at a place.
    """

    def answer(look: FileContext) -> list[types.Location]:
        references = navigation.find_references(
            look.view,
            look.path,
            look.map.offset(params.position),
            include_declaration=params.context.include_declaration,
        )
        place = cache(look.place)  # of a file that has many
        return [place(reference.path).location(reference.span) for reference in references]

    with show_progress(ls, params.work_done_token, "Looking for references"):
        locations = await ls.query_file(params.text_document.uri, answer)
    return send_in_parts(ls, params.partial_result_token, locations)


@file_feature
def answer_linked_ranges(
    _: Server, look: FileContext, params: types.LinkedEditingRangeParams
) -> types.LinkedEditingRanges | None:
    """Answer ``textDocument/linkedEditingRange``: return the places of a file where the name of a
    domain stands, which an editor changes together. Other files follow with a rename.
    """
    spans = rename.find_linked_spans(look.view, look.path, look.map.offset(params.position))
    ranges = [look.map.range(span) for span in spans]
    return types.LinkedEditingRanges(ranges, r"[A-Za-z0-9_]+") if ranges else None


@file_feature
def answer_highlights(
    _: Server, look: FileContext, params: types.DocumentHighlightParams
) -> list[types.DocumentHighlight]:
    """Answer ``textDocument/documentHighlight``: return the places of a file that speak of what
    stands at a place; definitions count as writes.
    """
    kinds = types.DocumentHighlightKind
    highlights = navigation.find_highlights(look.view, look.path, look.map.offset(params.position))
    return [
        types.DocumentHighlight(
            look.map.range(highlight.span), kinds.Write if highlight.defines else kinds.Read
        )
        for highlight in highlights
    ]


@file_feature
def answer_links(
    ls: Server, look: FileContext, _: types.DocumentLinkParams
) -> list[types.DocumentLink]:
    """Answer ``textDocument/documentLink``: return the files that a file names, as far as they
    exist.
    """
    return [
        types.DocumentLink(
            look.map.range(link.span),
            target=look.place(link.path).uri,
            tooltip=f"Open {link.path}" if ls.client.tooltips else None,
        )
        for link in document_link.document_links(look.view, look.path)
        if link.is_in_tree or os.path.exists(f"{look.root}/{link.path}")
    ]


_KINDS: Mapping[str, types.SymbolKind] = {
    "workflow": types.SymbolKind.Module,
    "step": types.SymbolKind.Event,
    "agent": types.SymbolKind.Class,
    "task": types.SymbolKind.Function,
}


@file_feature
def answer_preparation(
    _: Server, look: FileContext, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem]:
    """Answer ``textDocument/prepareCallHierarchy``: return the item at a place."""
    item = navigation.item_at(look.view, look.path, look.map.offset(params.position))
    return [_protocol_item(look, item)] if item else []


@file_feature
def answer_incoming(
    _: Server, look: FileContext, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall]:
    """Answer ``callHierarchy/incomingCalls``; the places are in the file of each caller."""
    return [
        types.CallHierarchyIncomingCall(
            _protocol_item(look, call.item),
            [look.place(call.item.path).range(span) for span in call.places],
        )
        for call in _calls(look, params.item, navigation.incoming_calls)
    ]


@file_feature
def answer_outgoing(
    _: Server, look: FileContext, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall]:
    """Answer ``callHierarchy/outgoingCalls``; the places are in the file of the item itself."""
    return [
        types.CallHierarchyOutgoingCall(
            _protocol_item(look, call.item), [look.map.range(span) for span in call.places]
        )
        for call in _calls(look, params.item, navigation.outgoing_calls)
    ]


def _calls(
    look: FileContext,
    item: types.CallHierarchyItem,
    find_calls: Callable[[View, navigation.WorkItem], tuple[navigation.Call, ...]],
) -> tuple[navigation.Call, ...]:
    """Return the calls of an item that a client has sent back; none where it is gone since."""
    data: dict[str, Any] = object_fields(item.data)
    step = data.get("step")
    work_item = navigation.find_item(
        look.view.tree,
        str(data.get("family", "")),
        str(data.get("name", "")),
        step if isinstance(step, int) else -1,
    )
    return find_calls(look.view, work_item) if work_item else ()


def _protocol_item(look: FileContext, item: navigation.WorkItem) -> types.CallHierarchyItem:
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
