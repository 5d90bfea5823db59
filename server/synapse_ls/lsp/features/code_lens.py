"""This module answers ``textDocument/codeLens``: where lenses stand; their text is computed when
they are seen.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from synapse_ls.ide.code_lens import code_lenses

if TYPE_CHECKING:
    from synapse_ls.lsp.feature_context import FileContext
    from synapse_ls.lsp.language_server import Server


async def handle(ls: Server, _: str, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """Answers ``textDocument/codeLens``: returns the code lenses of a file."""
    if not ls.settings.lenses:
        return []
    uri = params.text_document.uri

    def answer(look: FileContext) -> list[types.CodeLens]:
        return [
            types.CodeLens(
                look.map.range(lens.span),
                data=_lens_data(uri, lens.provider, lens.subject),
            )
            for lens in code_lenses(look.view, look.path)
        ]

    return await ls.query_file(uri, answer)


def _lens_data(uri: str, provider: str, subject: str) -> dict[str, Any]:
    return {"uri": uri, "provider": provider, "subject": subject}
