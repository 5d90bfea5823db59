"""``workspace/executeCommand``: what a click on a lens does.

The commands, each with one object as its argument (`editing`, `sessions`, `activation` and `syncing` have
those that change something):

``synapse.preview`` { uri, agent?, workflow?, task?, story?, squad?, bracket?, prompt? } shows the
block of a situation, with the editor's buffers; its answer has the ``block`` and its figures.
``synapse.open`` { uri } shows a file. ``synapse.references`` { uri, position, quiet? } gives the
places that mention what is defined at a place; ``quiet`` is for a client that lists them itself.
``synapse.runTest`` { uri, case } runs the case of that number in a file of tests and says what came
of it; its answer has ``name``, ``passed``, ``bracket``, ``tokens`` and ``failures``.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.ide.lenses.cases import case_of
from synapse_ls.ide.lenses.used import uses
from synapse_ls.ide.tree_tests import run
from synapse_ls.lsp import convert
from synapse_ls.lsp.commands import CHANGING
from synapse_ls.lsp.features import activation, editing, migrating, sessions, syncing
from synapse_ls.lsp.given import fields, strings
from synapse_ls.lsp.refusal import refusal
from synapse_ls.lsp.uris import path_of, uri_of
from synapse_ls.service import preview_files

if TYPE_CHECKING:
    from synapse_ls.engine.run import Assembly
    from synapse_ls.ide.tree_tests import Outcome
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look

_SITUATION = ("agent", "workflow", "task", "story", "squad", "bracket", "prompt")
_LISTED = 5  # places in a message


async def handle(ls: Server, command: str, arguments: tuple[Any, ...]) -> Any:
    """Run one of ``commands.COMMANDS``."""
    given = fields(arguments[0]) if arguments else {}
    if not isinstance(given.get("uri"), str):
        raise JsonRpcInvalidParams(f"{command} needs an object with a `uri`.")
    if command in CHANGING and not ls.trusted:
        raise refusal("The folder is not trusted, so nothing in it is changed.", "Trust it first.")
    if command in editing.COMMANDS:
        return await editing.handle(ls, command, given)
    return await _RUN[command](ls, given)


async def _preview(ls: Server, given: dict[str, Any]) -> dict[str, Any] | None:
    situation = {name: value for name, value in strings(given).items() if name in _SITUATION}

    def answer(look: Look) -> tuple[str, Assembly]:
        return look.root, look.view.block(**situation)

    found = await ls.look(given["uri"], answer)
    if found is None:
        ls.window_show_message(
            types.ShowMessageParams(types.MessageType.Info, "The file belongs to no tree.")
        )
        return None
    root, block = found
    name = " ".join(situation.values()) or "now"
    path = await ls.reader.run(preview_files.write, root, name, block.text)
    figures = f"{block.situation.bracket.name}, {block.tokens:,} of {block.budget:,} tokens"
    uri = uri_of(path) if path else None
    if uri is None or not await _show(ls, uri):
        where = f" is in {path}" if path else ""
        sentence = f"The block ({figures}){where}."
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, sentence))
    return {
        "block": block.text,
        "bracket": block.situation.bracket.name,
        "tokens": block.tokens,
        "budget": block.budget,
        "uri": uri,
    }


async def _open(ls: Server, given: dict[str, Any]) -> bool:
    if await _show(ls, given["uri"]):
        return True
    path = path_of(given["uri"]) or given["uri"]
    ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, f"See {path}."))
    return False


async def _references(ls: Server, given: dict[str, Any]) -> list[types.Location] | None:
    position = convert.position_of(fields(given.get("position")))
    if position is None:
        raise JsonRpcInvalidParams("synapse.references needs a `position`.")

    def answer(look: Look) -> list[types.Location]:
        found = uses(look.view, look.facts, look.map.offset(position))
        return [look.place(one.path).location(one.span) for one in found]

    found = await ls.look(given["uri"], answer)
    if given.get("quiet") is True:
        return found
    if found and (len(found) > 1 or not await _show(ls, found[0].uri, found[0].range)):
        listed = [f"{_short(one.uri)}:{one.range.start.line + 1}" for one in found[:_LISTED]]
        more = f" and {len(found) - _LISTED} more" if len(found) > _LISTED else ""
        sentence = f"Used in {', '.join(listed)}{more}."
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Info, sentence))
    return found


async def _run_test(ls: Server, given: dict[str, Any]) -> dict[str, Any] | None:
    number = given.get("case")
    if not isinstance(number, str):
        raise JsonRpcInvalidParams("synapse.runTest needs a `case`.")

    def answer(look: Look) -> tuple[Outcome, list[dict[str, Any]]] | None:
        case = case_of(look.facts, number)
        if case is None:
            return None
        outcome = run(look.view.compiled, case)
        failures = [
            {
                "range": convert.plain(look.map.range(failure.span)),
                "message": failure.message,
                "remedy": failure.remedy or None,
            }
            for failure in outcome.failures
        ]
        return outcome, failures

    found = await ls.look(given["uri"], answer)
    if found is None:
        return None
    outcome, failures = found
    name = outcome.case.name.value
    if outcome.passed:
        kind = types.MessageType.Info
        sentence = f"{name!r} passes ({outcome.bracket}, {outcome.tokens} tokens)."
    else:
        kind = types.MessageType.Warning
        sentence = f"{name!r} fails. {' '.join(one.message for one in outcome.failures)}"
    ls.window_show_message(types.ShowMessageParams(kind, sentence))
    return {
        "name": name,
        "passed": outcome.passed,
        "bracket": outcome.bracket,
        "tokens": outcome.tokens,
        "failures": failures,
    }


def _short(uri: str) -> str:
    return os.path.basename(path_of(uri) or uri)


async def _show(ls: Server, uri: str, selection: Any = None) -> bool:
    """Have the client show a document; whether it did."""
    if not ls.client.show_document:
        return False
    params = types.ShowDocumentParams(uri, take_focus=True, selection=selection)
    result = await ls.ask(types.WINDOW_SHOW_DOCUMENT, params)
    return bool(getattr(result, "success", False))


_RUN: Mapping[str, Callable[[Server, dict[str, Any]], Awaitable[Any]]] = {
    "synapse.preview": _preview,
    "synapse.open": _open,
    "synapse.references": _references,
    "synapse.runTest": _run_test,
    "synapse.setSession": sessions.set_session,
    "synapse.activate": activation.activate,
    "synapse.pin": sessions.pin,
    "synapse.sync": syncing.sync,
    "synapse.migrate": migrating.migrate,
}
