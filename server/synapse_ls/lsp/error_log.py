"""This module logs and counts the server's own failures, and shows the first one to the person.

pygls shows a message box for every failing notification, which is one per key stroke when
``didChange`` fails. Requests need none: their failure is in their response.
"""

from __future__ import annotations

import logging
import os
from collections import Counter
from collections.abc import Callable

logger = logging.getLogger("synapse_ls.lsp")


class ErrorLog:
    """An ErrorLog logs the failures of one run of the server. ``show_sentence`` shows a sentence to
    the person; it is called once at most.
    """

    def __init__(self, show_sentence: Callable[[str], None]) -> None:
        self.counts: Counter[str] = Counter()
        self._show_sentence: Callable[[str], None] | None = show_sentence

    def report(self, error: BaseException, *, answered: bool = False) -> None:
        """Logs a failure; ``answered``: the client gets it in a response, so the person need not be
        shown anything.
        """
        kind = type(error).__name__
        self.counts[kind] += 1
        if self.counts[kind] == 1:
            logger.error("%s: %s", kind, error, exc_info=error)
        else:
            logger.error("%s: %s (%d times now)", kind, error, self.counts[kind])
        if answered or self._show_sentence is None:
            return
        tell, self._show_sentence = self._show_sentence, None
        tell(
            f"Synapse LS failed where it should not, and goes on: {kind}: {error}. "
            "Its log has the details; later failures are only logged."
        )


LOG_LEVELS = ("error", "warning", "info", "debug")
"""The levels that a person may set, from the quietest on."""


def set_log_level(word: str) -> None:
    """Sets from which level on errors are logged, one of `LOG_LEVELS`; "" is what the environment
    says.
    """
    level = getattr(logging, word.upper()) if word else usual_level()
    logging.getLogger("synapse_ls").setLevel(level)


def usual_level() -> int:
    """Returns the level of the log that the environment asks for."""
    return logging.DEBUG if os.environ.get("SYNAPSE_DEBUG") else logging.INFO


def configure_logging(level: int) -> None:
    """Sets up logging to standard error, which clients show as the server's log.

    pygls logs every message it sends with its whole body at INFO; a handler that sends log records
    to the client would then never end. It is kept at WARNING, whatever ``level`` is.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.WARNING)
    logging.getLogger("synapse_ls").setLevel(level)
    logging.getLogger("pygls").setLevel(logging.WARNING)
