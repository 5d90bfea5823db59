"""``codeLens/resolve``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lsprotocol import types

from synapse_ls.ide.lenses.registry import told
from synapse_ls.lsp import convert
from synapse_ls.lsp.given import strings

if TYPE_CHECKING:
    from synapse_ls.ide.lenses.lens import Told
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.look import Look


async def handle(ls: Server, _: str, lens: types.CodeLens) -> types.CodeLens:
    """The same lens with what it says; one whose object is gone says nothing."""
    given = strings(lens.data)
    uri = given.get("uri", "")

    def answer(look: Look) -> types.Command | None:
        found = told(look.view, look.path, given.get("provider", ""), given.get("subject", ""))
        return None if found is None else _command(look, uri, found)

    lens.command = await ls.look(uri, answer) or types.Command(title="", command="")
    return lens


def _command(look: Look, uri: str, found: Told) -> types.Command:
    """A click, with places in the protocol's terms: ``path`` as a URI, ``offset`` as a position."""
    if not found.command:
        return types.Command(title=found.title, command="")
    arguments: dict[str, Any] = {"uri": uri, **found.arguments}
    if path := arguments.pop("path", ""):
        arguments["uri"] = look.place(path).uri
    if offset := arguments.pop("offset", ""):
        arguments["position"] = convert.plain(look.map.position(int(offset)))
    return types.Command(title=found.title, command=found.command, arguments=[arguments])
