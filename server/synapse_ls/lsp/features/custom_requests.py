"""This module answers most ``synapse/*`` requests (context, explain, status, domains, sessions,
squads, compare, injections, choices, memory), from disk, as an agent would be answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.lsp import custom_methods, custom_parameters
from synapse_ls.lsp.editor_wording import name_editor_commands
from synapse_ls.lsp.report_encoding import encode_report
from synapse_ls.lsp.request_refusal import refuse_core_errors
from synapse_ls.lsp.request_target import find_root

if TYPE_CHECKING:
    from synapse_ls.lsp.language_server import Server
    from synapse_ls.lsp.tree_roots import Root

_QUESTIONS = {
    custom_methods.CONTEXT: "context",
    custom_methods.EXPLAIN: "explain",
    custom_methods.STATUS: "status",
    custom_methods.DOMAINS: "domains",
    custom_methods.SESSIONS: "sessions",
    custom_methods.SQUADS: "squads",
    custom_methods.COMPARE: "compare",
    custom_methods.INJECTIONS: "injections",
    custom_methods.CHOICES: "choices",
    custom_methods.MEMORY: "memory",
}
"""Method -> the question to the tree."""


async def handle(ls: Server, method: str, params: custom_parameters.TreeParams) -> dict[str, Any]:
    """Answers a custom ``synapse/*`` request: returns the answer, in the protocol's terms."""
    root = await find_root(ls, params.uri)
    answer = await ls.worker.run(
        _report_answer, root, _QUESTIONS[method], custom_parameters.question_arguments(params)
    )
    if method == custom_methods.STATUS and ls.client_runs_links:
        answer["notes"] = [name_editor_commands(note) for note in answer["notes"]]
    return answer


def _report_answer(root: Root, question: str, given: dict[str, Any]) -> dict[str, Any]:
    try:
        with refuse_core_errors():
            report = getattr(root.tree, question)(given)
    except ValueError as error:
        raise JsonRpcInvalidParams(str(error)) from error
    encoded: dict[str, Any] = encode_report(report, root.path)
    return encoded
