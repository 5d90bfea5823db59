"""Answer ``textDocument/completion`` and ``completionItem/resolve``."""

from collections.abc import Mapping
from typing import Any

from lsprotocol import types

from synapse_ls.ide.completion import complete_at, item_documentation
from synapse_ls.ide.completion_item import CompletionOffer
from synapse_ls.lsp.convert import PlainResult
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.sentence_translation import translate_markdown
from synapse_ls.text.span import Span

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


async def answer_completion(
    ls: Server, _: str, params: types.CompletionParams | types.CompletionItem
) -> PlainResult | types.CompletionItem | None:
    """Answer ``textDocument/completion`` and ``completionItem/resolve``: return what can be written
    at a place, or one such item with its documentation.
    """
    if isinstance(params, types.CompletionItem):
        # The item with its documentation.
        data: Any = params.data
        topic = data.get("topic") if isinstance(data, dict) else None
        if not isinstance(topic, list) or not isinstance(data.get("uri"), str):
            return params
        words = tuple(map(str, topic))
        text = await ls.query_file(data["uri"], lambda look: item_documentation(look.view, words))
        if text:
            kind = types.MarkupKind.Markdown
            if not ls.client.markdown_items:
                kind = types.MarkupKind.PlainText
            params.documentation = types.MarkupContent(kind, translate_markdown(ls.translate, text))
        return params
    uri = params.text_document.uri

    def answer(look: FileContext) -> PlainResult | None:
        offset = look.map.offset(params.position)
        offer = complete_at(look.view, look.path, offset)
        return PlainResult(_completion_list(ls, look, offer, offset, uri)) if offer else None

    return await ls.query_file(uri, answer)


def _completion_list(
    ls: Server, look: FileContext, offer: CompletionOffer, offset: int, uri: str
) -> dict[str, Any]:
    """Return an LSP ``CompletionList`` in the values of JSON."""
    abilities = ls.client
    inserted_span = Span(offer.span.start, max(offset, offer.span.start))
    inserted, whole = (look.map.plain_range(span) for span in (inserted_span, offer.span))
    both = {"insert": inserted, "replace": whole}
    shared = abilities.default_ranges
    edited: dict[str, Any] = both if abilities.insert_replace else {"range": whole}
    items = []
    for rank, item in enumerate(offer.items):
        snippet = item.snippet if abilities.snippets else ""
        text = snippet or item.text
        kind = _KINDS[item.kind].value
        entry: dict[str, Any] = {"label": item.label, "kind": kind, "sortText": f"{rank:04}"}
        if item.detail:
            detail = ls.translate(item.detail)
            if abilities.label_details:
                entry["labelDetails"] = {"description": detail}
            else:
                entry["detail"] = detail
        if snippet:
            entry["insertTextFormat"] = types.InsertTextFormat.Snippet.value
        if not shared:
            entry["textEdit"] = {"newText": text, **edited}
        elif text != item.label:
            entry["textEditText"] = text
        if abilities.commit_characters and item.commit_characters:
            entry["commitCharacters"] = list(item.commit_characters)
        if item.topic:
            entry["data"] = {"uri": uri, "topic": item.topic}
        items.append(entry)
    completions = {"isIncomplete": not offer.is_complete, "items": items}
    if shared:
        completions["itemDefaults"] = {"editRange": both if abilities.insert_replace else whole}
    return completions
