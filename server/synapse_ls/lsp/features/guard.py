"""This module answers ``synapse/guard``: whether an agent may do something, with the editor's
buffers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.guard.agent_action import DELETE, READ, WRITE, AgentAction
from synapse_ls.hooks.boundary_verdict import judge_use
from synapse_ls.lsp.custom_messages import encode_report
from synapse_ls.lsp.feature_context import find_place, tree_context
from synapse_ls.queries.guard_report import verdict_report

if TYPE_CHECKING:
    from synapse_ls.lsp.custom_messages import GuardParams
    from synapse_ls.lsp.language_server import Server


async def handle(ls: Server, _: str, params: GuardParams) -> dict[str, Any]:
    """Answers ``synapse/guard``: returns the guard's verdict on the command, files or tool that is
    asked about.
    """
    given = ((READ, params.read), (WRITE, params.write), (DELETE, params.delete))
    files = [(verb, path) for verb, paths in given for path in paths or ()]
    use = AgentAction(command=params.command or "", files=files, tool=params.tool or "")
    if not (use.command.strip() or files or use.tool):
        raise JsonRpcInvalidParams("synapse/guard needs a command, files or a tool.")
    root, _path = await find_place(ls, params.uri)
    view = (await tree_context(ls, root)).view

    def judged() -> Any:
        situation = view.block(agent=(params.agent or "").removeprefix("@")).situation
        mode = view.plan.settings["guard"]
        found = judge_use(view.plan, situation, use, project_root=root.path)
        return encode_report(verdict_report(found, situation.agent, mode), root.path)

    verdict: dict[str, Any] = await ls.reader.run(judged)
    return verdict
