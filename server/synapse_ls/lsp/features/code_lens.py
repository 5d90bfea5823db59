"""Answer ``textDocument/codeLens`` and ``codeLens/resolve``."""

from typing import Any

from lsprotocol import types

from synapse_ls.ide.code_lens import code_lenses, resolve_lens
from synapse_ls.lsp.convert import PlainResult
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.feature_table import string_fields
from synapse_ls.lsp.language_server import Server


async def answer_code_lens(
    ls: Server, _: str, params: types.CodeLensParams
) -> PlainResult | list[types.CodeLens] | None:
    """Answer ``textDocument/codeLens``: return the code lenses of a file."""
    if not ls.settings.lenses:
        return []
    uri = params.text_document.uri

    def answer(look: FileContext) -> PlainResult:
        return PlainResult(
            [
                {
                    "range": look.map.plain_range(lens.span),
                    "data": {"uri": uri, "provider": lens.provider, "subject": lens.subject},
                }
                for lens in code_lenses(look.view, look.path)
            ]
        )

    return await ls.query_file(uri, answer)


async def resolve_code_lens(ls: Server, _: str, lens: types.CodeLens) -> types.CodeLens:
    """Answer ``codeLens/resolve``: return the same lens with its text; one whose object is gone has
    none.
    """
    fields = string_fields(lens.data)
    uri = fields.get("uri", "")

    def answer(look: FileContext) -> types.Command | None:
        provider, subject = fields.get("provider", ""), fields.get("subject", "")
        click = resolve_lens(look.view, look.path, provider, subject)
        if click is None:
            return None
        title = ls.translate(click.title)
        if not click.command:
            return types.Command(title=title, command="")
        # Places in the protocol's terms: `path` as a URI, `offset` as a position.
        arguments: dict[str, Any] = {"uri": uri, **click.arguments}
        if path := arguments.pop("path", ""):
            arguments["uri"] = look.place(path).uri
        if offset := arguments.pop("offset", ""):
            arguments["position"] = look.map.plain_position(int(offset))
        return types.Command(title=title, command=click.command, arguments=[arguments])

    lens.command = await ls.query_file(uri, answer) or types.Command(title="", command="")
    return lens
