"""Answer ``textDocument/inlayHint`` and ``inlayHint/resolve``."""

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

    def answer(look: FileContext) -> list[types.InlayHint]:
        part = look.map.span(params.range)
        return [
            types.InlayHint(
                position=look.map.position(hint.offset),
                label=ls.translate(hint.label),
                kind=types.InlayHintKind.Type,
                padding_left=True,
                tooltip=None if ls.client.lazy_tooltips else _tooltip(ls, look, hint),
                data={"uri": uri, "sort": hint.sort, "subject": hint.subject},
            )
            for hint in inlay_hints(look.view, look.path, part, ls.settings.hints)
        ]

    return await ls.query_file(uri, answer)


def _tooltip(ls: Server, look: FileContext, hint: Hint) -> types.MarkupContent | None:
    text = translate_markdown(ls.translate, hint_tooltip(look.view, look.path, hint))
    return types.MarkupContent(types.MarkupKind.Markdown, text) if text else None


async def resolve_inlay_hint(ls: Server, _: str, inlay: types.InlayHint) -> types.InlayHint:
    """Answer ``inlayHint/resolve``: return the same hint with its tooltip."""
    fields = string_fields(inlay.data)

    def answer(look: FileContext) -> types.MarkupContent | None:
        offset = look.map.offset(inlay.position)
        hint = Hint(offset, "", fields.get("sort", ""), fields.get("subject", ""))
        return _tooltip(ls, look, hint)

    inlay.tooltip = await ls.query_file(fields.get("uri", ""), answer)
    return inlay
