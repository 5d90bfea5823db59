"""``synapse.sync``: what ``synapse sync`` does, on disk.

Agents read the files from disk, and most of these are not open. One that is open and not saved is
left alone, so that nobody's text is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from synapse_ls.lsp.asked import root_of
from synapse_ls.lsp.command_params import Sync, asked
from synapse_ls.lsp.refusal import refusal, refusing
from synapse_ls.lsp.uris import uri_of
from synapse_ls.manage.difference import NONE
from synapse_ls.manage.sync.apply import carry_out
from synapse_ls.manage.sync.change import Change
from synapse_ls.manage.sync.plan import Synced, plan_sync
from synapse_ls.sync.registry import TARGETS
from synapse_ls.text.decode import decode

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server


async def sync(ls: Server, given: Mapping[str, Any]) -> dict[str, Any]:
    """Write the files; the answer names them, and those that were left alone."""
    found = asked(Sync, "synapse.sync", given)
    unknown = [name for name in found.targets or () if name not in TARGETS]
    if unknown:
        raise refusal(f'There is no target "{unknown[0]}".', f"Choose one of {', '.join(TARGETS)}.")
    root = await root_of(ls, found.uri)

    def run() -> tuple[Synced, tuple[Change, ...]]:
        with refusing():
            made = plan_sync(Path(root.path), found.targets or (), force=bool(found.force))
            for change in made.changes:
                _check(ls, f"{root.path}/{change.path}", change)
            return made, carry_out(Path(root.path), made.changes)

    made, written = await ls.reader.run(run)
    for change in written:
        ls.trees.on_disk(f"{root.path}/{change.path}")
    return {
        "changed": [uri_of(f"{root.path}/{change.path}") for change in written],
        "left": [f"{one.path} {one.said}. {one.remedy}" for one in made.changes if one.trouble],
        "notes": list(made.notes),
    }


def _check(ls: Server, path: str, change: Change) -> None:
    """Refuse to write below a document that is not saved."""
    document = ls.documents.at(path)
    if document is None or change.trouble or change.action == NONE:
        return
    if document.text != decode(change.before or b"").text:
        raise refusal(f"{change.path} is not saved, so nothing was written.", "Save it first.")
