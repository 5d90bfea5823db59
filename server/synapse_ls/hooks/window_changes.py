"""Follow a window: which replies of hooks are in it, how full it is, and when it was compacted.

A hook may be stopped, or another hook's reply may replace its own; a transcript may lag, or not
show hooks at all. So a missing reply is delivered again once; after that, only a reply that arrived
proves that the transcript can be believed. Only what leads to the newest message is in the window:
changes by a cancelled or rewound prompt are undone, and so is a compaction.

A compaction counts once, whether announced before, after, by a session start, or only visible in
usage, in the transcript's size, or in a summary. Some clients report usage only at the end of a
turn, so the session keeps the figures for later prompts.
"""

from __future__ import annotations

from synapse_ls.engine.delivery_difference import merge_standing
from synapse_ls.formats.session_file import ANNOUNCED, COMPACTION_REASON, COUNTED, SessionState
from synapse_ls.formats.session_values import COMPACTION
from synapse_ls.formats.window_state import Delivery
from synapse_ls.hooks import reply_freshness, session_upkeep
from synapse_ls.integrations import transcript_tail
from synapse_ls.integrations.hook_event import SESSION_START, Event
from synapse_ls.storage.injection_log import ARRIVED, CANCELLED, MISSING
from synapse_ls.storage.session_changes import record_compaction
from synapse_ls.storage.session_store import format_timestamp
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Final

    from synapse_ls.formats.window_state import StandingEntries, WindowState
    from synapse_ls.hooks.hook_call import HookCall

    Figures = Mapping[str, object]
    from synapse_ls.integrations.hook_client import HookClient


def current_figures(call: HookCall, session: SessionState) -> Figures | None:
    """Return the usage figures that the client gives for the window of this event now; None where
    it gives none.

    The main conversation's transcript says nothing of a sub-agent's window.
    """
    event = call.event
    silent = event.figures is None and not event.subagent
    figures: Figures | None = call.host.read_usage(event) if silent else event.figures
    return None if figures and session.context.is_outdated(figures) else figures


# Seconds in which events without anything between them tell of one compaction.
SAME_SECONDS: Final = 60.0


def announce_compaction(
    session: SessionState, event: Event, now: float, *, is_certain: bool
) -> None:
    """Note, without counting it, that a client is about to compact the window of ``event``.

    is_certain: whether nothing will show that it did not come about, as where a person cancels it.
    """
    if is_certain:
        session.forget_in_windows(COMPACTION, _subagent_key(session, event))
        for name in session.window_keys():
            for last in session.find_window(name).deliveries[-1:]:
                if not last.hash:  # by its time a rewind to before it is known
                    last.since = last.since or format_timestamp(now)
    if not event.subagent:
        session.context.compaction = ANNOUNCED, now


def is_announced(session: SessionState) -> bool:
    """Return whether the client has said that it is about to compact its history, or that it
    has.
    """
    return session.context.compaction is not None


def record_compacted(call: HookCall, session: SessionState) -> None:
    """Count the compaction of the event's window that its client reports as done, unless it is
    counted already, and have a digest made of one that was not announced.
    """
    event, now = call.event, call.now
    if not is_announced(session):
        session_upkeep.mark_digest_due(session, event, COMPACTION_REASON, now)
    if event.subagent:
        session.forget_in_windows(COMPACTION, _subagent_key(session, event))
        return
    # What the client still says of the window before is kept, so that it is known for that: figures
    # that have not fallen since the last reply.
    figures = current_figures(call, session)
    used, before = (figures or {}).get("used"), session.find_window(call.window_key).used
    if isinstance(used, int) and (before is None or used >= before):
        session.context.keep_figures(figures)
    state, at = session.context.compaction or ("", 0.0)
    if state != COUNTED or abs(now - at) > SAME_SECONDS:
        record_unannounced(session, now)
        session.context.compaction = COUNTED, now


def record_unannounced(session: SessionState, now: float) -> None:
    """Count a compaction that no event has reported."""
    session.forget_in_windows(COMPACTION)
    record_compaction(session, now)


def _subagent_key(session: SessionState, event: Event) -> str:
    """Return the key of the sub-agent's window that ``event`` is about, "" for the main ones."""
    if not event.subagent:
        return ""
    names = session.window_keys()
    return next((name for name in names if name.partition(":")[2] == event.subagent), ":")


MAX_DELIVERIES: Final = 20  # replies that can be taken back one by one
MISSING_PROMPTS: Final = 2  # after so many that do not show a reply, it is missing


def shows_compactions(host: HookClient, event: Event) -> bool:
    """Return whether the client's transcript will show in time if a compaction that it announces
    has come about.
    """
    in_time = host.has_branches and not host.shows_rewinds_late
    return in_time and transcript_tail.file_size(event.transcript) > 0


def expect_arrival(call: HookCall, window: WindowState, before: WindowState, text: str) -> None:
    """Note that ``text`` was sent, and is to be found in the conversation later. before: the window
    without it.
    """
    is_unread = call.host.reports_stops and call.event.kind != SESSION_START
    if not (call.host.has_branches or is_unread):
        return
    delivery = Delivery()
    delivery.hash, delivery.since = hash_text(text), format_timestamp(call.now)
    # Heading -> hash -> the record before of what is not in both alike, "" for none.
    changed: StandingEntries = {}
    for heading in {**before.standing, **window.standing}:
        old, new = before.standing.get(heading, {}), window.standing.get(heading, {})
        records = {h: old.get(h, "") for h in {**old, **new} if old.get(h) != new.get(h)}
        if records:
            changed[heading] = records
    delivery.undo = changed
    delivery.doubts = _lost_records(before.doubtful, window.doubtful)
    delivery.agents = tuple(a for a in window.agents if a not in before.agents)
    delivery.full_block = before.full_block()
    window.deliveries = (*window.deliveries, delivery)[-MAX_DELIVERIES:]


def _lost_records(before: StandingEntries, after: StandingEntries) -> StandingEntries:
    lost = {
        heading: {h: record for h, record in records.items() if h not in after.get(heading, ())}
        for heading, records in before.items()
    }
    return {heading: records for heading, records in lost.items() if records}


def confirm_arrivals(
    call: HookCall, session: SessionState, window: WindowState, *, is_prompt: bool
) -> bool:
    """Look in the client's transcript for the replies that nobody has seen arrive yet, and for
    those that do not stand any more; return whether it shows a compaction since the last look.
    """
    turn = "" if is_prompt else reply_freshness.turn_name(call.host, window, call.event)
    deliveries = window.deliveries
    hashes = {delivery.hash for delivery in deliveries if delivery.hash}
    branch = call.host.read_branch(call.event, hashes, window.newest_message, turn)
    if branch is None:
        return False
    places = [_take_place(branch, delivery) for delivery in reversed(deliveries)][::-1]
    for delivery, place in zip(reversed(deliveries), reversed(places), strict=True):
        if delivery.hash and delivery.since > branch.compacted:
            continue  # sent after the newest summary, which may be seen late
        if place != transcript_tail.ON_BRANCH:
            if delivery.hash and not place and delivery.since < branch.compacted:
                return True  # the last one that was not kept is what the newest summary stands for
            break
    if branch.has_turn:
        window.settled_turn = turn
    if original := call.load_original(branch.forked_from):
        _go_on_as_fork(call, session, window, original)
    # A client that resumes a session reads it from its file: what waits there is on the branch.
    if newest := (call.event.kind == SESSION_START and branch.last) or branch.newest:
        window.newest_message = newest
    if branch.whole_since is not None:
        # What is not in the conversation any more is known one by one.
        window.transcript = call.event.transcript, transcript_tail.file_size(call.event.transcript)
    _place_replies(call, window, branch, places, is_prompt=is_prompt)
    return False


def _go_on_as_fork(
    call: HookCall, session: SessionState, window: WindowState, original: SessionState
) -> None:
    """Have a session go on with the agent of the one that it turns out to be a fork of, unless it
    has one, or a prompt there may have called another one since. What else stood there is doubtful.
    """
    before = original.find_window(call.window_key)
    others = _lost_records(merge_standing(before.standing, before.doubtful), window.standing)
    if not window.agents:
        if (last := before.last_prompt) and format_timestamp(last[2]) <= session.started:
            if not session.agent.id:
                session.agent, session.task = original.agent, original.task
            window.agents = before.agents
            new = {name: before.standing[name] for name in others if name not in window.standing}
            window.standing = {**window.standing, **new}
        others = {name: records for name, records in others.items() if name in window.standing}
    window.doubtful = merge_standing(window.doubtful, others)


def doubt_last_reply(window: WindowState) -> None:
    """Have be doubtful in a window that was just compacted what came with its last reply: a client
    that compacts within a turn may keep what hooks have said of the last tool.
    """
    if len(window.deliveries) > 1:
        reply, compaction = window.deliveries[-2:]
        window.doubtful = {
            heading: {h: record for h, record in records.items() if h in reply.undo[heading]}
            for heading, records in compaction.undo.items()
            if heading in reply.undo
        }


def keep_tail(call: HookCall, window: WindowState, announced: float = 0.0) -> None:
    """Have stand in a window that was just compacted what came with the replies that the client has
    kept behind the summary. ``announced``: seconds since 1970 of when it was about to be made.
    """
    *deliveries, compaction = window.deliveries or (Delivery(),)
    hashes = {delivery.hash for delivery in deliveries if delivery.hash}
    branch = call.host.read_branch(call.event, hashes, "", "") if hashes else None
    if branch is None or not branch.dropped:
        return
    if announced and branch.compacted < format_timestamp(announced):
        return  # an earlier one
    tail: StandingEntries = {}
    unseen: StandingEntries = {}
    later = [d for d in deliveries if d.hash and "" < branch.compacted < d.since]
    for delivery in reversed(deliveries):
        is_kept = _take_place(branch, delivery) == transcript_tail.ON_BRANCH
        if delivery.hash and (is_kept or delivery in later):
            entries = tail if is_kept else unseen
            for heading, records in delivery.undo.items():
                stood = compaction.undo.get(heading, {})
                entries.setdefault(heading, {}).update((h, stood[h]) for h in records if h in stood)
    window.standing = {heading: entries for heading, entries in tail.items() if entries}
    window.doubtful = merge_standing(window.doubtful, unseen)
    if later:  # the summary was made before them
        earlier = window.copy()
        earlier.standing, earlier.deliveries = compaction.undo, tuple(deliveries)
        for delivery in reversed(later):
            _take_back(earlier, delivery)
        compaction.undo = earlier.standing
        window.deliveries = (*(d for d in deliveries if d not in later), compaction, *later)
    for name, value in compaction.full_block.items() if window.standing else ():
        setattr(window, name, value)


def _place_replies(
    call: HookCall,
    window: WindowState,
    branch: transcript_tail.Branch,
    places: list[str],
    *,
    is_prompt: bool,
) -> None:
    """Note what the branch shows of each reply; places: where it has them, in their order."""
    # Before when replies were sent that a session which starts again shows, or has lost; its first
    # prompt may have come before that.
    resumed_at = ""
    if is_resumed := call.event.kind == SESSION_START:
        stamp = call.event.raw.get("timestamp")
        resumed_at = transcript_tail.ANY_TIME
        if isinstance(stamp, int):
            resumed_at = format_timestamp(stamp / 1000)
    deliveries, has_repeated = window.deliveries, window.has_repeated
    is_missing = is_before = False  # is_before: whether it came before a compaction
    for number in reversed(range(len(deliveries))):
        delivery, place = deliveries[number], places[number]
        if not delivery.hash:
            noted = delivery.since or (deliveries[number - 1].since if number else "")
            if branch.compacted < noted <= branch.dropped:
                _take_back(window, delivery)
            else:
                is_before = True
            continue
        if delivery.since < resumed_at and not (place or is_before or delivery.has_arrived):
            place = transcript_tail.GONE  # as where the client was ended before it wrote it down
        if place == transcript_tail.OFF_BRANCH:
            _take_back(window, delivery)
            call.log_outcome(delivery, CANCELLED)
        elif place == transcript_tail.GONE:
            if is_prompt or delivery.since < resumed_at:
                is_lost = not delivery.has_arrived and branch.answered > delivery.since
                if not (is_lost and has_repeated):
                    _take_back(window, delivery)
                # Once: where nothing arrives after it, the transcript may show no replies at all.
                window.has_repeated = window.has_repeated or is_lost
                call.log_outcome(delivery, MISSING if is_lost else CANCELLED)
        elif place == transcript_tail.UNSETTLED and is_prompt:
            _doubt_reply(window, delivery)
        elif delivery.has_arrived or (place == transcript_tail.UNSETTLED and not is_resumed):
            continue
        elif place:
            delivery.has_arrived = True
            window.has_repeated = False
            call.log_outcome(delivery, ARRIVED)
        elif is_before or branch.whole_since is not None:
            continue  # from before what is shown
        elif is_prompt and branch.answered > delivery.since:
            delivery.missed += 1
            if delivery.missed == MISSING_PROMPTS:
                is_missing = True
                call.log_outcome(delivery, MISSING)
    if is_missing and not window.has_repeated:  # else nothing has arrived since all was sent again
        window.forget(COMPACTION)
        window.deliveries = ()
        window.has_repeated = True


def doubt_replies(window: WindowState, since: str = "") -> None:
    """Have what replies have brought be doubtful, all of them or those since a time: who has
    stopped a turn, or sends its prompt again, may have taken it back.
    """
    for delivery in window.deliveries[::-1]:
        if delivery.since >= since:
            _doubt_reply(window, delivery)


def _doubt_reply(window: WindowState, delivery: Delivery) -> None:
    """Make doubtful what a reply has changed: it is injected again, or revoked once it does not
    hold. What the reply only repeated stays in context.
    """
    for heading, records in delivery.undo.items():
        standing = window.standing.get(heading, ())
        delivery.undo[heading] = {h: r for h, r in records.items() if not (r and h in standing)}
    _doubt(window, delivery.undo)
    _restore(window, delivery, is_last=delivery is window.deliveries[-1])
    delivery.undo, delivery.doubts, delivery.agents = {}, {}, ()


def _take_place(branch: transcript_tail.Branch, delivery: Delivery) -> str:
    """Return where the branch's transcript has a reply, "" where that is not known. A text that was
    sent twice is there twice.
    """
    for text in branch.texts:
        identity, time, place = text
        if identity == delivery.hash and (not time or time >= delivery.since):
            branch.texts.remove(text)
            return place
    for start, end, place in branch.lost:
        if start <= delivery.since and (not end or delivery.since < end):
            return place
    is_gone = branch.whole_since is not None and branch.whole_since <= delivery.since
    return transcript_tail.GONE if is_gone else ""


def _take_back(window: WindowState, delivery: Delivery) -> None:
    """Take out of a window what a reply has changed there, which is on another branch now."""
    place = window.deliveries.index(delivery)
    later = window.deliveries[place + 1 :]
    window.deliveries = (*window.deliveries[:place], *later)
    standing = {heading: dict(entries) for heading, entries in window.standing.items()}
    for heading, records in delivery.undo.items():
        for identity, record in records.items():
            # What a later reply has changed, too, stays; what it would put back is changed.
            by_later = next(
                (d.undo[heading] for d in later if identity in d.undo.get(heading, ())), None
            )
            if by_later is not None:
                by_later[identity] = record
            elif record:
                standing.setdefault(heading, {})[identity] = record
            else:
                standing.get(heading, {}).pop(identity, None)
    window.standing = {heading: entries for heading, entries in standing.items() if entries}
    _restore(window, delivery, is_last=not later)
    if not place:
        # Replies of which nothing is known any more may have been taken back with it.
        unexplained = window.standing
        for reply in later:
            unexplained = _lost_records(unexplained, reply.undo)
        _doubt(window, unexplained)


def _doubt(window: WindowState, changes: StandingEntries) -> None:
    """Have entries be doubtful that stand, or stood before they were changed."""
    standing = {heading: dict(entries) for heading, entries in window.standing.items()}
    doubtful: StandingEntries = {}
    for heading, records in changes.items():
        for identity, before in records.items():
            if record := standing.get(heading, {}).pop(identity, "") or before:
                doubtful.setdefault(heading, {})[identity] = record
    window.standing = {heading: entries for heading, entries in standing.items() if entries}
    window.doubtful = merge_standing(window.doubtful, doubtful)


def _restore(window: WindowState, delivery: Delivery, *, is_last: bool) -> None:
    """Have the agents that came with a reply come anew, what it has settled be doubtful again and,
    where it was the last one, the full block be the one before.
    """
    doubts = _lost_records(delivery.doubts, window.standing)
    window.doubtful = merge_standing(window.doubtful, doubts)
    window.agents = tuple(agent for agent in window.agents if agent not in delivery.agents)
    for name, value in delivery.full_block.items() if is_last else ():
        setattr(window, name, value)
