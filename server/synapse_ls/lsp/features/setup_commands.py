"""Run ``synapse.sync`` and ``synapse.migrate``: what ``synapse sync`` and ``synapse migrate`` do,
on disk.

The answer of a migration is the report of ``synapse migrate --format json``, or of a rollback.
Without a step the person is asked first, so that a click changes nothing unseen.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lsprotocol import types

from synapse_ls.integrations.instruction_targets import TARGETS
from synapse_ls.lsp.convert import path_to_uri
from synapse_ls.lsp.custom_messages import Migrate, Sync, parse_arguments
from synapse_ls.lsp.feature_context import find_root, refuse_core_errors, request_refusal
from synapse_ls.lsp.language_server import Server
from synapse_ls.lsp.tree_roots import Root
from synapse_ls.setup.managed_blocks import SyncChange, write_changes
from synapse_ls.setup.migrate.migration_plan import MigrationOptions
from synapse_ls.setup.migrate.migration_rollback import roll_back_migration
from synapse_ls.setup.migrate.migration_run import (
    MigrationOutcome,
    MigrationRequest,
    migration_data,
    perform_migration,
    preview_migration,
    rollback_data,
)
from synapse_ls.setup.planned_changes import NONE
from synapse_ls.setup.sync_plan import SyncPlan, plan_sync
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.phrases import format_count

ASK, PLAN, MIGRATE, TEXTS, FINISH, ROLLBACK = (
    "ask",
    "plan",
    "migrate",
    "texts",
    "finish",
    "rollback",
)
MIGRATION_STEPS = (ASK, PLAN, MIGRATE, TEXTS, FINISH, ROLLBACK)
_CONFIRM_TITLE = "Migrate"


async def migrate_tree(ls: Server, arguments: Mapping[str, Any]) -> dict[str, Any] | None:
    """Run ``synapse.migrate``, a step of a migration; None where the person did not want it."""
    parsed = parse_arguments(Migrate, "synapse.migrate", arguments)
    step = parsed.step or ASK
    if step not in MIGRATION_STEPS:
        raise request_refusal(
            f'There is no step "{step}".', f"Choose one of {', '.join(MIGRATION_STEPS)}."
        )
    root = await find_root(ls, parsed.uri)
    options = MigrationOptions(words=bool(parsed.words), user=bool(parsed.user))
    wish = MigrationRequest(
        options, texts=step == TEXTS, finish=step == FINISH, force=bool(parsed.force)
    )
    if step == ROLLBACK:
        return await _roll_back_migration(ls, root, force=bool(parsed.force))

    def look() -> MigrationOutcome:
        with refuse_core_errors():
            return preview_migration(Path(root.path), wish, time.time())

    planned = await ls.reader.run(look)
    if step == PLAN:
        return migration_data(planned)
    # Refuse to write below a document that is not saved.
    for saved_change in planned.file_changes:
        document = ls.documents.find_by_path(str(saved_change.file))
        if document is not None and document.text.encode() not in (saved_change.before or b""):
            raise request_refusal(
                f"{saved_change.path} is not saved, so nothing was written.", "Save it first."
            )
    if step == ASK and not await _is_confirmed(ls, planned):
        return None

    def run() -> MigrationOutcome:
        with refuse_core_errors():
            return perform_migration(Path(root.path), wish, time.time())

    done = await ls.reader.run(run)
    for change in (*done.file_changes, *planned.removal_changes):
        ls.trees.path_changed(str(change.file))
    return migration_data(done)


async def _roll_back_migration(ls: Server, root: Root, *, force: bool) -> dict[str, Any]:
    def run() -> dict[str, Any]:
        with refuse_core_errors():
            return rollback_data(roll_back_migration(Path(root.path), force=force), applied=True)

    done = await ls.reader.run(run)
    for step in done["steps"]:
        ls.trees.path_changed(str(Path(root.path, step["path"])))
    return done


async def _is_confirmed(ls: Server, planned: MigrationOutcome) -> bool:
    """Return whether the person wants what would be done, after asking in two sentences."""
    file_changes = planned.file_changes
    created = sum(change.action == "create" for change in file_changes)
    parts = [f"{format_count(created, 'file')} created", f"{len(file_changes) - created} changed"]
    parity = planned.effective_parity
    count = len(parity.differences) if parity is not None else 0
    differing = (
        f"Agents are told {format_count(count, 'thing')} differently."
        if count
        else ("Agents are told the same rules.")
    )
    message = f"CARL's tree becomes one of .synapse/: {', '.join(parts)}. {differing}"
    params = types.ShowMessageRequestParams(
        types.MessageType.Info,
        message,
        [types.MessageActionItem(_CONFIRM_TITLE), types.MessageActionItem("Cancel")],
    )
    answer = await ls.request_client(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
    return getattr(answer, "title", None) == _CONFIRM_TITLE


async def sync_files(ls: Server, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run ``synapse.sync`` on disk; the answer names the files that were written, and those that
    were left alone.

    Agents read the files from disk, and most of these are not open. One that is open and not saved
    is left alone, so that nobody's text is lost.
    """
    parsed = parse_arguments(Sync, "synapse.sync", arguments)
    unknown = [name for name in parsed.targets or () if name not in TARGETS]
    if unknown:
        raise request_refusal(
            f'There is no target "{unknown[0]}".', f"Choose one of {', '.join(TARGETS)}."
        )
    root = await find_root(ls, parsed.uri)

    def run() -> tuple[SyncPlan, tuple[SyncChange, ...]]:
        with refuse_core_errors():
            plan = plan_sync(Path(root.path), parsed.targets or (), force=bool(parsed.force))
            for change in plan.changes:
                # Refuse to write below a document that is not saved.
                document = ls.documents.find_by_path(f"{root.path}/{change.path}")
                if document is None or change.trouble or change.action == NONE:
                    continue
                if document.text != decode_text(change.before or b"").text:
                    raise request_refusal(
                        f"{change.path} is not saved, so nothing was written.", "Save it first."
                    )
            return plan, write_changes(Path(root.path), plan.changes)

    sync, written = await ls.reader.run(run)
    for change in written:
        ls.trees.path_changed(f"{root.path}/{change.path}")
    return {
        "changed": [path_to_uri(f"{root.path}/{change.path}") for change in written],
        "left": [
            f"{change.path} {change.status_clause}. {change.remedy}"
            for change in sync.changes
            if change.trouble
        ],
        "notes": list(sync.notes),
    }
