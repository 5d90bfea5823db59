"""Answer the questions of an editor's panels, ``synapse/*`` requests, from disk."""

from collections.abc import Callable, Mapping
from typing import Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.hooks.event_dispatch import find_tree_above
from synapse_ls.live import disk_queries
from synapse_ls.live.live_tree import LiveTree
from synapse_ls.lsp import convert, custom_messages, feature_context, feature_table, request_errors
from synapse_ls.lsp.language_server import Server
from synapse_ls.storage import trusted_trees

_QUERIES: Mapping[str, Callable[[LiveTree, Mapping[str, Any]], object]] = {
    feature_table.CONTEXT: disk_queries.query_context,
    feature_table.EXPLAIN: disk_queries.query_explanation,
    feature_table.STATUS: disk_queries.query_status,
    feature_table.DOMAINS: disk_queries.query_domains,
    feature_table.SESSIONS: disk_queries.query_sessions,
    feature_table.SQUADS: disk_queries.query_squads,
    feature_table.COMPARE: disk_queries.query_comparison,
    feature_table.INJECTIONS: disk_queries.query_injections,
    feature_table.CHOICES: disk_queries.query_choices,
    feature_table.MEMORY: disk_queries.query_memories,
}


async def require_served(ls: Server, _: str, params: custom_messages.TreeParams) -> None:
    """Refuse a request whose answer is for a model where agents are served nothing from the
    tree, or that of its pinned project.
    """
    root = await feature_context.find_root(ls, params.uri)

    def check() -> None:
        tree = find_tree_above(root.path)
        if tree is not None and convert.with_slashes(tree) != root.path:
            raise request_errors.request_refusal(
                "Nothing is served from this tree, because its project is pinned, and it is not.",
                "Have the person run `synapse trust --pin` there.",
            )
        trusted_trees.require_served(root.path, getattr(params, "profile", None) or "")

    with request_errors.refuse_core_errors():
        await ls.worker.run(check)


async def answer_question(
    ls: Server, method: str, params: custom_messages.TreeParams
) -> dict[str, Any]:
    """Answer a custom ``synapse/*`` request: return the answer, in the protocol's terms."""
    root = await feature_context.find_root(ls, params.uri)

    def report() -> dict[str, Any]:
        fields = custom_messages.question_arguments(params)
        try:
            with request_errors.refuse_core_errors():
                answer = _QUERIES[method](root.tree, fields)
        except ValueError as error:
            raise JsonRpcInvalidParams(str(error)) from error
        return custom_messages.encode_report(answer, root.path)

    answer = await ls.worker.run(report)
    if method == feature_table.STATUS and ls.client_runs_links:
        answer["notes"] = [feature_table.name_editor_commands(note) for note in answer["notes"]]
    return answer
