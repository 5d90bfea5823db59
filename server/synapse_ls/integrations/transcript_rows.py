"""Find the replies of hooks in a transcript that has the live conversation in order.

What a person undid is marked or missing; the client's module yields the remaining rows, newest
first, and only those count.
"""

from collections.abc import Collection, Iterable
from typing import Final

from synapse_ls.integrations.transcript_tail import ANY_TIME, ON_BRANCH, Branch, sought_hashes

MESSAGE_ROW: Final = 0
ANSWER_ROW: Final = 1  # the model replied, in the main conversation
COMPACTION_ROW: Final = 2  # what stands before this is no longer in the window
PROMPT_ROW: Final = 3  # a message of a person, for a client whose undo goes back to one
LOST_ROW: Final = 4  # what stands before this is in the window, and not shown any more


class Row:
    """A message of the live conversation, or the start of it.

    identity: what names the message, "" where nothing does. texts: those that hooks have put there.
    time: as the client writes it, ISO 8601 in UTC, or "".
    """

    def __init__(
        self, kind: int, identity: object = "", texts: Iterable[str] = (), time: object = ""
    ) -> None:
        self.kind = kind
        self.identity = identity if isinstance(identity, str) else ""
        self.texts = texts
        self.time = time if isinstance(time, str) else ""


def read_rows(rows: Iterable[Row], hashes: Collection[str], newest: str = "") -> Branch:
    """Return what the live rows of a conversation, the newest first, show of replies.

    hashes: `hash_text` of the replies that are looked for. newest: identity of the newest message
    when somebody looked before, "" for never; what stands up to it is not looked at again.
    """
    branch = Branch()
    branch.has_turn = True
    for row in rows:
        branch.whole_since = row.time
        if row.kind == LOST_ROW:
            return branch
        if newest and row.identity == newest:
            branch.newest = branch.newest or newest
            return branch
        if row.kind == COMPACTION_ROW:
            branch.compacted, branch.dropped = row.time, ANY_TIME
            return branch
        branch.newest = branch.newest or row.identity
        if row.kind == ANSWER_ROW:
            branch.answered = branch.answered or row.time
        for identity in sought_hashes(row.texts, hashes):
            branch.texts.append((identity, row.time, ON_BRANCH))
    if branch.whole_since is not None:
        branch.whole_since, branch.dropped = "", ANY_TIME
    return branch
