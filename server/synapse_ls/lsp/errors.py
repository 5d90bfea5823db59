"""What goes wrong inside: logged and counted, and said to the person once.

pygls shows a message box for every failing notification, which is one per key stroke when
``didChange`` fails. Requests need none: their failure is in their response.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable

logger = logging.getLogger("synapse_ls.lsp")


class Errors:
    """The failures of one run. ``tell`` shows a sentence to the person; it is called once at most."""

    def __init__(self, tell: Callable[[str], None]) -> None:
        self.counts: Counter[str] = Counter()
        self._tell: Callable[[str], None] | None = tell

    def report(self, error: BaseException, *, answered: bool = False) -> None:
        """Note a failure; ``answered``: somebody was told in a response."""
        kind = type(error).__name__
        self.counts[kind] += 1
        if self.counts[kind] == 1:
            logger.error("%s: %s", kind, error, exc_info=error)
        else:
            logger.error("%s: %s (%d times now)", kind, error, self.counts[kind])
        if answered or self._tell is None:
            return
        tell, self._tell = self._tell, None
        tell(
            f"Synapse LS failed where it should not, and goes on: {kind}: {error}. "
            "Its log has the details; later failures are only logged."
        )


def configure_logging(level: int) -> None:
    """Log to standard error, which clients show as the server's log.

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
