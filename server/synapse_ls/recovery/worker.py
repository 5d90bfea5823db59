"""Making the digest of a session: what is worth keeping is written down, remembered and carried on.

It is made before a client compacts a history, when hardly any window is left, when a session ends, and
whenever somebody asks. The mark in the session (`service.keeping`) stays until all of it was written, so
that a process that is killed here is followed by another that does it again; what is done twice says the
same under the same name.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import astuple, dataclass, replace
from typing import Any

from synapse_ls.formats.continuation import Continuation
from synapse_ls.formats.memory_fields import CORRECTION
from synapse_ls.hosts.transcripts.turn import Turn
from synapse_ls.memory.digests import page
from synapse_ls.memory.digests.digest import Correction, Digest, Failed, digest_of
from synapse_ls.memory.places import MEMORY
from synapse_ls.memory.store import MemoryStore
from synapse_ls.recovery import file
from synapse_ls.recovery.carry import advised, carried, is_unfinished
from synapse_ls.recovery.decision import SPAWN, Decision, decide
from synapse_ls.recovery.spawn import begin
from synapse_ls.recovery.state import Standing, continuation_of, counters_of, score_of, standing
from synapse_ls.recovery.transcripts import agents_of, progress_of, turns_of, unread
from synapse_ls.service import keeping, log, windows
from synapse_ls.service.errors import ServiceError
from synapse_ls.service.touched import within
from synapse_ls.sessions.changes import timestamp
from synapse_ls.sessions.files import PRIVATE_FILE, HeldError, Lock, SessionError, atomic_write
from synapse_ls.sessions.names import file_stem
from synapse_ls.sessions.store import SessionStore, create_folder, ignore_in_git
from synapse_ls.workspace.folders import SESSIONS

DIGESTS = f"{MEMORY}/digests"
DONE = "done"
FAILED = "failed"
MANUAL = "manual"
TRIES = keeping.TRIES


@dataclass(frozen=True, slots=True)
class Made:
    """What was made. digest, continuation: paths from the root, "" for none. remembered: ids."""

    digest: str
    continuation: str
    decision: Decision
    remembered: tuple[str, ...] = ()
    turns: int = 0


def main(root: str, session_id: str) -> None:
    """Make what is due, in a process of its own."""
    from time import time

    make(root, session_id, now=time())


def make(
    root: str,
    session_id: str,
    *,
    now: float,
    reason: str = "",
    transcript: str = "",
    patience: float = 0.0,
) -> Made | None:
    """Make the digest that is due; None where none is, or another process is at it.

    reason: make one whether it is due or not. transcript: where the conversation stands, else where
    the session says. patience: seconds to wait for another process. What goes wrong is logged, and
    tried again with a later event, a few times; with a ``reason`` it is raised.
    """
    store = SessionStore(os.path.join(root, SESSIONS))
    folder = os.path.join(root, DIGESTS)
    lock = Lock(os.path.join(folder, f".{file_stem(session_id)}"), patience, keep=False)
    try:
        create_folder(folder)
        with lock:
            mark = _begun(store, session_id, root, now, reason, transcript)
            return _made(root, store, session_id, mark, now) if mark else None
    except (SessionError, ServiceError, OSError) as error:
        if reason:
            raise
        if not (isinstance(error, HeldError) and error.path == lock.path):
            log.note(error)
        return None


def _begun(
    store: SessionStore, session_id: str, root: str, now: float, reason: str, transcript: str
) -> dict[str, Any]:
    """The mark of what is to be made, with one try more; {} for nothing.

    After a few tries in vain the mark goes, so that no event is held up by it for ever.
    """
    session = store.load(session_id)
    if session is None:
        return {}
    known = keeping.peek(session).get(keeping.DUE)
    mark = dict(known) if isinstance(known, dict) else {}
    if not (isinstance(known, dict) or reason):
        return {}
    place = transcript or mark.get("transcript") or transcript_of(session)
    at = mark.get("at")
    mark["at"] = at if isinstance(at, int | float) and 0 <= at <= now else now
    mark["transcript"] = place if isinstance(place, str) else ""
    mark["reason"] = reason or str(mark.get("reason") or keeping.COMPACT)
    tries = mark.get("tries")
    mark["tries"] = (tries if isinstance(tries, int) else 0) + 1

    def note(document: dict[str, Any]) -> None:
        recovery = keeping.noted(document)
        if mark["tries"] > TRIES and not reason:
            recovery.pop(keeping.DUE, None)
        else:
            recovery[keeping.DUE] = mark

    store.update(session_id, note, cwd=root, now=now)
    if mark["tries"] > TRIES and not reason:
        log.line(f"{root}: no digest of session {session_id} could be made in {TRIES} tries")
        return {}
    return mark


def transcript_of(session: Mapping[str, Any]) -> str:
    """The transcript of the window that was told something last, as far as the session knows it."""
    window = windows.peek(session, windows.latest(session))
    kept = window.get("transcript")
    done = keeping.peek(session).get(DONE)
    for place in (
        kept[0] if isinstance(kept, list) and kept else "",
        done.get("transcript") if isinstance(done, dict) else "",
    ):
        if isinstance(place, str) and place:
            return place
    return ""


def preview(root: str, session_id: str, *, now: float, transcript: str = "") -> Continuation:
    """The continuation that a hand-off would write now; nothing is written. Raises as `make` does."""
    where = standing(root, session_id)
    place = transcript or transcript_of(where.session)
    drawn = _drawn(root, where, {"transcript": place})
    found = _continuation(root, drawn, MANUAL, now)
    assert found is not None
    return found


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a transcript yields, before anything is written. progress: how far it was read; first: the
    number of the first turn of the digest, from 1. kept: what the session carries then."""

    where: Standing
    progress: dict[str, Any]
    first: int
    digest: Digest
    agent: str
    kept: dict[str, Any]
    decision: Decision
    client: str


def _drawn(root: str, where: Standing, mark: Mapping[str, Any]) -> Drawn:
    known = keeping.peek(where.session).get(DONE)
    turns = turns_of(str(mark.get("transcript") or ""))
    before = known if isinstance(known, dict) else {}
    same = before.get("transcript") == mark.get("transcript")
    return drawn_of(root, where, turns, before if same else {})


def drawn_of(root: str, where: Standing, turns: list[Turn], progress: Mapping[str, Any]) -> Drawn:
    """What a conversation yields that was read as far as ``progress`` before; the session carries it."""
    first, fresh = unread(turns, progress)
    names = agents_of(turns, where.plan)
    if not any(names):
        names = [where.situation.agent] * len(turns)
    carrying = keeping.peek(where.session).get(keeping.CARRIED)
    kept = dict(carrying) if isinstance(carrying, dict) else {}
    still = kept.get("open")
    waiting = [item for item in still if isinstance(item, str)] if isinstance(still, list) else []
    digest = digest_of(_inside(root, fresh), names[first - 1 :], waiting, _failed(progress))
    read = {
        **progress_of(turns),
        FAILED: [list(astuple(f)[:3]) for f in digest.errors if not f.resolution],
    }
    digest = replace(digest, errors=digest.errors or _met(where.session))
    decision = decide(counters_of(where))
    agent = (names[-1] if names else "") or where.situation.agent
    if not digest.is_empty:
        kept = carried(digest, kept, agent=agent)
    kept = advised(kept, decision)
    keeping.noted(where.session)[keeping.CARRIED] = kept
    client = windows.latest(where.session)
    return Drawn(where, read, first, digest, agent, kept, decision, client)


def _failed(progress: Mapping[str, Any]) -> list[Failed]:
    """The errors that nobody had solved when the last digest was made."""
    known = progress.get(FAILED)
    rows = known if isinstance(known, list) else []
    shape = [str, str, int]
    return [Failed(*row) for row in rows if isinstance(row, list) and [*map(type, row)] == shape]


def _met(session: Mapping[str, Any]) -> tuple[Failed, ...]:
    """The errors that events told of, where the client's transcript tells of none."""
    known = keeping.peek(session).get(keeping.MET)
    rows = known.values() if isinstance(known, dict) else ()
    shape = [str, str, int, str]
    return tuple(
        Failed(*row) for row in rows if isinstance(row, list) and [*map(type, row)] == shape
    )


def _inside(root: str, turns: list[Turn]) -> list[Turn]:
    """The turns with their files as the tree knows them; those outside of it are left out."""

    def known(paths: tuple[str, ...]) -> tuple[str, ...]:
        found = (within(root, path) for path in paths)
        return tuple(dict.fromkeys(path for path in found if path))

    return [turn._replace(files=known(turn.files), edited=known(turn.edited)) for turn in turns]


def _made(
    root: str, store: SessionStore, session_id: str, mark: dict[str, Any], now: float
) -> Made:
    where = standing(root, session_id)
    drawn = _drawn(root, where, mark)
    known = keeping.peek(where.session).get(DONE)
    path = str(known.get("digest") or "") if isinstance(known, dict) else ""
    ids: tuple[str, ...] = ()
    if not drawn.digest.is_empty:
        path = _written(root, drawn, mark)
        ids = _remembered(root, session_id, drawn, now)
    continuation = _continuation(root, drawn, str(mark["reason"]), now)
    left = file.write(root, continuation) if continuation else ""
    _finish(store, session_id, root, mark, drawn, path, now)
    if drawn.decision.action == SPAWN and left and begin(root, where, drawn.client, left):
        _note_spawned(store, session_id, root, now)
    return Made(path, left, drawn.decision, ids, drawn.digest.turns)


def _written(root: str, drawn: Drawn, mark: Mapping[str, Any]) -> str:
    """Write the page; its path from the root. The same digest always has the same name."""
    at = timestamp(float(mark["at"]))
    session = str(drawn.where.session.get("uuid") or "")
    situation = drawn.where.situation
    about = page.About(
        session,
        at,
        str(mark["reason"]),
        drawn.client,
        drawn.agent,
        situation.workflow_written,
        situation.task,
        situation.story,
        (drawn.first, drawn.progress["turns"]),
    )
    stem = f"{at[:19].replace(':', '-')}-{file_stem(session)[:12]}-{drawn.first}"
    path = f"{DIGESTS}/{stem}.md"
    text = page.render(drawn.digest, about)
    atomic_write(
        os.path.join(root, path), text.encode("utf-8", "replace"), durable=True, mode=PRIVATE_FILE
    )
    ignore_in_git(os.path.join(root, MEMORY))
    return path


def _remembered(root: str, session_id: str, drawn: Drawn, now: float) -> tuple[str, ...]:
    """Keep the corrections of the person as memories: of the agent whom they told, else for all."""
    found = []
    store = MemoryStore(root)
    for one in drawn.digest.corrections:
        record = store.remember(
            one.text,
            now=now,
            type=CORRECTION,
            agent=one.agent,
            scope="private" if one.agent else "shared",
            explicit=not one.momentary,
            storage="durable" if one.lasting else "daily",
            tags=_tags(one),
            source=f"session {session_id}, turn {drawn.first - 1 + one.turn}",
        )
        found.append(record.id)
    return tuple(found)


def _tags(correction: Correction) -> tuple[str, ...]:
    return ("correction", *((correction.agent,) if correction.agent else ()))


def _continuation(root: str, drawn: Drawn, reason: str, now: float) -> Continuation | None:
    """The continuation; None where a session has ended with nothing left, and none of it is there."""
    where, digest = drawn.where, drawn.digest
    facts = where.situation.task_facts
    waits = any(not ticked for _, ticked in facts.criteria) if facts else False
    unfinished = is_unfinished(digest) or waits or reason != keeping.ENDED
    if not unfinished:
        before = file.of_session(root, str(where.session.get("uuid")))
        if before is None or before.state == file.FINISHED:
            return None
    told = {
        "decisions": digest.decisions,
        "open": digest.open_items,
        "errors": tuple(page.told(failed) for failed in digest.errors),
        "files": digest.files,
    }
    return continuation_of(
        root,
        where,
        client=drawn.client,
        reason=reason if reason == MANUAL else drawn.decision.code or reason,
        now=now,
        told=told,
        unfinished=unfinished,
    )


def _forget_solved(recovery: dict[str, Any], drawn: Mapping[str, Any]) -> None:
    """What went away before the digest was made has been told; the rest is told again."""
    known, told = recovery.get(keeping.MET), keeping.peek(drawn).get(keeping.MET)
    if isinstance(known, dict) and isinstance(told, dict):
        recovery[keeping.MET] = {
            pattern: row
            for pattern, row in known.items()
            if row != told.get(pattern) or not (isinstance(row, list) and row[-1:] != [""])
        }


def _note_spawned(store: SessionStore, session_id: str, root: str, now: float) -> None:
    def note(session: dict[str, Any]) -> None:
        keeping.noted(session)[keeping.SPAWNED] = timestamp(now)

    store.update(session_id, note, cwd=root, now=now)


def _finish(
    store: SessionStore,
    session_id: str,
    root: str,
    mark: Mapping[str, Any],
    drawn: Drawn,
    path: str,
    now: float,
) -> None:
    """Note what was done; what became due meanwhile stays due."""
    score = score_of(drawn.where.plan, drawn.where.situation.agent)

    def note(session: dict[str, Any]) -> None:
        recovery = keeping.noted(session)
        due = recovery.get(keeping.DUE)
        if isinstance(due, dict) and due.get("at") == mark["at"]:
            del recovery[keeping.DUE]
        recovery[DONE] = {
            "transcript": mark["transcript"],
            **drawn.progress,
            "at": timestamp(now),
            "digest": path,
            "agent": drawn.agent,
        }
        recovery[keeping.CARRIED] = drawn.kept
        _forget_solved(recovery, drawn.where.session)
        if score is not None and mark["reason"] == keeping.COMPACT:
            recovery["scores"] = {"before": score, "agent": drawn.where.situation.agent}

    store.update(session_id, note, cwd=root, now=now)
