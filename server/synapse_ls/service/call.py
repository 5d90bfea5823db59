"""One event of an agent client while it is being answered."""

from __future__ import annotations

import os

from synapse_ls.service import injections
from synapse_ls.service.plans import PATIENCE, planned
from synapse_ls.sessions.store import SessionStore
from synapse_ls.workspace.folders import SESSIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from types import ModuleType
    from typing import Any

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.hosts.event import Event
    from synapse_ls.service.plans import Planned
    from synapse_ls.sessions.store import Transaction

    Write = Callable[[dict[str, Any]], None]

LOCK_SECONDS = 2.0  # a client waits for its hook; past that a stateless answer is better
LOGGED = 20  # notices of one plan that the log keeps


class Call:
    """``event`` of the client ``host`` in the tree at ``root``, at ``moment``.

    replied: whether an answer was written; there is one at most. key: the record of the window that
    the event is about, ``{client}`` or ``{client}:{sub-agent}``.
    """

    ALONE = False
    """Whether there is this session and no other, as where one is played again."""

    __slots__ = ("_planned", "_write", "event", "host", "key", "moment", "replied", "root", "store")

    def __init__(
        self, event: Event, host: ModuleType, root: str, write: Write, moment: float
    ) -> None:
        self.event = event
        self.host = host
        self.root = root
        self.moment = moment
        self.replied = False
        self.key = f"{host.NAME}:{event.window}" if event.window else str(host.NAME)
        self.store = SessionStore(os.path.join(root, SESSIONS))
        self._write = write
        self._planned: Planned | None = None

    @property
    def plan(self) -> Planned:
        """The plan of the tree, looked for when it is first asked for."""
        if self._planned is None:
            self._planned = planned(self.root, patience=PATIENCE)
        return self._planned

    @property
    def takes_context(self) -> bool:
        """Whether the client passes text on that is in the reply to this event."""
        return bool(self.host.reply(self.event, "."))

    def locked(self) -> Transaction:
        """A transaction on the session of the event."""
        return self.store.locked(
            self.event.session_id,
            cwd=self.event.cwd or self.root,
            now=self.moment,
            timeout=LOCK_SECONDS,
        )

    def reply(self, text: str = "") -> bool:
        """Answer with ``text`` for the agent; False where the client does not pass it on."""
        reply = self.host.reply(self.event, text) if text else {}
        self.answer(reply)
        return bool(reply) or not text

    def answer(self, reply: dict[str, Any]) -> None:
        """Write ``reply``, unless there was one."""
        if not self.replied:
            self.replied = True
            self._write(reply)

    def note(
        self,
        plan: Plan,
        assembly: Assembly,
        text: str,
        why: str = "",
        files: Collection[str] = (),
    ) -> None:
        """Log that ``text`` was told; why, files: as in `injections.note`."""
        name, event, now = self.host.NAME, self.event, self.moment
        injections.note(plan, name, event, assembly, text, now, why=why, files=files)

    def confirm(self, told: str, arrived: bool) -> None:
        """Log whether the transcript shows the reply whose `text_hash` is ``told``."""
        injections.confirm(self.root, self.host.NAME, self.event, told, arrived, self.moment)

    def follow_up(self, *, is_new: bool) -> None:
        """What is left to do when the client has its answer; ``is_new``: a session has begun."""
        if self._planned is None:
            return
        plan = self._planned
        if plan.cached is None:
            if plan.plan.notices:
                from synapse_ls.service import log

                for notice in plan.plan.notices[:LOGGED]:
                    log.line(f"{self.root}: {notice}")
            if plan.incomplete:
                plan.finish()
        hours = plan.plan.settings["stale_hours"]
        if is_new and self.store.has_stale(self.moment, hours):
            from synapse_ls.sessions.archive import archive_stale

            archive_stale(self.store.folder, now=self.moment, hours=hours)
