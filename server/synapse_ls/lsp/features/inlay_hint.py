"""``textDocument/inlayHint``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from synapse_ls.ide.inlay import Hint, hints, tooltip

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look


async def handle(ls: Server, _: str, params: types.InlayHintParams) -> list[types.InlayHint] | None:
    """The hints of a part of a file that the person wants to see."""
    uri = params.text_document.uri
    lazy = ls.client.lazy_tooltips

    def written(look: Look, hint: Hint) -> types.InlayHint:
        data: dict[str, Any] = {"uri": uri, "sort": hint.sort, "subject": hint.subject}
        return types.InlayHint(
            position=look.map.position(hint.offset),
            label=hint.label,
            kind=types.InlayHintKind.Type,
            padding_left=True,
            tooltip=None if lazy else markup(tooltip(look.view, look.path, hint)),
            data=data,
        )

    def answer(look: Look) -> list[types.InlayHint]:
        part = look.map.span(params.range)
        found = hints(look.view, look.path, part, ls.settings.hints)
        return [written(look, hint) for hint in found]

    return await ls.look(uri, answer)


def markup(text: str) -> types.MarkupContent | None:
    """Markdown, or nothing."""
    return types.MarkupContent(types.MarkupKind.Markdown, text) if text else None
