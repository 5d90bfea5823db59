"""Make the digest of a session from its transcript: page, memories, continuation and notes.

Made before a compaction, when little of the window is left, at the end of a session, and on
request. The mark in the session (`RecoveryMarks`) is removed last, so a killed process is followed
by another that repeats everything; repeated writes have the same names and content.
"""

import os
from collections.abc import Iterable
from dataclasses import astuple, dataclass, replace
from time import time
from typing import Any

from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.prompt_parser import Prompt
from synapse_ls.formats import continuation_file, memory_file
from synapse_ls.formats.session_file import (
    COMPACTION_REASON,
    ENDED_REASON,
    MAX_TRIES,
    AgentScore,
    DigestProgress,
    DueDigest,
    SessionState,
)
from synapse_ls.hooks.hook_call import path_in_root
from synapse_ls.hooks.session_continuation import (
    SessionStanding,
    build_continuation,
    count_for_handoff,
    forget_others,
    read_standing,
    spawn_session,
)
from synapse_ls.hooks.session_recovery import SPAWN, HandoffDecision, agent_score, decide_handoff
from synapse_ls.integrations import client_registry, transcript_formats, transcript_tail
from synapse_ls.integrations.transcript_turns import Turn, read_lines
from synapse_ls.memory import continuations, memory_paths, session_digest
from synapse_ls.memory.memory_store import MemoryStore
from synapse_ls.memory.session_digest import Digest, DigestError, build_digest, build_notes
from synapse_ls.storage import plan_cache
from synapse_ls.storage.atomic_files import PRIVATE_FILE, FileLock, LockTimeoutError, atomic_write
from synapse_ls.storage.current_plan import load_plan
from synapse_ls.storage.hook_log import log_error, log_line
from synapse_ls.storage.session_archive import DIGEST_STEM
from synapse_ls.storage.session_store import (
    SessionStore,
    create_private_folder,
    format_timestamp,
    ignore_in_git,
    session_file_stem,
)
from synapse_ls.storage.trusted_trees import is_closed_to_prompts
from synapse_ls.text.secret_masking import mask_secrets
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.regular_files import open_stream
from synapse_ls.workspace.tree_folders import SESSIONS

_GROWING_PARTS = ("reply", "steps", "files", "edited")  # of a turn, those that grow


def read_turns(path: str) -> list[Turn]:
    """Return the turns of the main conversation in a transcript that a digest is made of; none
    where no transcript can be read.

    Raises OSError.
    """
    if not path:
        return []
    with open_stream(path) as stream:
        reader, lines = transcript_formats.recognise_lines(read_lines(stream))
        return [] if reader is None else list(reader.read_turns(lines))


def unread_turns(turns: list[Turn], progress: DigestProgress) -> tuple[int, list[Turn]]:
    """Return the turns that no digest was made of yet, those after ``progress``, and the number of
    the first of them, from 1.

    The last turn may have gone on: a digest is made when a prompt comes, and a history is mostly
    compacted in the midst of a turn. What was said and done in it since counts, without its prompt.
    """
    turns_read = progress.turns
    if not 0 < turns_read <= len(turns):
        return 1, turns
    sizes, last = progress.last, turns[turns_read - 1]
    if len(sizes) == len(_GROWING_PARTS) and sizes != _part_sizes(last):
        rest = {
            name: getattr(last, name)[at:] for name, at in zip(_GROWING_PARTS, sizes, strict=True)
        }
        return turns_read, [last._replace(prompt="", **rest), *turns[turns_read:]]
    return turns_read + 1, turns[turns_read:]


def _part_sizes(turn: Turn) -> tuple[int, ...]:
    return tuple(len(getattr(turn, name)) for name in _GROWING_PARTS)


def agents_by_turn(turns: Iterable[Turn], plan: Plan) -> list[str]:
    """Return, for a digest, who was at work in each turn: the agent whom its prompt calls, nobody
    after ``*exit``, else the one of the turn before.
    """
    agents: list[str] = []
    agent = ""
    for turn in turns:
        prompt = Prompt(turn.prompt, agents=plan.agents, activations=plan.settings["activate"])
        if prompt.agent:
            agent = plan.agents.get(prompt.agent.lower(), prompt.agent)
        if prompt.leaves:
            agent = ""
        agents.append(agent)
    return agents


DIGEST_FOLDER = f"{memory_paths.MEMORY}/digests"
MANUAL_REASON = "manual"


@dataclass(frozen=True, slots=True)
class DigestResult:
    """What `make_digest` has written. digest, continuation: paths from the root, "" for
    none.
    """

    digest: str
    continuation: str
    decision: HandoffDecision
    turns: int = 0


def main(root: str, session_id: str) -> None:
    """Make the digest that is due, in a process of its own."""
    make_digest(root, session_id, now=time())


def make_digest(
    root: str,
    session_id: str,
    *,
    now: float,
    reason: str = "",
    transcript: str = "",
    lock_seconds: float = 0.0,
) -> DigestResult | None:
    """Make the digest that is due; return None where none is, or another process is at it.

    reason: make one whether it is due or not. transcript: where the conversation stands, else where
    the session says. lock_seconds: how long to wait for another process. What goes wrong is logged,
    and tried again with a later event, a few times; with a ``reason`` it is raised.
    """
    store = SessionStore(os.path.join(root, SESSIONS))
    folder = os.path.join(root, DIGEST_FOLDER)
    lock = FileLock(
        os.path.join(folder, f".{session_file_stem(session_id)}"),
        lock_seconds,
        within=root,
        keep=False,
    )
    try:
        create_private_folder(folder, root)
        with lock:
            mark = _begin_digest(store, session_id, root, now, reason, transcript)
            if mark is None:
                return None
            where = read_standing(root, session_id)
            if reason:  # without one, its client has just told of the session
                forget_others(root, where.session)
            return _make_due_digest(root, store, where, mark, now)
    except (UserError, OSError) as error:
        if reason:
            raise
        if not (isinstance(error, LockTimeoutError) and error.path == lock.path):
            log_error(error)
        return None


def _begin_digest(
    store: SessionStore, session_id: str, root: str, now: float, reason: str, transcript: str
) -> DueDigest | None:
    """Return the mark of the digest that is to be made, with one try more; None for nothing.

    After a few tries in vain the mark goes, so that no event is held up by it for ever.
    """
    session = store.load(session_id)
    if session is None or not (session.recovery.due or reason):
        return None
    mark = session.recovery.due or DueDigest()
    if mark.at is None or not 0 <= mark.at <= now:
        mark.at = now
    mark.transcript = transcript or transcript_path(root, session)
    mark.reason = reason or mark.reason or COMPACTION_REASON
    mark.tries += 1
    keeps_none = not load_plan(root).plan.settings["memory"]["digests"]
    in_vain = mark.tries > MAX_TRIES and not reason

    def write_mark(changed: SessionState) -> None:
        changed.recovery.due = None if in_vain or keeps_none else mark

    store.update(session_id, write_mark, cwd=root, now=now)
    if in_vain:
        log_line(f"{root}: no digest of session {session_id} could be made in {MAX_TRIES} tries")
        return None
    return None if keeps_none else mark


def transcript_path(root: str, session: SessionState) -> str:
    """Return the transcript that the digest of a session is made of: that of the digest that is
    due, else of the window that got the last reply, else of the last digest; "" for none.

    One that no event of the session has named here counts for nothing: its file may have come with
    the repository, also in the place of this user's own.
    """
    due, done = session.recovery.due, session.recovery.done
    window, _ = session.find_window(session.latest_window_key()).transcript
    for path in (due.transcript if due else "", window, done.transcript if done else ""):
        mark = plan_cache.transcript_mark(session.id, path)
        if path and plan_cache.is_known_session(root, mark):
            return path
    return ""


def preview_continuation(
    root: str, session_id: str, *, now: float, transcript: str = ""
) -> continuation_file.Continuation:
    """Return the continuation that the digest worker would write now for a hand-off; nothing is
    written. Raises as `make_digest` does.
    """
    where = read_standing(root, session_id)
    place = transcript or transcript_path(root, forget_others(root, where.session))
    draft = _draft_digest(root, where, place)
    continuation = _draft_continuation(root, draft, MANUAL_REASON, now)
    assert continuation is not None
    return continuation


def write_continuation(
    root: str, session_id: str, *, now: float, transcript: str = ""
) -> tuple[continuation_file.Continuation, str]:
    """Have the digest worker write the continuation for a hand-off now; return it and its path.
    Raises UserError where another process is at it.
    """
    digest = make_digest(
        root, session_id, now=now, reason=MANUAL_REASON, transcript=transcript, lock_seconds=10.0
    )
    path = os.path.join(root, digest.continuation) if digest else ""
    continuation = continuations.read_continuation(path, root) if digest else None
    if digest is None and not load_plan(root).plan.settings["memory"]["digests"]:
        raise UserError(
            "Nothing is written down, because `memory.digests` is false.",
            "`synapse policy` says who has set it.",
        )
    if digest is None or continuation is None:
        raise UserError(
            f"Another process is writing down session {session_id}.", "Try again when it is done."
        )
    return continuation, digest.continuation


@dataclass(frozen=True, slots=True)
class DigestDraft:
    """What the worker gets from a transcript for a digest, before anything is
    written. progress: how far it was read; first: the number of the first turn of the digest, from
    1. notes: the hand-off notes that the session carries then.
    """

    standing: SessionStanding
    progress: DigestProgress
    first: int
    digest: Digest
    agent: str
    notes: dict[str, Any]
    decision: HandoffDecision
    client: str


def _draft_digest(root: str, standing_session: SessionStanding, transcript: str) -> DigestDraft:
    before = standing_session.session.recovery.done or DigestProgress()
    same = transcript_tail.is_same_file(before.transcript, transcript)
    try:
        turns = read_turns(transcript)
    except OSError as error:
        # Clients tidy up. What the session itself has noted is worth handing over all the same.
        log_line(f"{root}: the transcript {transcript} cannot be read: {error.strerror}")
        return replace(draft_digest(root, standing_session, [], before), progress=before)
    return draft_digest(root, standing_session, turns, before if same else DigestProgress())


def draft_digest(
    root: str, standing_session: SessionStanding, turns: list[Turn], progress: DigestProgress
) -> DigestDraft:
    """Return what a digest keeps of a conversation that was read as far as ``progress`` before; the
    session carries its notes from then on.
    """
    first, fresh = unread_turns(turns, progress)
    names = agents_by_turn(turns, standing_session.plan)
    if not any(names):
        names = [standing_session.situation.agent] * len(turns)
    notes = dict(standing_session.session.recovery.notes)
    still = notes.get("open")
    waiting = [item for item in still if isinstance(item, str)] if isinstance(still, list) else []
    digest = build_digest(
        _keep_tree_files(root, fresh),
        names[first - 1 :],
        waiting,
        [DigestError(*row) for row in progress.unsolved],
        begun if isinstance(begun := notes.get("begun"), str) else "",
    )
    # How far the digest worker has read a conversation: the number of its turns, and the
    # sizes of the last turn's parts.
    new_progress = DigestProgress()
    new_progress.turns = len(turns)
    new_progress.last = _part_sizes(turns[-1]) if turns else ()
    new_progress.unsolved = tuple(astuple(f)[:3] for f in digest.errors if not f.resolution)
    reported = standing_session.session.recovery.reported_errors.values()
    if not digest.errors:  # of clients whose transcripts have none
        digest = replace(digest, errors=tuple(DigestError(*row) for row in reported))
    decision = decide_handoff(count_for_handoff(standing_session))
    agent = (names[-1] if names else "") or standing_session.situation.agent
    if not digest.is_empty:
        notes = build_notes(digest, notes, agent=agent)
    standing_session.session.recovery.notes = notes
    client = standing_session.session.latest_window_key()
    return DigestDraft(
        standing_session, new_progress, first, digest, agent, notes, decision, client
    )


def _keep_tree_files(root: str, turns: list[Turn]) -> list[Turn]:
    """Return the turns with their files relative to the tree; files outside of it are left out."""

    def paths_inside(paths: tuple[str, ...]) -> tuple[str, ...]:
        inside = (path_in_root(root, path) for path in paths)
        return tuple(dict.fromkeys(path for path in inside if path))

    return [
        turn._replace(files=paths_inside(turn.files), edited=paths_inside(turn.edited))
        for turn in turns
    ]


def _make_due_digest(
    root: str, store: SessionStore, where: SessionStanding, mark: DueDigest, now: float
) -> DigestResult:
    session_id = where.session.id
    draft = _draft_digest(root, where, mark.transcript)
    before = where.session.recovery.done
    path = before.digest if before else ""
    if not draft.digest.is_empty:
        # Write the page of the digest; the same one always has the same name.
        at = format_timestamp(mark.at or 0.0)
        session = draft.standing.session.id
        situation = draft.standing.situation
        about = session_digest.DigestOrigin(
            session,
            at,
            mark.reason,
            draft.client,
            draft.agent,
            situation.workflow_written,
            situation.task,
            situation.story,
            (draft.first, draft.progress.turns),
        )
        stem = (
            f"{at[:19].replace(':', '-')}-{session_file_stem(session)[:DIGEST_STEM]}-{draft.first}"
        )
        path = f"{DIGEST_FOLDER}/{stem}.md"
        text = mask_secrets(session_digest.render_page(draft.digest, about))
        data = text.encode("utf-8", "replace")
        atomic_write(os.path.join(root, path), data, within=root, durable=True, mode=PRIVATE_FILE)
        ignore_in_git(os.path.join(root, memory_paths.MEMORY), root)
        # Store the corrections of the person as memories, of the agent whom they were told, else
        # shared.
        correction_store = MemoryStore(root)
        host = client_registry.load_client(draft.client)
        marks_commands = host is not None and host.marks_commands
        keeps_memories = where.plan.settings["memory"]["enabled"] and not is_closed_to_prompts(
            root, marks_commands=marks_commands
        )
        for correction in draft.digest.corrections if keeps_memories else ():
            correction_store.remember(
                correction.text,
                now=now,
                type=memory_file.CORRECTION_TYPE,
                agent=correction.agent,
                scope="private" if correction.agent else "shared",
                explicit=not correction.momentary,
                storage="durable" if correction.lasting else "daily",
                tags=("correction", *((correction.agent,) if correction.agent else ())),
                source=f"session {session_id}, turn {draft.first - 1 + correction.turn}",
            )
    continuation = _draft_continuation(root, draft, mark.reason, now)
    try:
        continuation_path = (
            continuations.write_continuation(root, continuation) if continuation else ""
        )
    finally:  # what was noted is not noted again because one file cannot be written
        _finish_digest(store, session_id, root, mark, draft, path, now)
    if (
        draft.decision.action == SPAWN
        and continuation_path
        and spawn_session(root, where, draft.client, continuation_path)
    ):

        def write_spawned(session: SessionState) -> None:
            session.recovery.spawned = format_timestamp(now)

        store.update(session_id, write_spawned, cwd=root, now=now)
    return DigestResult(path, continuation_path, draft.decision, draft.digest.turns)


def _draft_continuation(
    root: str, drawn: DigestDraft, reason: str, now: float
) -> continuation_file.Continuation | None:
    """Return the continuation; None where a session has ended with nothing left to do and none was
    written before.
    """
    where, digest = drawn.standing, drawn.digest
    facts = where.situation.task_facts
    waits = any(not ticked for _, ticked in (facts.all_criteria if facts else ()))
    waits = waits or any(not error.resolution for error in digest.errors)
    unfinished = bool(digest.open_items) or waits or reason != ENDED_REASON
    if not unfinished:
        before = continuations.continuation_of_session(root, where.session.id)
        if before is None or before.state == continuations.FINISHED:
            return None
    codes = (met.code for met in drawn.decision.reasons)
    notes = {
        "decisions": digest.decisions,
        "open": digest.open_items,
        "errors": tuple(session_digest.describe_error(failed) for failed in digest.errors),
        "files": digest.files,
    }
    return build_continuation(
        root,
        where,
        client=drawn.client,
        reason=next(codes, reason) if reason != MANUAL_REASON else reason,
        now=now,
        digest_lists=notes,
        unfinished=unfinished,
    )


def _finish_digest(
    store: SessionStore,
    session_id: str,
    root: str,
    mark: DueDigest,
    drawn: DigestDraft,
    path: str,
    now: float,
) -> None:
    """Note in the session what was done; what became due meanwhile stays due."""
    agent = drawn.standing.situation.agent
    score = agent_score(drawn.standing.plan, agent)
    reported_errors = drawn.standing.session.recovery.reported_errors
    progress = drawn.progress
    progress.transcript, progress.at = mark.transcript, format_timestamp(now)
    progress.digest, progress.agent = path, drawn.agent

    def write_finished(session: SessionState) -> None:
        marks = session.recovery
        if marks.due and marks.due.at == mark.at:
            marks.due = None
        marks.done, marks.notes = progress, drawn.notes
        # Errors whose solution is in the digest now are done; the others stay for the next one.
        marks.reported_errors = {
            pattern: row
            for pattern, row in marks.reported_errors.items()
            if row != reported_errors.get(pattern) or not row[3]
        }
        if score is not None and mark.reason == COMPACTION_REASON:
            marks.score = AgentScore()
            marks.score.before, marks.score.agent = score, agent

    store.update(session_id, write_finished, cwd=root, now=now)
