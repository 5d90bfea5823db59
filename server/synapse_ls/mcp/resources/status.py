"""This module serves the MCP resource ``synapse://status``: the state of the current session, as
``synapse status --format json``.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.rule_account import account_for_domains
from synapse_ls.mcp.resources.resource_family import JSON, ResourceEntry, ResourceFamily
from synapse_ls.mcp.situation_arguments import query_answer
from synapse_ls.mcp.tool_result import replace_surrogates
from synapse_ls.queries.delivery_report import delivery_report
from synapse_ls.queries.guard_clients import registered_hooks
from synapse_ls.queries.report_model import to_json
from synapse_ls.queries.status_report import status_report
from synapse_ls.text.fast_json import dumps

_TITLE = "Status"
_DESCRIPTION = (
    "Bracket, what is left of the context window, agent, workflow, task, and counts of rules"
)


def _list_resources(_: Plan | None) -> Iterator[ResourceEntry]:
    yield ResourceEntry("", _TITLE, _DESCRIPTION)


def _read_resource(root: str, _: str) -> str:
    answer = query_answer(root, {}, standing=True)
    accounts = account_for_domains(answer.plan, answer.assembly)
    report = status_report(answer, accounts, registered_hooks(root), delivery_report(root))
    return dumps(replace_surrogates(to_json(report)))


FAMILY = ResourceFamily("status", _TITLE, _DESCRIPTION, _list_resources, _read_resource, mime=JSON)
