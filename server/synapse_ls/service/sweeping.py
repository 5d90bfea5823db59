"""A session begins: those that were left without a word are looked after.

Not every client tells that a session ends, and a terminal may just be closed. So the first prompt of a
session has digests made of those that nobody has used for an hour; by the times of files, and in a
process of its own.
"""

from __future__ import annotations

import os

from synapse_ls.service import cache
from synapse_ls.sessions.store import is_session_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.service.call import Call

MEMO: Final = "swept"
QUIET: Final = 3600.0  # seconds without a prompt after which a session is taken for left
LONGEST: Final = 7 * 86400.0  # seconds after which nobody needs a digest of it any more


def look(call: Call) -> None:
    """Have digests made of the sessions that were left since this was last done."""
    memo = cache.read_memo(call.root, MEMO).get("until")
    until = call.moment - QUIET
    since = max(until - LONGEST, memo if isinstance(memo, int | float) else 0.0)
    own = os.path.basename(call.store.path(call.event.session_id))
    try:
        with os.scandir(call.store.folder) as entries:
            left = any(
                is_session_file(entry.name)
                and entry.name != own
                and since < entry.stat(follow_symlinks=False).st_mtime <= until
                for entry in entries
            )
    except OSError:
        return
    if left:
        from synapse_ls.service.detached import run

        cache.write_memo(call.root, MEMO, {"until": until})
        run("synapse_ls.recovery.sweep", call.root, repr(since), repr(until))
