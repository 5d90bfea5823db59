"""The ``synapse/*`` requests: answered from disk, as an agent would be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.lsp import answers, choices, custom, evidence, remembered, states
from synapse_ls.lsp.asked import root_of
from synapse_ls.lsp.refusal import refusing

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.roots import Root

_METHODS = {
    custom.CONTEXT: ("context", answers.ContextAnswer),
    custom.EXPLAIN: ("explain", answers.ExplainAnswer),
    custom.STATUS: ("status", states.StatusAnswer),
    custom.DOMAINS: ("domains", answers.DomainsAnswer),
    custom.SESSIONS: ("sessions", answers.SessionsAnswer),
    custom.SQUADS: ("squads", answers.SquadsAnswer),
    custom.COMPARE: ("compare", evidence.CompareAnswer),
    custom.INJECTIONS: ("injections", evidence.InjectionsAnswer),
    custom.CHOICES: ("choices", choices.ChoicesAnswer),
    custom.MEMORY: ("memory", remembered.MemoryAnswer),
}
"""Method -> the question to the tree, and the class of the answer."""


async def handle(ls: Server, method: str, params: custom.TreeParams) -> dict[str, Any]:
    """The answer, in the protocol's terms."""
    question, kind = _METHODS[method]
    root = await root_of(ls, params.uri)
    return await ls.worker.run(_answer, root, question, kind, custom.question(params))


def _answer(root: Root, question: str, kind: type[Any], given: dict[str, Any]) -> dict[str, Any]:
    try:
        with refusing():
            report = getattr(root.tree, question)(given)
    except ValueError as error:
        raise JsonRpcInvalidParams(str(error)) from error
    return answers.answer(kind, report, root.path)
