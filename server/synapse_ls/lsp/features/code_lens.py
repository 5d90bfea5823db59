"""``textDocument/codeLens``: where lenses stand; what they say is worked out when they are seen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from synapse_ls.ide.lenses.registry import lenses

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look


async def handle(ls: Server, _: str, params: types.CodeLensParams) -> list[types.CodeLens] | None:
    """The lenses of a file."""
    if not ls.settings.lenses:
        return []
    uri = params.text_document.uri

    def answer(look: Look) -> list[types.CodeLens]:
        return [
            types.CodeLens(
                look.map.range(lens.span),
                data=_data(uri, lens.provider, lens.subject),
            )
            for lens in lenses(look.view, look.path)
        ]

    return await ls.look(uri, answer)


def _data(uri: str, provider: str, subject: str) -> dict[str, Any]:
    return {"uri": uri, "provider": provider, "subject": subject}
