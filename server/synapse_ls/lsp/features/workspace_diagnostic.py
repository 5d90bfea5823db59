"""``workspace/diagnostic``.

Clients ask again as soon as they are answered, some every two seconds for ever. So a request that
would bring nothing new stays open until there is something (LSP 3.18, "Workspace Diagnostics").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.lsp.diagnostics import NOTHING
from synapse_ls.lsp.uris import key_of

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.diagnostics import Pull

Reports = list[types.WorkspaceDocumentDiagnosticReport]


async def handle(
    ls: Server, _: str, params: types.WorkspaceDiagnosticParams
) -> types.WorkspaceDiagnosticReport:
    """The files about which something else is to be said than the client has."""
    pull = ls.pull
    await ls.trees.found.wait()
    known = {key_of(one.uri): one for one in params.previous_result_ids}
    while True:
        reports = _reports(pull, known)
        if reports:
            return types.WorkspaceDiagnosticReport(reports)
        await pull.wait()


def _reports(pull: Pull, known: dict[str, types.PreviousResultId]) -> Reports:
    """What is new. What the client has and is still so is left out, for it keeps that."""
    reports: Reports = []
    there = set()
    for publication in pull.all.values():
        key = key_of(publication.uri)
        there.add(key)
        before = known.get(key)
        if before is None or before.value != publication.result_id:
            reports.append(
                types.WorkspaceFullDocumentDiagnosticReport(
                    uri=publication.uri,
                    items=publication.items,
                    version=publication.version,
                    result_id=publication.result_id,
                )
            )
    reports += [
        types.WorkspaceFullDocumentDiagnosticReport(uri=one.uri, items=[], result_id=NOTHING)
        for key, one in known.items()
        if key not in there and one.value != NOTHING
    ]
    return reports
