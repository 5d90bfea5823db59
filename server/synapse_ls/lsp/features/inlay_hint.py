"""This module answers ``textDocument/inlayHint``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from synapse_ls.ide.inlay_hint import Hint, hint_tooltip, inlay_hints
from synapse_ls.lsp.sentence_translation import translate_markdown

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server


async def handle(ls: Server, _: str, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    """Answers ``textDocument/inlayHint``: returns the hints of a part of a file that the person
    wants to see.
    """
    uri = params.text_document.uri
    lazy = ls.client.lazy_tooltips

    def tooltip(look: FileContext, hint: Hint) -> types.MarkupContent | None:
        return to_markup(translate_markdown(ls.translate, hint_tooltip(look.view, look.path, hint)))

    def written(look: FileContext, hint: Hint) -> types.InlayHint:
        data: dict[str, Any] = {"uri": uri, "sort": hint.sort, "subject": hint.subject}
        return types.InlayHint(
            position=look.map.position(hint.offset),
            label=ls.translate(hint.label),
            kind=types.InlayHintKind.Type,
            padding_left=True,
            tooltip=None if lazy else tooltip(look, hint),
            data=data,
        )

    def answer(look: FileContext) -> list[types.InlayHint]:
        part = look.map.span(params.range)
        found = inlay_hints(look.view, look.path, part, ls.settings.hints)
        return [written(look, hint) for hint in found]

    return await ls.query_file(uri, answer)


def to_markup(text: str) -> types.MarkupContent | None:
    """Returns the tooltip of an inlay hint as Markdown content, None for ""."""
    return types.MarkupContent(types.MarkupKind.Markdown, text) if text else None
