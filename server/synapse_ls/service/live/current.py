"""The session that an editor follows: the pinned one, else the newest that is active, else none.

"Now": a session is active while its last activity lies within the last hour.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from synapse_ls.service.inventory import CURRENT_HOURS, sessions_folder
from synapse_ls.sessions.archive import newest
from synapse_ls.sessions.files import SessionError
from synapse_ls.sessions.store import SessionStore


class Current:
    """What is known of the current session; ``session`` is None for a new, virtual one."""

    def __init__(self, root: str, clock: Callable[[], float]) -> None:
        self.pinned: str | None = None
        self.id = ""
        self.session: dict[str, Any] | None = None
        self._folder = sessions_folder(root)
        self._clock = clock
        self._until: float | None = None

    def look(self) -> bool:
        """Read again which session it is and what it says; whether any of that is new."""
        before = self.id, self.session
        self._until = None
        try:
            self.id = self.pinned or self._newest()
            self.session = SessionStore(self._folder).load(self.id) if self.id else None
        except SessionError:
            self.session = None  # as in a new session: the lists of sessions say what is wrong
        if self.session is None:
            self.id = ""
        return (self.id, self.session) != before

    def is_over(self) -> bool:
        """Whether the session has been idle for so long that it is no longer the current one."""
        return self._until is not None and self._clock() > self._until

    def _newest(self) -> str:
        found = newest(self._folder, CURRENT_HOURS, now=self._clock())
        if found is None:
            return ""
        self._until = found.last_activity + CURRENT_HOURS * 3600
        return found.session_id
