"""Show the block of a situation: ``synapse.preview`` and ``workspace/textDocumentContent``."""

from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from lsprotocol import types

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.rule_account import describe_size
from synapse_ls.lsp.convert import path_to_uri, uri_to_path
from synapse_ls.lsp.feature_context import find_root, request_refusal, tree_context
from synapse_ls.lsp.feature_table import PREVIEW_SCHEME, string_fields
from synapse_ls.lsp.language_server import Server
from synapse_ls.storage import editor_cache

_SITUATION_FIELDS = ("agent", "workflow", "task", "story", "squad", "bracket", "prompt")


async def show_preview(ls: Server, arguments: dict[str, Any]) -> dict[str, Any]:
    """Run ``synapse.preview``: show the block of a situation in the tree of ``uri``; return it with
    its figures.
    """
    situation = {
        name: value for name, value in string_fields(arguments).items() if name in _SITUATION_FIELDS
    }
    root, block = await _situation_block(ls, arguments["uri"], situation)
    name = " ".join(situation.values()) or "now"
    path = None
    if ls.client.content:
        folder = path_to_uri(root).removeprefix("file:")
        query = urlencode(situation, quote_via=quote)
        uri: str | None = f"{PREVIEW_SCHEME}:{folder}/{quote(name, safe='')}?{query}"
    else:
        path = await ls.reader.run(editor_cache.write_preview, root, name, block.text)
        uri = path_to_uri(path) if path else None
    figures = f"{block.situation.bracket.name}, {describe_size(block, block.tokens)}"
    if uri is None or not await ls.show_file(uri):
        where = f" is in {path}" if path else ""
        ls.show_message(f"The block ({figures}){where}.")
    return {
        "block": block.text,
        "bracket": block.situation.bracket.name,
        "tokens": block.tokens,
        "budget": block.budget,
        "uri": uri,
    }


async def answer_content(
    ls: Server, _: str, params: types.TextDocumentContentParams
) -> types.TextDocumentContentResult:
    """Answer ``workspace/textDocumentContent``: return the block that a preview's URI names, as it
    is now.
    """
    parts = urlsplit(params.uri)
    path = uri_to_path(f"file://{parts.netloc}{parts.path}")
    if parts.scheme != PREVIEW_SCHEME or path is None:
        raise request_refusal(f"{params.uri} names no preview.")
    fields = dict(parse_qsl(parts.query))
    situation = {name: fields[name] for name in _SITUATION_FIELDS if name in fields}
    _, block = await _situation_block(ls, path_to_uri(path.rpartition("/")[0]), situation)
    ls.previews[params.uri] = None
    return types.TextDocumentContentResult(block.text)


async def _situation_block(ls: Server, uri: str, situation: dict[str, str]) -> tuple[str, Assembly]:
    """Return the folder of the tree that a URI belongs to, and the block of a situation in it, with
    the editor's buffers.
    """
    root = await find_root(ls, uri)
    view = (await tree_context(ls, root)).view
    return root.path, await ls.reader.run(lambda: view.block(**situation))
