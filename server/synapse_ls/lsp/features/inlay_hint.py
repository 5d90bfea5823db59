"""Answer ``textDocument/inlayHint`` and ``inlayHint/resolve``."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from synapse_ls.ide.inlay_hint import Hint, hint_tooltip, inlay_hints
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.feature_table import string_fields
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.sentence_translation import translate_markdown


async def answer_inlay_hint(
    ls: Server, _: str, params: types.InlayHintParams
) -> list[types.InlayHint] | None:
    """Answer ``textDocument/inlayHint``: return the hints of a part of a file that the person wants
    to see.
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
        hints = inlay_hints(look.view, look.path, part, ls.settings.hints)
        return [written(look, hint) for hint in hints]

    return await ls.query_file(uri, answer)


def to_markup(text: str) -> types.MarkupContent | None:
    """Return the tooltip of an inlay hint as Markdown content, None for ""."""
    return types.MarkupContent(types.MarkupKind.Markdown, text) if text else None


async def resolve_inlay_hint(ls: Server, _: str, hint: types.InlayHint) -> types.InlayHint:
    """Answer ``inlayHint/resolve``: return the same hint with its tooltip."""
    fields = string_fields(hint.data)

    def answer(look: FileContext) -> str:
        offset = look.map.offset(hint.position)
        wanted = Hint(offset, "", fields.get("sort", ""), fields.get("subject", ""))
        return hint_tooltip(look.view, look.path, wanted)

    hint.tooltip = to_markup(
        translate_markdown(ls.translate, await ls.query_file(fields.get("uri", ""), answer) or "")
    )
    return hint
