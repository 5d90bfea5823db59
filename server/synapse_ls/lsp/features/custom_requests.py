"""This module answers most ``synapse/*`` requests (context, explain, status, domains, sessions,
squads, compare, injections, choices, memory), from disk, as an agent would be answered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.lsp import custom_messages, feature_table
from synapse_ls.lsp.custom_messages import encode_report
from synapse_ls.lsp.editor_wording import name_editor_commands
from synapse_ls.lsp.feature_context import find_root, refuse_core_errors

if TYPE_CHECKING:
    from synapse_ls.lsp.language_server import Server
    from synapse_ls.lsp.tree_roots import Root

_QUESTIONS = {
    feature_table.CONTEXT: "context",
    feature_table.EXPLAIN: "explain",
    feature_table.STATUS: "status",
    feature_table.DOMAINS: "domains",
    feature_table.SESSIONS: "sessions",
    feature_table.SQUADS: "squads",
    feature_table.COMPARE: "compare",
    feature_table.INJECTIONS: "injections",
    feature_table.CHOICES: "choices",
    feature_table.MEMORY: "memory",
}
"""Method -> the question to the tree."""


async def handle(ls: Server, method: str, params: custom_messages.TreeParams) -> dict[str, Any]:
    """Answers a custom ``synapse/*`` request: returns the answer, in the protocol's terms."""
    root = await find_root(ls, params.uri)
    answer = await ls.worker.run(
        _report_answer, root, _QUESTIONS[method], custom_messages.question_arguments(params)
    )
    if method == feature_table.STATUS and ls.client_runs_links:
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
