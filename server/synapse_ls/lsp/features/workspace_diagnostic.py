"""This module answers ``workspace/diagnostic``, the pull of all files' diagnostics.

Clients ask again as soon as they are answered, some every two seconds for ever. So a request that
would bring nothing new stays open until there is something (LSP 3.18, "Workspace Diagnostics").
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from synapse_ls.lsp.convert import document_key
from synapse_ls.lsp.diagnostics_publisher import EMPTY_RESULT_ID

if TYPE_CHECKING:
    from synapse_ls.lsp.diagnostics_publisher import PullPublisher
    from synapse_ls.lsp.language_server import Server

Reports = list[types.WorkspaceDocumentDiagnosticReport]


async def handle(
    ls: Server, _: str, params: types.WorkspaceDiagnosticParams
) -> types.WorkspaceDiagnosticReport:
    """Answers ``workspace/diagnostic``: returns the files whose diagnostics differ from what the
    client has.
    """
    pull = ls.pull
    await ls.trees.scan_finished.wait()
    known = {document_key(one.uri): one for one in params.previous_result_ids}
    while True:
        reports = _changed_reports(pull, known)
        if reports:
            return types.WorkspaceDiagnosticReport(reports)
        await pull.wait_for_change()


def _changed_reports(pull: PullPublisher, known: dict[str, types.PreviousResultId]) -> Reports:
    """Returns what is new. What the client has and is still so is left out, for it keeps that."""
    reports: Reports = []
    there = set()
    for publication in pull.publications.values():
        key = document_key(publication.uri)
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
        types.WorkspaceFullDocumentDiagnosticReport(
            uri=one.uri, items=[], result_id=EMPTY_RESULT_ID
        )
        for key, one in known.items()
        if key not in there and one.value != EMPTY_RESULT_ID
    ]
    return reports
