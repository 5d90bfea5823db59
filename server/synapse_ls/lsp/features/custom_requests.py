"""The ``synapse/*`` requests: answered from disk, as an agent would be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams

from synapse_ls.lsp import answers, custom
from synapse_ls.service.errors import ServiceError

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.roots import Root

_FAILED = -32803
"""LSP 3.18, ``RequestFailed``: the request was right, but it cannot be answered."""

_METHODS = {
    custom.CONTEXT: ("context", answers.ContextAnswer),
    custom.EXPLAIN: ("explain", answers.ExplainAnswer),
    custom.STATUS: ("status", answers.StatusAnswer),
    custom.DOMAINS: ("domains", answers.DomainsAnswer),
    custom.SESSIONS: ("sessions", answers.SessionsAnswer),
}
"""Method -> the question to the tree, and the class of the answer."""


async def handle(ls: Server, method: str, params: custom.TreeParams) -> dict[str, Any]:
    """The answer, in the protocol's terms."""
    question, kind = _METHODS[method]
    root = await _root_of(ls, params)
    return await ls.worker.run(_answer, root, question, kind, custom.question(params))


async def _root_of(ls: Server, params: custom.TreeParams) -> Root:
    if params.uri is None:
        root = await ls.trees.first()
        if root is None:
            raise JsonRpcException("There is no tree in the workspace.", _FAILED)
        return root
    place = await ls.place_of(params.uri)
    if place is None:
        raise JsonRpcException(f"{params.uri} belongs to no tree.", _FAILED)
    return place[0]


def _answer(root: Root, question: str, kind: type[Any], given: dict[str, Any]) -> dict[str, Any]:
    try:
        report = getattr(root.tree, question)(given)
    except ServiceError as error:
        sentence = f"{error.sentence} {error.remedy}".rstrip()
        raise JsonRpcException(sentence, _FAILED) from error
    except ValueError as error:
        raise JsonRpcInvalidParams(str(error)) from error
    return answers.answer(kind, report, root.path)
