"""Answer ``textDocument/codeLens``, where lenses stand, and ``codeLens/resolve``, what they say."""

from __future__ import annotations

from typing import Any

from lsprotocol import types

from synapse_ls.ide.code_lens import LensTitle, code_lenses, resolve_lens
from synapse_ls.lsp import convert
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.feature_table import string_fields
from synapse_ls.lsp.language_server import Server


async def answer_code_lens(
    ls: Server, _: str, params: types.CodeLensParams
) -> list[types.CodeLens] | None:
    """Answer ``textDocument/codeLens``: return the code lenses of a file."""
    if not ls.settings.lenses:
        return []
    uri = params.text_document.uri

    def answer(look: FileContext) -> list[types.CodeLens]:
        return [
            types.CodeLens(
                look.map.range(lens.span),
                data={"uri": uri, "provider": lens.provider, "subject": lens.subject},
            )
            for lens in code_lenses(look.view, look.path)
        ]

    return await ls.query_file(uri, answer)


async def resolve_code_lens(ls: Server, _: str, lens: types.CodeLens) -> types.CodeLens:
    """Answer ``codeLens/resolve``: return the same lens with its text; one whose object is gone has
    none.
    """
    fields = string_fields(lens.data)
    uri = fields.get("uri", "")

    def answer(look: FileContext) -> types.Command | None:
        lens_title = resolve_lens(
            look.view, look.path, fields.get("provider", ""), fields.get("subject", "")
        )
        return (
            None
            if lens_title is None
            else _lens_command(look, uri, lens_title, ls.translate(lens_title.title))
        )

    lens.command = await ls.query_file(uri, answer) or types.Command(title="", command="")
    return lens


def _lens_command(look: FileContext, uri: str, found: LensTitle, title: str) -> types.Command:
    """Return the command of a click under its title in the client's language, with places in the
    protocol's terms: ``path`` as a URI, ``offset`` as a position.
    """
    if not found.command:
        return types.Command(title=title, command="")
    arguments: dict[str, Any] = {"uri": uri, **found.arguments}
    if path := arguments.pop("path", ""):
        arguments["uri"] = look.place(path).uri
    if offset := arguments.pop("offset", ""):
        arguments["position"] = convert.to_json(look.map.position(int(offset)))
    return types.Command(title=title, command=found.command, arguments=[arguments])
