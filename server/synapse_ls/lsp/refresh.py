"""Having lenses, hints and tokens asked for again, once things have settled.

A client asks again by itself for a document that is being edited, and for no other; but a rule in
one file changes the figures in another, and a session all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.lsp.schedule import Settled

if TYPE_CHECKING:
    from synapse_ls.lsp.app import Server

_QUIET, _LIMIT = 0.4, 2.0  # seconds


class Refresh:
    """Tells a client that what it shows may be out of date, where it can be told."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._settled = Settled(self._ask, _QUIET, _LIMIT)

    def __call__(self, *, edited: bool = False, open_files: int = 2) -> None:
        """Something changed; ``edited``: in a buffer, which concerns only the others that are open."""
        if self._server.client.refreshes and not (edited and open_files < 2):
            self._settled()

    def _ask(self) -> None:
        for method in self._server.client.refreshes:
            self._server.tasks.start(self._server.ask(method, None))
