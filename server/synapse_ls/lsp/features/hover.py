"""Answer ``textDocument/hover``."""

from lsprotocol import types

from synapse_ls.ide.hover import hover
from synapse_ls.ide.hover_markdown import name_shell_commands
from synapse_ls.lsp.feature_context import FileContext
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.sentence_translation import translate_markdown


async def answer_hover(ls: Server, _: str, params: types.HoverParams) -> types.Hover | None:
    """Answer ``textDocument/hover``: return the hover of a place, as Markdown where the client
    renders it.
    """

    def answer(look: FileContext) -> types.Hover | None:
        content = hover(look.view, look.path, look.map.offset(params.position))
        if content is None:
            return None
        kind = types.MarkupKind.Markdown if ls.client.markdown else types.MarkupKind.PlainText
        links = ls.client_runs_links and ls.client.markdown
        value = content.markdown if links else name_shell_commands(content.markdown)
        value = translate_markdown(ls.translate, value)
        return types.Hover(types.MarkupContent(kind, value), look.map.range(content.span))

    return await ls.query_file(params.text_document.uri, answer)
