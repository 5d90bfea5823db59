"""Answer ``workspace/executeCommand`` and ``workspace/textDocumentContent``.

The commands take one object each.

``synapse.preview`` { uri, agent?, workflow?, task?, story?, squad?, bracket?, prompt? } shows the
block of a situation, with the editor's buffers; its answer has the ``block`` and its figures.
``synapse.open`` { uri } shows a file. ``synapse.references`` { uri, position, quiet? } returns the
places that mention what is defined at a position; ``quiet`` is for a client that lists them itself.
``synapse.runTest`` { uri, case } runs that case of a file of tests, numbered as in lenses and
``synapse/tests``; its answer has ``name``, ``passed``, ``bracket``, ``tokens`` and ``failures``.
`change_commands` and `session_commands` have the others.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.rule_account import describe_size
from synapse_ls.ide.code_lens import find_case, find_uses
from synapse_ls.ide.tree_test_runner import CaseOutcome, run_case
from synapse_ls.lsp import feature_context, feature_table
from synapse_ls.lsp.convert import parse_position, path_to_uri, uri_to_path
from synapse_ls.lsp.features import change_commands, session_commands
from synapse_ls.lsp.request_errors import request_refusal
from synapse_ls.storage import editor_cache

if TYPE_CHECKING:
    from synapse_ls.lsp.language_server import Server

_MOST_PLACES = 5  # places in a message
_SITUATION_FIELDS = ("agent", "workflow", "task", "story", "squad", "bracket", "prompt")


async def handle(ls: Server, command: str, arguments: tuple[Any, ...]) -> Any:
    """Answer ``workspace/executeCommand``: runs one of the commands in `COMMANDS`."""
    fields = feature_table.object_fields(arguments[0]) if arguments else {}
    if not isinstance(fields.get("uri"), str):
        raise JsonRpcInvalidParams(f"{command} needs an object with a `uri`.")
    if command in feature_table.CHANGE_COMMANDS and not ls.trusted:
        raise request_refusal(
            "The folder is not trusted, so nothing in it is changed.", "Trust it first."
        )
    if command in change_commands.EDIT_COMMANDS:
        return await change_commands.run_edit_command(ls, command, fields)
    return await _RUNNERS[command](ls, fields)


async def _show_preview(ls: Server, arguments: dict[str, Any]) -> dict[str, Any]:
    """Run ``synapse.preview``: show the block of a situation in the tree of ``uri``; return it with
    its figures.
    """
    situation = {
        name: value
        for name, value in feature_table.string_fields(arguments).items()
        if name in _SITUATION_FIELDS
    }
    root, block = await _situation_block(ls, arguments["uri"], situation)
    name = " ".join(situation.values()) or "now"
    path = None
    if ls.client.content:
        folder = path_to_uri(root).removeprefix("file:")
        query = urlencode(situation, quote_via=quote)
        uri: str | None = f"{feature_table.PREVIEW_SCHEME}:{folder}/{quote(name, safe='')}?{query}"
    else:
        path = await ls.reader.run(editor_cache.write_preview, root, name, block.text)
        uri = path_to_uri(path) if path else None
    figures = f"{block.situation.bracket.name}, {describe_size(block, block.tokens)}"
    if uri is None or not await ls.show_file(uri):
        ls.show_message(f"The block ({figures}){f' is in {path}' if path else ''}.")
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
    if parts.scheme != feature_table.PREVIEW_SCHEME or path is None:
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
    root = await feature_context.find_root(ls, uri)
    view = (await feature_context.tree_context(ls, root)).view
    return root.path, await ls.reader.run(lambda: view.block(**situation))


async def _open_file(ls: Server, arguments: dict[str, Any]) -> bool:
    if await ls.show_file(arguments["uri"]):
        return True
    ls.show_message(f"See {uri_to_path(arguments['uri']) or arguments['uri']}.")
    return False


async def _show_references(ls: Server, arguments: dict[str, Any]) -> list[types.Location] | None:
    if (position := parse_position(feature_table.object_fields(arguments.get("position")))) is None:
        raise JsonRpcInvalidParams("synapse.references needs a `position`.")

    def answer(look: feature_context.FileContext) -> list[types.Location]:
        uses = find_uses(look.view, look.facts, look.map.offset(position))
        return [look.place(use.path).location(use.span) for use in uses]

    locations = await ls.query_file(arguments["uri"], answer)
    if arguments.get("quiet") is True:
        return locations
    if locations and (
        len(locations) > 1 or not await ls.show_file(locations[0].uri, locations[0].range)
    ):
        listed = [
            f"{os.path.basename(uri_to_path(place.uri) or place.uri)}:{place.range.start.line + 1}"
            for place in locations[:_MOST_PLACES]
        ]
        more = f" and {len(locations) - _MOST_PLACES} more" if len(locations) > _MOST_PLACES else ""
        ls.show_message(f"Used in {', '.join(listed)}{more}.")
    return locations


async def _run_test(ls: Server, arguments: dict[str, Any]) -> dict[str, Any] | None:
    number = arguments.get("case")
    if not isinstance(number, int | str) or isinstance(number, bool):
        raise JsonRpcInvalidParams("synapse.runTest needs a `case`, the number of one.")

    def answer(
        look: feature_context.FileContext,
    ) -> tuple[CaseOutcome, list[dict[str, Any]]] | None:
        if (case := find_case(look.facts, str(number))) is None:
            return None
        outcome = run_case(look.view.compiled, case)
        failures = [
            {
                "range": look.map.plain_range(failure.span),
                "message": failure.message,
                "remedy": failure.remedy or None,
            }
            for failure in outcome.failures
        ]
        return outcome, failures

    if (result := await ls.query_file(arguments["uri"], answer)) is None:
        return None
    outcome, failures = result
    name = outcome.case.name.value
    if outcome.has_passed:
        ls.show_message(f"{name!r} passes ({outcome.bracket}, {outcome.tokens} tokens).")
    else:
        reasons = " ".join(failure.message for failure in outcome.failures)
        ls.show_message(f"{name!r} fails. {reasons}", types.MessageType.Warning)
    return {
        "name": name,
        "passed": outcome.has_passed,
        "bracket": outcome.bracket,
        "tokens": outcome.tokens,
        "failures": failures,
    }


_RUNNERS: Mapping[str, Callable[[Server, dict[str, Any]], Awaitable[Any]]] = {
    "synapse.preview": _show_preview,
    "synapse.open": _open_file,
    "synapse.references": _show_references,
    "synapse.runTest": _run_test,
    "synapse.fixAll": change_commands.fix_tree,
    "synapse.setSession": session_commands.set_session,
    "synapse.activate": session_commands.activate_agent,
    "synapse.pin": session_commands.pin_session,
    "synapse.sync": change_commands.sync_files,
    "synapse.migrate": change_commands.migrate_tree,
}
