"""Decide by stamps that a turn's last reply is still current, and detect duplicate events.

A window remembers the stamps of its last reply: plan, rule files, the work in the session, size of
the transcript. A token is at least a byte, so while the transcript has grown by fewer bytes than
there are tokens to the next bracket, the tokens need not be counted. If the hook is registered
twice under one client, only the first process answers a prompt: in some clients the last reply
replaces the others.
"""

from __future__ import annotations

from synapse_ls.integrations.transcript_tail import file_size, is_same_file
from synapse_ls.storage import plan_cache
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.formats.session_file import SessionState
    from synapse_ls.formats.window_state import WindowState
    from synapse_ls.integrations.hook_client import HookClient
    from synapse_ls.integrations.hook_event import Event

# Bytes of transcript after which somebody looks, where nothing was known.
LOOK_BYTES: Final = 16_384


def remember_session(window: WindowState, session: SessionState) -> None:
    """Note what the session says now, by which the reply to it is known to be fresh, once it says
    what the reply was made with.
    """
    if window.sources is not None:
        window.session_hash = _session_hash(session)


def current_stamps(root: str) -> plan_cache.PlanStamps | None:
    """Return the stamps of the cached plan of a tree, None where it is not what the files say."""
    stamped = plan_cache.read_stamps(root)
    return stamped if stamped is not None and stamped.is_current() else None


def fresh_stamps(
    host: HookClient,
    stamped: plan_cache.PlanStamps | None,
    session: SessionState,
    window: WindowState,
    event: Event,
) -> plan_cache.PlanStamps | None:
    """Return the current stamps of the tree where nothing is new since the last reply, else
    None.
    """
    sources = window.sources
    if stamped is None or sources is None or window.session_hash != _session_hash(session):
        return None
    if (
        session.context.is_compacting
        or is_transcript_shorter(window, event)
        or _may_need_look(window, event)
        or note_summary(host, window, event)
    ):
        return None
    is_same = stamped.written == sources[0] and stamped.is_current_for(sources[1])
    return stamped if is_same else None


def is_transcript_shorter(window: WindowState, event: Event) -> bool:
    """Return whether the transcript is another one, or has lost something, since the last
    reply.
    """
    path, size = window.transcript
    if not (path and event.transcript) or size is None:
        return False
    if path != event.transcript:
        return not is_same_file(path, event.transcript)
    return file_size(event.transcript) < size


def note_summary(host: HookClient, window: WindowState, event: Event) -> bool:
    """Note how far the client's record of the conversation was looked through, and return whether
    it shows a summary that was not there the last time.
    """
    if event.subagent:
        return False
    history = window.history
    summary = host.find_summary(event, history[0] if history else 0)
    if summary is None:
        return False
    size, name = summary
    window.history = size, name or (history[1] if history else "")
    return bool(history and name and name != history[1])


def is_settled(host: HookClient, window: WindowState, event: Event) -> bool:
    """Return whether it is known where in the conversation the turn of a tool stands, or nobody
    can tell.
    """
    turn = turn_name(host, window, event)
    waits = window.deliveries and turn and event.transcript and not event.subagent
    return not (waits and host.has_branches) or window.settled_turn == turn


def turn_name(host: HookClient, window: WindowState, event: Event) -> str:
    """Return the client's name for the turn of a tool, or ours where a look is needed in each; ""
    for none.
    """
    last = window.last_prompt if host.shows_rewinds_late else None
    return event.turn or (str(last[2]) if last else "")


def _may_need_look(window: WindowState, event: Event) -> bool:
    """Return whether the window may be fuller by so much that it matters."""
    until, used = window.next_change, window.used
    if used is None and not event.subagent:
        # Of a window of which nothing is known, as before its first answer.
        used, until = 0, LOOK_BYTES
    if until is None or used is None:
        return False
    if event.figures is not None:
        used_now = event.figures.get("used")
        return isinstance(used_now, int | float) and (used_now >= until or used_now < used)
    size = window.transcript[1]
    if not event.transcript or size is None:
        return False
    return used + file_size(event.transcript) - size >= until


def _session_hash(session: SessionState) -> str:
    active = (session.agent, session.workflow, session.task, session.squad)
    documents = [record and record.to_document() for record in active]
    return hash_text(repr([*documents, session.overrides]))


DUPLICATE_SECONDS: Final = 2.0  # seconds within which nobody writes the same prompt twice
HOOK_TIMEOUT: Final = 60.0  # seconds that a client waits for a hook, before it starts the next one
START_SECONDS: Final = 10.0  # seconds that a client may take to call the hooks of a session's start

_MAX_STAMP: Final = 253402300800000  # milliseconds until the year 10000


def is_repeated(host: HookClient, window: WindowState, event: Event, now: float) -> bool:
    """Return whether ``event`` reports the prompt that another registration has just answered.

    Where the client stamps its events and both have the same stamp, it took its time between the
    two; another stamp may be another event.
    """
    last = window.last_prompt
    if last is None or not is_last_prompt(window, event):
        return False
    stamp = _event_stamp(event)
    is_same = bool(stamp) and stamp == last[3]
    if host.stamps_events and stamp and not is_same:
        return False
    return abs(now - last[2]) < (HOOK_TIMEOUT if is_same else DUPLICATE_SECONDS)


def is_recently_prompted(window: WindowState, now: float, seconds: float = START_SECONDS) -> bool:
    """Return whether a prompt was answered in the last ``seconds``, by default so lately that a
    session's start may still be on its way.
    """
    last = window.last_prompt
    return last is not None and abs(now - last[2]) < seconds


def remember_prompt(window: WindowState, event: Event, now: float) -> None:
    """Note the prompt of ``event`` in the window, so that the same event is recognised when it
    comes twice.
    """
    window.last_prompt = _prompt_hash(event), event.turn, now, _event_stamp(event)


def _prompt_hash(event: Event) -> str:
    return hash_text(f"{event.kind} {event.prompt}")  # names are spelled by registration


def _event_stamp(event: Event) -> str:
    """Return when the client began to report the event, "" where it does not say; spelled by
    registration, too.
    """
    stamp = event.raw.get("timestamp")
    if isinstance(stamp, int) and 0 <= stamp < _MAX_STAMP:
        return format_timestamp(stamp / 1000)
    return stamp if isinstance(stamp, str) else ""


def is_last_prompt(window: WindowState, event: Event) -> bool:
    """Return whether an event reports the prompt that was answered last, in the same turn of its
    client.
    """
    last = window.last_prompt
    return last is not None and last[:2] == (_prompt_hash(event), event.turn)
