"""This module follows the current session of a live tree: the one that a person has pinned, or else
the newest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from synapse_ls.queries.session_lookup import CURRENT_SESSION_HOURS
from synapse_ls.storage.atomic_files import StorageError
from synapse_ls.storage.session_archive import newest_session
from synapse_ls.storage.session_store import SessionStore, sessions_folder

if TYPE_CHECKING:
    from synapse_ls.storage.session_state import SessionState


class CurrentSession:
    """A CurrentSession is what a live tree knows of the current session; ``session`` is None for a
    new, virtual one.
    """

    def __init__(self, root: str, clock: Callable[[], float]) -> None:
        self.pinned: str | None = None
        self.id = ""
        self.session: SessionState | None = None
        self._folder = sessions_folder(root)
        self._clock = clock
        self._until: float | None = None

    def refresh(self) -> bool:
        """Reads again which session it is and what it says; returns whether any of that is new."""
        before = self.id, self.session
        self._until = None
        try:
            self.id = self.pinned or self._newest_id()
            self.session = SessionStore(self._folder).load(self.id) if self.id else None
        except StorageError:
            self.session = None  # as in a new session: the lists of sessions say what is wrong
        if self.session is None:
            self.id = ""
        return (self.id, self.session) != before

    def is_over(self) -> bool:
        """Returns whether the session has been idle for so long that it is no longer the current
        one.
        """
        return self._until is not None and self._clock() > self._until

    def _newest_id(self) -> str:
        found = newest_session(self._folder, CURRENT_SESSION_HOURS, now=self._clock())
        if found is None:
            return ""
        self._until = found.last_activity + CURRENT_SESSION_HOURS * 3600
        return found.session_id
