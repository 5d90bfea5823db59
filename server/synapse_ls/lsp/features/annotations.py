"""Answer the requests for what is shown beside the text: hovers, inlay hints and code lenses."""

from typing import Any

from lsprotocol import types

from synapse_ls.ide import code_lens, inlay_hint
from synapse_ls.ide.hover import hover
from synapse_ls.lsp.convert import PlainResult
from synapse_ls.lsp.feature_context import FileContext, file_feature
from synapse_ls.lsp.feature_table import name_editor_commands, string_fields
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.sentence_translation import translate_markdown


@file_feature
def answer_hover(ls: Server, look: FileContext, params: types.HoverParams) -> types.Hover | None:
    """Answer ``textDocument/hover``: return the hover of a place, as Markdown where the client
    renders it.
    """
    links, offset = ls.client_runs_links and ls.client.markdown, look.map.offset(params.position)
    if (content := hover(look.view, look.path, offset, runs_links=links)) is None:
        return None
    kind = types.MarkupKind.Markdown if ls.client.markdown else types.MarkupKind.PlainText
    value = translate_markdown(ls.translate, content.markdown)
    value = name_editor_commands(value) if links else value
    return types.Hover(types.MarkupContent(kind, value), look.map.range(content.span))


@file_feature
def answer_inlay_hint(
    ls: Server, look: FileContext, params: types.InlayHintParams
) -> list[types.InlayHint]:
    """Answer ``textDocument/inlayHint``: return the hints of a part of a file that the person wants
    to see.
    """
    uri, part = params.text_document.uri, look.map.span(params.range)
    return [
        types.InlayHint(
            position=look.map.position(hint.offset),
            label=ls.translate(hint.label),
            kind=types.InlayHintKind.Type,
            padding_left=True,
            tooltip=None if ls.client.lazy_tooltips else _tooltip(ls, look, hint),
            data={"uri": uri, "sort": hint.sort, "subject": hint.subject},
        )
        for hint in inlay_hint.inlay_hints(look.view, look.path, part, ls.settings.hints)
    ]


def _tooltip(ls: Server, look: FileContext, hint: inlay_hint.Hint) -> types.MarkupContent | None:
    text = translate_markdown(ls.translate, inlay_hint.hint_tooltip(look.view, look.path, hint))
    return types.MarkupContent(types.MarkupKind.Markdown, text) if text else None


async def resolve_inlay_hint(ls: Server, _: str, inlay: types.InlayHint) -> types.InlayHint:
    """Answer ``inlayHint/resolve``: return the same hint with its tooltip."""
    fields = string_fields(inlay.data)

    def answer(look: FileContext) -> types.MarkupContent | None:
        offset = look.map.offset(inlay.position)
        hint = inlay_hint.Hint(offset, "", fields.get("sort", ""), fields.get("subject", ""))
        return _tooltip(ls, look, hint)

    inlay.tooltip = await ls.query_file(fields.get("uri", ""), answer)
    return inlay


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
                for lens in code_lens.code_lenses(look.view, look.path)
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
        if (click := code_lens.resolve_lens(look.view, look.path, provider, subject)) is None:
            return None
        title = ls.translate(click.title)
        if not click.command:
            return types.Command(title=title, command="")
        # Places in the protocol's terms: `path` as a URI, `offset` as a position.
        arguments: dict[str, Any] = {"uri": uri, **click.arguments}
        if path := arguments.pop("path", ""):
            arguments["uri"] = look.place(path).uri
        if offset := arguments.pop("offset", ""):
            line, character = look.map.cell(int(offset))
            arguments["position"] = {"line": line, "character": character}
        return types.Command(title=title, command=click.command, arguments=[arguments])

    lens.command = await ls.query_file(uri, answer) or types.Command(title="", command="")
    return lens
