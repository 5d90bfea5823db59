"""This module answers ``synapse/audit``: which rules past sessions followed, and which they broke."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from synapse_ls.lsp.custom_messages import encode_report
from synapse_ls.lsp.feature_context import find_root, refuse_core_errors
from synapse_ls.queries.past_sessions import DEFAULT_DAYS, audit_tree

if TYPE_CHECKING:
    from synapse_ls.lsp.custom_messages import AuditParams
    from synapse_ls.lsp.language_server import Server
    from synapse_ls.queries.rule_audit import AuditReport

_DAY = 86400.0  # seconds


async def handle(ls: Server, _: str, params: AuditParams) -> dict[str, Any]:
    """Answers ``synapse/audit``: returns the audit; hovers and lenses then show it."""
    root = await find_root(ls, params.uri)
    days = DEFAULT_DAYS if params.days is None else params.days
    # Neither thread of the server waits for transcripts: others want to hover meanwhile.
    report = await asyncio.to_thread(_audit, root.path, time.time() - days * _DAY)
    await ls.worker.run(root.tree.refresh_histories)
    ls.refresher(edited=False, open_files=len(root.buffers))
    encoded: dict[str, Any] = encode_report(report, root.path)
    return encoded


def _audit(root: str, since: float) -> AuditReport:
    with refuse_core_errors():
        return audit_tree(root, since=since)
