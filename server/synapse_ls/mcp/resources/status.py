"""``synapse://status``: where the current session stands, as ``synapse status --format json``."""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.account import account
from synapse_ls.engine.plan import Plan
from synapse_ls.manage.clients.settings import registered
from synapse_ls.mcp.resources.family import JSON, Family, Listed
from synapse_ls.mcp.said import clean
from synapse_ls.mcp.situation import asked
from synapse_ls.service.inventory import status_report
from synapse_ls.text.json import dumps

_TITLE = "Status"
_ABOUT = "Bracket, what is left of the context window, agent, workflow, task, and counts of rules"


def _listed(_: Plan | None) -> Iterator[Listed]:
    yield Listed("", _TITLE, _ABOUT)


def _read(root: str, _: str) -> str:
    answer = asked(root, {})
    accounts = account(answer.plan, answer.assembly)
    return dumps(clean(status_report(answer, accounts, registered(root))))


FAMILY = Family("status", _TITLE, _ABOUT, _listed, _read, mime=JSON)
