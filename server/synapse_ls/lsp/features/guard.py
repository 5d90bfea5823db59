"""``synapse/guard``: whether an agent may do something, with the editor's buffers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcInvalidParams

from synapse_ls.guard.use import DELETE, READ, WRITE, Use
from synapse_ls.lsp.answers import answer
from synapse_ls.lsp.asked import place_of, site_of
from synapse_ls.lsp.evidence import GuardAnswer
from synapse_ls.service.guard import verdict
from synapse_ls.service.reports import verdict_report

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.custom import GuardParams


async def handle(ls: Server, _: str, params: GuardParams) -> dict[str, Any]:
    """The verdict on what is asked about."""
    given = ((READ, params.read), (WRITE, params.write), (DELETE, params.delete))
    files = [(verb, path) for verb, paths in given for path in paths or ()]
    use = Use(command=params.command or "", files=files, tool=params.tool or "")
    if not (use.command.strip() or files or use.tool):
        raise JsonRpcInvalidParams("synapse/guard needs a command, files or a tool.")
    root, _path = await place_of(ls, params.uri)
    view = (await site_of(ls, root)).view

    def judged() -> dict[str, Any]:
        situation = view.block(agent=(params.agent or "").removeprefix("@")).situation
        mode = view.plan.settings["guard"]
        found = verdict(view.plan, situation, use, project=root.path)
        report = verdict_report(found, situation.agent, mode, [])
        return answer(GuardAnswer, report, root.path)

    return await ls.reader.run(judged)
