"""Replay a past session from its transcript: what today's tree would inject, prompt by prompt.

The client's events are rebuilt from the transcript's turns and given to the functions behind the
hook, with session and log in memory. What a window had in context at a past moment is known from
the transcript, else from the hook's log, else from a replay.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.engine.block_assembly import Assembly, assemble_block
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.formats.session_file import DigestProgress, SessionState, new_session
from synapse_ls.formats.window_state import Delivery
from synapse_ls.hooks.digest_worker import draft_digest
from synapse_ls.hooks.event_dispatch import HANDLERS, load_handler
from synapse_ls.hooks.hook_call import HookCall
from synapse_ls.hooks.session_continuation import SessionStanding, read_workflow
from synapse_ls.integrations import hook_event, model_windows, settings_registry, transcript_formats
from synapse_ls.integrations.hook_client import HookClient
from synapse_ls.integrations.hook_event import KINDS_BY_NAME, Event, fold_name
from synapse_ls.integrations.transcript_turns import ToolMoment, Turn
from synapse_ls.queries.injection_report import cut_rules, limited_rules
from synapse_ls.storage.current_plan import CurrentPlan, load_plan
from synapse_ls.storage.injection_log import parse_entries, reply_record
from synapse_ls.storage.session_store import SessionStore, format_timestamp, sessions_folder
from synapse_ls.workspace.regular_files import open_stream

if TYPE_CHECKING:
    from synapse_ls.storage.injection_log import Record

MAX_IDS = 5  # ids at the beginning of a transcript that may be its session's
_SESSION_ID = re.compile(r'"(?:session_?id|id)" *: *"([^"\\]+)"', re.IGNORECASE)
# Seconds between two turns of a transcript without times: longer than what belongs together.
_TURN_PAUSE = 120.0


@dataclass(frozen=True, slots=True)
class ReplayedReply:
    """A reply in the replay of a session: the text that the client passes on, and the line that the
    log would have.
    """

    text: str
    record: Record


@dataclass(slots=True)
class ReplayStep:
    """A prompt in the replay of a session, counted from 1, and what was delivered for it.

    reply: what came with the prompt, None for one that a client sends twice. full: the full block
    of that moment, whatever stood in the window. before: what a compaction before the prompt, or
    the start of the session, brought; after: what came while the agent worked on it. assembly: what
    the reply was made of, or the last one before it.
    """

    number: int
    turn: Turn
    reply: ReplayedReply | None
    full: str
    full_tokens: int
    before: list[ReplayedReply] = field(default_factory=list)
    after: list[ReplayedReply] = field(default_factory=list)
    assembly: Assembly | None = None

    @property
    def replies(self) -> list[ReplayedReply]:
        """All replies of this turn, in order."""
        return [*self.before, *([self.reply] if self.reply else []), *self.after]

    @property
    def tokens(self) -> int:
        """What the replies of this turn cost together."""
        return sum(int(reply.record["tokens"]) for reply in self.replies)

    @property
    def matches_transcript(self) -> bool | None:
        """Whether the transcript shows that the same was delivered then, None where it shows no
        hook's text.
        """
        if not self.turn.injected:
            return None
        texts = {text.strip() for text in self.turn.injected}
        return all(reply.text.strip() in texts for reply in self.replies if reply.text)


def replay_session(
    root: str, turns: Iterable[Turn], host: HookClient, recorded: SessionState | None = None
) -> Iterator[ReplayStep]:
    """Replay a session under the client ``host``, in the tree at ``root`` as it is now, and yield
    its steps.

    ``turns`` are read one by one, as steps are asked for. recorded: what the tree still has of the
    session; it knows the size of the window where a transcript does not.
    """
    loaded = load_plan(root).with_all_files()
    return replay_plan(loaded.plan, turns, host, recorded, loaded.notes)


def replay_plan(
    plan: Plan,
    turns: Iterable[Turn],
    host: HookClient,
    recorded: SessionState | None = None,
    notes: tuple[str, ...] = (),
) -> Iterator[ReplayStep]:
    """Replay a session as `replay_session` does, by the plan of a tree, which need not be
    written.
    """
    # The window that the session has recorded, as a status line tells it.
    context = recorded.context if recorded else None
    figures = (model_windows.read_status_line(context) or context.figures) if context else {}
    status_line: dict[str, object] = {}
    if isinstance(figures.get("window"), int):
        status_line = {"used": None, "window": figures["window"], "model": figures.get("model")}
    return _Replay(plan, host, status_line, notes).replay_turns(turns)


def replay_subagent(plan: Plan, host: HookClient, agent: str) -> int:
    """Return the tokens of what the hook injects for a sub-agent of the client when it starts."""
    call = _Replay(plan, host, {}).start_subagent(agent)
    reply = call.replayed_reply if call else None
    return int(reply.record["tokens"]) if reply else 0


def recorded_session(root: str, ids: Sequence[str]) -> SessionState | None:
    """Return what the tree at ``root`` still has of the past session that goes by one of
    ``ids``.
    """
    store = SessionStore(sessions_folder(root))
    return next((session for id in ids if (session := store.load(id))), None)


def session_ids(path: str) -> tuple[str, ...]:
    """Return the ids that the past session whose transcript ``path`` is may have, the likeliest
    first.
    """
    with open_stream(path) as stream:
        head = stream.read(transcript_formats.HEAD_BYTES).decode("utf-8", "replace")
    stem = os.path.splitext(os.path.basename(path))[0]
    return tuple(dict.fromkeys([*_SESSION_ID.findall(head)[:MAX_IDS], stem]))


class _Replay:
    """A client, its session, and how far the replay has come."""

    def __init__(
        self,
        plan: Plan,
        host: HookClient,
        status_line: dict[str, object],
        notes: tuple[str, ...] = (),
    ) -> None:
        # Without a cache behind it, the plan counts as current from the first prompt to the last.
        self._plan = CurrentPlan(plan, None, notes, profile="", patience=None)
        self._host = host
        self._status_line = status_line
        # The events that the client is asked for; a person may have told any other client of all.
        client = settings_registry.CLIENTS.get(host.name)
        kinds = {KINDS_BY_NAME.get(fold_name(event)) for event in client.events} if client else None
        self._names = {
            kind: name
            for name, kind in reversed(host.event_kinds.items())
            if kinds is None or kind in kinds
        }
        self._now = 0.0
        self._previous_turn: Turn | None = None
        self._session: SessionState | None = None
        self._assembly: Assembly | None = None
        self._turns: list[Turn] = []
        self._progress = DigestProgress()  # how far digests have read them

    def replay_turns(self, turns: Iterable[Turn]) -> Iterator[ReplayStep]:
        for number, turn in enumerate(turns, 1):
            self._now = turn.time if turn.time is not None else self._now + _TURN_PAUSE
            before: list[ReplayedReply] = []
            if self._session is None:
                began = format_timestamp(self._now)
                self._session = new_session("replay", self._plan.plan.root, began)
                self._session.context.status_line = self._status_line
                before += _replies_with_text(
                    self._send_event(hook_event.SESSION_START, source="startup")
                )
            if turn.compacted:
                before += self._replay_compaction()
            streak = self._critical_streak
            call = self._send_event(hook_event.PROMPT, turn)
            assert call is not None
            if self._critical_streak == 1 != streak:
                self._add_digest_notes()
            self._turns.append(turn)
            assembly, reply = self._assembly, call.replayed_reply
            work = list(self._replay_work(turn))
            yield ReplayStep(number, turn, reply, *call.full_block, before, work, assembly)
            self._previous_turn = turn

    def start_subagent(self, agent: str) -> _ReplayCall | None:
        self._session = new_session("replay", self._plan.plan.root, format_timestamp(self._now))
        return self._send_event(hook_event.SUBAGENT_START, agent=agent)

    def _replay_compaction(self) -> Iterator[ReplayedReply]:
        """Yield the replies to the events of a compaction that this client has."""
        # What was used before says nothing of the window that is there now.
        self._previous_turn = None
        if is_announced := self._send_event(hook_event.COMPACTING) is not None:
            self._add_digest_notes()
        for kind, source in ((hook_event.SESSION_START, "compact"), (hook_event.COMPACTED, "")):
            yield from _replies_with_text(self._send_event(kind, source=source))
        if not is_announced:
            self._add_digest_notes()

    @property
    def _critical_streak(self) -> object:
        """Prompts in a row that were answered with hardly any window left."""
        return self._session.recovery.critical_streak if self._session else None

    def _add_digest_notes(self) -> None:
        """Add what the digest that is due adds to the session; the page and the memories are not
        made.
        """
        if self._assembly is None:
            return
        plan, situation = self._plan.plan, self._assembly.situation
        assert self._session is not None
        where = SessionStanding(self._session, plan, situation, read_workflow(plan, situation))
        self._progress = draft_digest(plan.root, where, self._turns, self._progress).progress

    def _replay_work(self, turn: Turn) -> Iterator[ReplayedReply]:
        """Yield what is delivered while the agent works: with each use of a tool, and after a
        compaction.
        """
        named = {path for moment in turn.moments for path in moment.files}
        unnamed = tuple(path for path in turn.files if path not in named)
        last = (ToolMoment(unnamed, turn.used, turn.window, turn.model),) if unnamed else ()
        touched = dict.fromkeys(unnamed)
        for moment in (*turn.moments, *last):
            if moment.compacted:
                # A turn as a digest saw it when the history was compacted before `moment`:
                # with these files.
                files = tuple(touched)
                edited = tuple(path for path in turn.edited if path in files)
                reply, steps = turn.reply[: moment.reply_length], turn.steps[: moment.step_count]
                self._turns[-1] = turn._replace(
                    files=files, edited=edited, reply=reply, steps=steps
                )
                yield from self._replay_compaction()
                self._turns[-1] = turn
            touched |= dict.fromkeys(moment.files)
            yield from _replies_with_text(self._send_event(hook_event.TOOL, turn, moment))

    def _send_event(
        self,
        kind: str,
        turn: Turn | None = None,
        moment: ToolMoment | None = None,
        *,
        source: str = "",
        agent: str = "",
    ) -> _ReplayCall | None:
        """Answer an event and return its call; None where the client has no event of that kind."""
        if (name := self._names.get(kind)) is None:
            return None
        event = Event(kind, name, {})
        event.session_id, event.cwd, event.source = "replay", self._plan.plan.root, source
        event.agent = event.subagent = agent
        figures: Turn | ToolMoment | None = self._previous_turn
        if turn is not None:
            event.model = turn.model
            if moment is None:
                event.prompt = turn.prompt
            else:
                event.files, figures = moment.files, moment
        if figures is not None and figures.used:
            event.figures = {"used": figures.used, "window": figures.window, "model": figures.model}
        assert self._session is not None
        call = _ReplayCall(event, self._host, self._plan, self._session, self._now)
        load_handler(HANDLERS[kind])(call)
        self._assembly = call.assembly or self._assembly
        return call


class _ReplayCall(HookCall):
    """An event that is answered, recorded and logged in memory."""

    IS_ONLY_SESSION = True
    __slots__ = ("assembly", "full_block", "replayed_reply")

    def __init__(
        self,
        event: Event,
        host: HookClient,
        plan: CurrentPlan,
        session: SessionState,
        moment: float,
    ) -> None:
        super().__init__(event, host, plan.plan.root, lambda _: None, moment)
        self._current_plan = plan
        # The reply and what it was made of; None where the event was not one to answer.
        self.replayed_reply: ReplayedReply | None = None
        self.assembly: Assembly | None = None
        # The block that would be delivered if nothing stood in the window, and its tokens.
        self.full_block = ("", 0)
        self.store = _MemoryStore(session)  # type: ignore[assignment]

    def log_reply(
        self, plan: Plan, assembly: Assembly, text: str, why: str = "", files: Collection[str] = ()
    ) -> None:
        name, event, now = self.host.name, self.event, self.now
        record = reply_record(plan, name, event, assembly, text, now, why=why, files=files)
        record["arrived"], record["cancelled"] = None, False
        self.replayed_reply, self.assembly = ReplayedReply(text, record), assembly
        if self.event.kind == hook_event.PROMPT:
            full = assemble_block(plan, assembly.situation, limit=self.host.reply_limit)
            self.full_block = full.text, full.tokens

    def log_outcome(self, delivery: Delivery, outcome: str) -> None:
        del delivery, outcome  # there is no log

    def follow_up(self) -> None:
        pass  # nothing is left to do


def _replies_with_text(call: _ReplayCall | None) -> list[ReplayedReply]:
    reply = call.replayed_reply if call else None
    return [reply] if reply and reply.text else []


class _MemoryStore:
    """A session store that holds the one session in memory: what is changed stays changed."""

    def __init__(self, session: SessionState) -> None:
        self._transaction = SimpleNamespace(session=session, is_new=False, commit=lambda: None)

    def load(self, _: str) -> SessionState:
        session: SessionState = self._transaction.session
        return session

    def transaction(self, *_: object, **__: object) -> AbstractContextManager[SimpleNamespace]:
        return nullcontext(self._transaction)


TRANSCRIPT, LOG, REPLAY = "transcript", "log", "replay"
TOLD, CUT, LOST, UNTOLD = "told", "cut", "lost", "untold"

_CUT_LINE = re.compile(r"^ *… \d+ more(?: follows?)?: (?P<names>.+)$", re.MULTILINE)
_RUN = re.compile(r"(?<![A-Z0-9_])(?P<stem>[A-Z0-9_]+_)(?P<first>\d+)(?:–(?P<last>\d+))?")
_MOST_OF_RUN = 1000


class Telling(NamedTuple):
    """One reply of the hook in the history of a window: its text, or the names of the rules in it,
    and the names of those that were cut.
    """

    text: str
    names: frozenset[str] = frozenset()
    cut: frozenset[str] = frozenset()

    def tells(self, name: str, text: str) -> bool:
        """Return whether the rule stands in it, by its name or its text."""
        return name in self.names or bool(text and text in self.text)


class ToldWindow:
    """What stands in an agent's window, and what stood there before a compaction."""

    def __init__(self) -> None:
        self._standing: list[Telling] = []
        self._lost: list[Telling] = []

    def add(self, tellings: Iterable[Telling]) -> None:
        """Add replies that the model was shown."""
        self._standing += tellings

    def compact(self) -> None:
        """Take everything out of the window."""
        self._lost += self._standing
        self._standing = []

    def standing_of(self, name: str, text: str) -> str:
        """Return whether a rule is told, cut, lost or untold."""
        if any(telling.tells(name, text) for telling in self._standing):
            return TOLD
        if any(telling.tells(name, text) for telling in self._lost):
            return LOST
        return CUT if any(name in telling.cut for telling in self._standing) else UNTOLD

    def copy(self) -> ToldWindow:
        """Return the window as it is now."""
        window = ToldWindow()
        window._standing, window._lost = [*self._standing], [*self._lost]
        return window


def told_record(record: Record, text: str = "") -> Telling:
    """Return, for the history of a window, a reply that the log, or a replay, has recorded."""
    names = (name for _, entries in record["sections"] for _, name in parse_entries(entries))
    return Telling(text, frozenset(names), frozenset((*cut_rules(record), *limited_rules(record))))


def windows_of_turn(
    step: ReplayStep, window: ToldWindow, evidence: str, log: list[Record]
) -> Iterator[ToldWindow]:
    """Yield the window at each use of a tool in a turn, and bring ``window`` to the turn's end.

    log: the records of the session that are not used up yet, the oldest first.
    """
    if (turn := step.turn).compacted:
        window.compact()
    if evidence == TRANSCRIPT:
        texts = [Telling(text, cut=frozenset(_cut_names(text))) for text in step.turn.injected]
    elif evidence == LOG:
        until = step.turn.time
        texts = []
        while log and (until is None or log[0]["time"] <= until + _LOG_DELAY):
            texts.append(told_record(log.pop(0)))
    else:
        texts = [told_record(reply.record, reply.text) for reply in step.replies]
    first = turn.shown[0] if turn.shown else len(texts)
    done = min(first, len(texts)) if evidence == TRANSCRIPT else len(texts)
    window.add(texts[:done])
    for moment, sent_texts in zip(turn.moments, turn.shown, strict=True):
        if moment.compacted:
            window.compact()
            if evidence == REPLAY:
                window.add(told_record(reply.record, reply.text) for reply in step.after)
        if evidence == TRANSCRIPT:
            window.add(texts[done:sent_texts])
            done = max(done, sent_texts)
        yield window.copy()
    window.add(texts[done:])


_LOG_DELAY = 5.0  # seconds after a prompt in which its reply is logged


def _cut_names(text: str) -> Iterator[str]:
    """Yield the keys that a block says were cut: ``… 4 more: GLOBAL_RULE_8–10, DEV_RULE_0``."""
    for run in _RUN.finditer(" ".join(line["names"] for line in _CUT_LINE.finditer(text))):
        first, last = int(run["first"]), int(run["last"] or run["first"])
        for number in range(first, min(last, first + _MOST_OF_RUN) + 1):
            yield f"{run['stem']}{number}"
