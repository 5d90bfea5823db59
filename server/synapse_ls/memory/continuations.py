"""Decide whether a session continues, hands off or needs a new session; store continuations.

The decision is pure. Thresholds: Chati Context Engine, "Spawn Decision Criteria", inclusive, except
that the score has to drop by *more than* 15 percent. Earlier continuations are kept beside the
latest.
"""

import os
from collections.abc import Iterator
from math import isfinite
from typing import NamedTuple

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.formats.continuation_file import Continuation, parse, render_continuation
from synapse_ls.formats.session_file import MAX_COMPACTIONS, MAX_CRITICAL_STREAK
from synapse_ls.storage import atomic_files
from synapse_ls.storage.session_store import create_private_folder, free_name, ignore_in_git
from synapse_ls.text.secret_masking import mask_secrets
from synapse_ls.workspace.rule_systems import is_chati_tree
from synapse_ls.workspace.tree_folders import CHATI_CONTINUATION, CONTINUATION

# Go on in this window; write the hand-off now; go on in a new session.
CONTINUE, HANDOFF, SPAWN = "continue", "handoff", "spawn"

MAX_SCORE_DROP = 15  # % of the score before


def agent_score(plan: Plan, agent: str) -> float | None:
    """Return the score of the session's agent that the tree's own state names; None where it names
    none.
    """
    scores = plan.extra.get("scores")
    score = scores.get(agent) if isinstance(scores, dict) and agent else None
    if isinstance(score, bool) or not isinstance(score, int | float):
        return None
    return float(score)


class SessionCounters(NamedTuple):
    """The figures of a session that the hand-off decision is made from.

    compactions: how often its history was compacted. critical_streak: prompts in a row in the last
    bracket. score_before, score_after: of the agent, in points, before and after the last
    compaction; None where nobody has given one. agent_done: the active agent has done its part, and
    the next step is another's. critical: the hand-off is due in the present bracket.
    """

    compactions: int = 0
    critical_streak: int = 0
    score_before: float | None = None
    score_after: float | None = None
    agent_done: bool = False
    critical: bool = False


class HandoffReason(NamedTuple):
    """One reason for a hand-off decision, a criterion that is met: its name in the continuation
    file, and a sentence.
    """

    code: str
    sentence: str


class HandoffDecision(NamedTuple):
    """The hand-off decision, what a session should do (`CONTINUE`, `HANDOFF` or `SPAWN`), and every
    reason for it, the strongest first; none for "continue".
    """

    action: str
    reasons: tuple[HandoffReason, ...] = ()

    @property
    def reason_code(self) -> str:
        """The reason that a continuation file names."""
        return self.reasons[0].code if self.reasons else ""


def decide_handoff(counters: SessionCounters) -> HandoffDecision:
    """Make the hand-off decision: return what a session with these counters should do. Scores that
    are not finite numbers count as unknown.
    """
    before, after = counters.score_before, counters.score_after
    has_dropped = (
        before is not None
        and after is not None
        and isfinite(before)
        and isfinite(after)
        and (before - after) * 100 > MAX_SCORE_DROP * before
    )
    criteria = (
        (
            counters.compactions >= MAX_COMPACTIONS,
            "compact",
            f"The history was compacted {counters.compactions} times in one session: the context "
            "is churning too fast.",
        ),
        (
            has_dropped,
            "score_drop",
            f"The agent's score fell from {before:g} to {after:g} after the compaction, by more "
            f"than {MAX_SCORE_DROP} %: it lost what it needs."
            if has_dropped
            else "",
        ),
        (
            counters.critical_streak >= MAX_CRITICAL_STREAK,
            "critical",
            f"{counters.critical_streak} prompts in a row were answered with hardly any window "
            "left: recovery is not working.",
        ),
        (
            counters.agent_done,
            "agent_done",
            "The active agent has done its part, and the next step is another agent's.",
        ),
    )
    if reasons := tuple(HandoffReason(code, text) for is_met, code, text in criteria if is_met):
        return HandoffDecision(SPAWN, reasons)
    if counters.critical:
        sentence = "Little of the context window is left, so the hand-off is due."
        return HandoffDecision(HANDOFF, (HandoffReason("critical", sentence),))
    return HandoffDecision(CONTINUE)


MAX_EARLIER = 20  # files before the latest one
LOCK_SECONDS = 5.0  # seconds
MAX_BYTES = 1_000_000  # bytes
EXTENSION = ".md"
FINISHED = "finished"  # the state of work that nobody has to go on with


def continuation_place(root: str) -> str:
    """Return the path from the root at which the latest continuation is written."""
    return _continuation_places(root)[0]


def _continuation_places(root: str) -> tuple[str, ...]:
    """Return where the latest continuation is, and where it may be from before."""
    return (CHATI_CONTINUATION, CONTINUATION) if is_chati_tree(root) else (CONTINUATION,)


def latest_continuation(root: str) -> Continuation | None:
    """Read the continuation that was written last, None where there is none."""
    places = (os.path.join(root, place) for place in _continuation_places(root))
    found = (read_continuation(path, root) for path in places)
    return next(filter(None, found), None)


def read_continuation(path: str, root: str) -> Continuation | None:
    """Read a stored continuation from a file of the tree at ``root``; None where there is no file
    or it names no session.
    """
    data = _read_file(path, root)
    if data is None:
        return None
    continuation = parse(data.decode("utf-8", "replace"))
    return continuation if continuation.session else None


def write_continuation(root: str, continuation: Continuation) -> str:
    """Store the continuation as the latest one and return its path from the root. Raises
    StorageError.

    What stood there is kept under its time, so that nothing that a person wrote into it is lost.
    """
    place = continuation_place(root)
    path = os.path.join(root, place)
    folder = os.path.dirname(path)
    create_private_folder(folder, root)
    with atomic_files.FileLock(path, LOCK_SECONDS, within=root):
        data = mask_secrets(render_continuation(continuation)).encode("utf-8", "replace")
        before = _read_file(path, root)
        if before is not None and before != data:
            # Write the content of `path` to a file beside it, named by the time at which it was
            # made.
            created_at = parse(before.decode("utf-8", "replace")).created
            stem = (
                "".join(
                    c if c.isalnum() or c in "TZ" else "-" for c in created_at.partition(".")[0]
                )
                or "undated"
            )
            target = os.path.join(os.path.dirname(path), stem + EXTENSION)
            if os.path.lexists(target):
                target = free_name(target.removesuffix(EXTENSION)) + EXTENSION
            atomic_files.atomic_write(
                target, before, within=root, durable=True, mode=atomic_files.PRIVATE_FILE
            )
        atomic_files.atomic_write(
            path, data, within=root, durable=True, mode=atomic_files.PRIVATE_FILE
        )
        for old in earlier_paths(root, place)[MAX_EARLIER:]:
            atomic_files.remove_quietly(old, within=root)
    if place == CONTINUATION:
        ignore_in_git(folder, root)
    return place


def earlier_paths(root: str, place: str) -> list[str]:
    """Return the paths of the continuations stored before the one at ``place``, the newest
    first.
    """
    folder, own = os.path.split(os.path.join(root, place))
    try:
        names = os.listdir(folder)
    except OSError:
        return []
    return [
        os.path.join(folder, name)
        for name in sorted(names, reverse=True)
        if name.endswith(EXTENSION) and name != own and not name.startswith(".")
    ]


def find_unfinished(root: str, agent: str = "") -> Continuation | None:
    """Return the newest stored continuation that somebody should go on with, None for none.

    agent: who is about to: its own work counts, and that of no agent in particular; "" for
    anybody's. Of each session its last word counts.
    """
    sessions = set()
    for continuation in _stored_continuations(root):
        if continuation.session in sessions:
            continue
        sessions.add(continuation.session)
        if continuation.state != FINISHED and (not agent or continuation.agent in ("", agent)):
            return continuation
    return None


def continuation_of_session(root: str, session: str) -> Continuation | None:
    """Return the newest stored continuation that a session has left, None for none."""
    stored = _stored_continuations(root)
    return next((continuation for continuation in stored if continuation.session == session), None)


def _stored_continuations(root: str) -> Iterator[Continuation]:
    """Yield the stored continuations, the newest first; in a tree of Chati.dev those that were
    written beside it before come last.
    """
    for place in _continuation_places(root):
        for path in (os.path.join(root, place), *earlier_paths(root, place)):
            if (continuation := read_continuation(path, root)) is not None:
                yield continuation


def _read_file(path: str, root: str) -> bytes | None:
    try:
        return atomic_files.read_bytes(path, MAX_BYTES, within=root)
    except atomic_files.StorageError:
        return None
