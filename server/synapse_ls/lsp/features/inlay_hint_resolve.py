"""This module answers ``inlayHint/resolve``: the tooltip, once somebody points at a hint."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.ide.inlay_hint import Hint, hint_tooltip
from synapse_ls.lsp.feature_table import string_fields
from synapse_ls.lsp.features.inlay_hint import to_markup
from synapse_ls.lsp.sentence_translation import translate_markdown

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server


async def handle(ls: Server, _: str, hint: types.InlayHint) -> types.InlayHint:
    """Answers ``inlayHint/resolve``: returns the same hint with its tooltip."""
    given = string_fields(hint.data)

    def answer(look: FileContext) -> str:
        offset = look.map.offset(hint.position)
        wanted = Hint(offset, "", given.get("sort", ""), given.get("subject", ""))
        return hint_tooltip(look.view, look.path, wanted)

    hint.tooltip = to_markup(
        translate_markdown(ls.translate, await ls.query_file(given.get("uri", ""), answer) or "")
    )
    return hint
