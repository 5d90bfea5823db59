"""This module answers ``textDocument/completion`` and ``completionItem/resolve``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from synapse_ls.ide.completion.completion_item import CompletionOffer
from synapse_ls.ide.completion.completions import complete_at, replaced_spans
from synapse_ls.ide.completion.item_documentation import item_documentation
from synapse_ls.lsp.sentence_translation import translate_markdown

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server

_KINDS: Mapping[str, types.CompletionItemKind] = {
    "key": types.CompletionItemKind.Property,
    "value": types.CompletionItemKind.EnumMember,
    "agent": types.CompletionItemKind.Class,
    "workflow": types.CompletionItemKind.Module,
    "phase": types.CompletionItemKind.Event,
    "keyword": types.CompletionItemKind.Keyword,
    "command": types.CompletionItemKind.Function,
    "rule": types.CompletionItemKind.Constant,
    "bracket": types.CompletionItemKind.Unit,
    "file": types.CompletionItemKind.File,
    "text": types.CompletionItemKind.Snippet,
}


async def handle(
    ls: Server, _: str, params: types.CompletionParams | types.CompletionItem
) -> types.CompletionList | types.CompletionItem | None:
    """Answers ``textDocument/completion`` and ``completionItem/resolve``: returns what can be
    written at a place, or one such item with its documentation.
    """
    if isinstance(params, types.CompletionItem):
        return await _resolve_item(ls, params)
    uri = params.text_document.uri

    def answer(look: FileContext) -> types.CompletionList | None:
        offset = look.map.offset(params.position)
        offer = complete_at(look.view, look.path, offset)
        return _completion_list(ls, look, offer, offset, uri) if offer else None

    return await ls.query_file(uri, answer)


def _completion_list(
    ls: Server, look: FileContext, offer: CompletionOffer, offset: int, uri: str
) -> types.CompletionList:
    abilities = ls.client.completion
    inserted, whole = (look.map.range(span) for span in replaced_spans(offer, offset))
    ranges = (
        types.EditRangeWithInsertReplace(inserted, whole) if abilities.insert_replace else whole
    )

    def edit(text: str) -> types.TextEdit | types.InsertReplaceEdit:
        if abilities.insert_replace:
            return types.InsertReplaceEdit(text, inserted, whole)
        return types.TextEdit(whole, text)

    def items() -> Iterator[types.CompletionItem]:
        for rank, item in enumerate(offer.items):
            snippet = item.snippet if abilities.snippets else ""
            text = snippet or item.text
            detail = ls.translate(item.detail) if item.detail else None
            shared = abilities.default_ranges
            yield types.CompletionItem(
                label=item.label,
                kind=_KINDS[item.kind],
                label_details=types.CompletionItemLabelDetails(description=detail)
                if abilities.label_details and detail
                else None,
                detail=None if abilities.label_details else detail,
                sort_text=f"{rank:04}",
                insert_text_format=types.InsertTextFormat.Snippet if snippet else None,
                text_edit=None if shared else edit(text),
                text_edit_text=text if shared and text != item.label else None,
                commit_characters=list(item.commit_characters)
                if abilities.commit_characters and item.commit_characters
                else None,
                data={"uri": uri, "topic": list(item.topic)} if item.topic else None,
            )

    return types.CompletionList(
        is_incomplete=not offer.is_complete,
        items=list(items()),
        item_defaults=types.CompletionItemDefaults(edit_range=ranges)
        if abilities.default_ranges
        else None,
    )


async def _resolve_item(ls: Server, item: types.CompletionItem) -> types.CompletionItem:
    """Returns the item with its documentation."""
    data: Any = item.data
    topic = data.get("topic") if isinstance(data, dict) else None
    if not isinstance(topic, list) or not isinstance(data.get("uri"), str):
        return item
    words = tuple(map(str, topic))
    text = await ls.query_file(data["uri"], lambda look: item_documentation(look.view, words))
    if text:
        kind = types.MarkupKind.Markdown
        if not ls.client.completion.markdown:
            kind = types.MarkupKind.PlainText
        item.documentation = types.MarkupContent(kind, translate_markdown(ls.translate, text))
    return item
