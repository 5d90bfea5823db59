"""``synapse.migrate``: what ``synapse migrate`` does, on disk.

The answer is the report of ``synapse migrate --format json``, or of a rollback. Without a step the
person is asked first, so that a click changes nothing unseen.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from synapse_ls.lsp.asked import root_of
from synapse_ls.lsp.command_params import Migrate, asked
from synapse_ls.lsp.refusal import refusal, refusing
from synapse_ls.manage.migrate.plan import Options
from synapse_ls.manage.migrate.report import Told, report, rollback_report
from synapse_ls.manage.migrate.rollback import roll_back
from synapse_ls.manage.migrate.run import Wish, perform, preview
from synapse_ls.text.counted import counted

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server
    from synapse_ls.lsp.roots import Root

ASK, PLAN, MIGRATE, TEXTS, FINISH, ROLLBACK = (
    "ask",
    "plan",
    "migrate",
    "texts",
    "finish",
    "rollback",
)
STEPS = (ASK, PLAN, MIGRATE, TEXTS, FINISH, ROLLBACK)
_DO = "Migrate"


async def migrate(ls: Server, given: Mapping[str, Any]) -> dict[str, Any] | None:
    """Do a step of a migration; None where the person did not want it."""
    found = asked(Migrate, "synapse.migrate", given)
    step = found.step or ASK
    if step not in STEPS:
        raise refusal(f'There is no step "{step}".', f"Choose one of {', '.join(STEPS)}.")
    root = await root_of(ls, found.uri)
    options = Options(words=bool(found.words), user=bool(found.user))
    wish = Wish(options, texts=step == TEXTS, finish=step == FINISH, force=bool(found.force))
    if step == ROLLBACK:
        return await _rollback(ls, root, force=bool(found.force))

    def look() -> Told:
        with refusing():
            return preview(Path(root.path), wish, time.time())

    planned = await ls.reader.run(look)
    if step == PLAN:
        return report(planned)
    _check(ls, planned)
    if step == ASK and not await _is_wanted(ls, planned):
        return None

    def run() -> Told:
        with refusing():
            return perform(Path(root.path), wish, time.time())

    done = await ls.reader.run(run)
    for change in (*done.made, *planned.going):
        ls.trees.on_disk(str(change.file))
    return report(done)


async def _rollback(ls: Server, root: Root, *, force: bool) -> dict[str, Any]:
    def run() -> dict[str, Any]:
        with refusing():
            return rollback_report(roll_back(Path(root.path), force=force), applied=True)

    done = await ls.reader.run(run)
    for step in done["steps"]:
        ls.trees.on_disk(str(Path(root.path, step["path"])))
    return done


async def _is_wanted(ls: Server, planned: Told) -> bool:
    """Whether the person wants what would be done, told in two sentences."""
    made = planned.made
    created = sum(change.action == "create" for change in made)
    parts = [f"{counted(created, 'file')} created", f"{len(made) - created} changed"]
    parity = planned.said
    count = len(parity.differences) if parity is not None else 0
    differing = (
        f"Agents are told {counted(count, 'thing')} differently."
        if count
        else ("Agents are told the same rules.")
    )
    message = f"CARL's tree becomes one of .synapse/: {', '.join(parts)}. {differing}"
    params = types.ShowMessageRequestParams(
        types.MessageType.Info,
        message,
        [types.MessageActionItem(_DO), types.MessageActionItem("Cancel")],
    )
    answer = await ls.ask(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
    return getattr(answer, "title", None) == _DO


def _check(ls: Server, planned: Told) -> None:
    """Refuse to write below a document that is not saved."""
    for change in planned.made:
        document = ls.documents.at(str(change.file))
        if document is not None and document.text.encode() not in (change.before or b""):
            raise refusal(f"{change.path} is not saved, so nothing was written.", "Save it first.")
