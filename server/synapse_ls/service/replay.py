"""A past session once more: what today's tree would have told, prompt by prompt.

The events that a client sends are made of a transcript's turns and given to the very functions that
answer the hook. The session and the log are in memory: nothing in the tree, in its sessions or in
the user's log changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from synapse_ls.engine.run import assemble
from synapse_ls.formats.session import new
from synapse_ls.hosts import event as events
from synapse_ls.hosts.event import Event
from synapse_ls.hosts.transcripts.turn import Moment
from synapse_ls.recovery.state import Standing, workflow_of
from synapse_ls.recovery.worker import drawn_of
from synapse_ls.service import keeping
from synapse_ls.service.call import Call
from synapse_ls.service.deliver import HANDLERS
from synapse_ls.service.injections import record_of
from synapse_ls.service.plans import Planned, planned
from synapse_ls.sessions.changes import timestamp
from synapse_ls.text.lazy import load

if TYPE_CHECKING:
    from types import ModuleType, TracebackType
    from typing import Any

    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.situation import Situation
    from synapse_ls.hosts.transcripts.turn import Turn
    from synapse_ls.service.injections import Record

    Session = dict[str, Any]

_PAUSE = 120.0
"""Seconds between two turns of a transcript without times: longer than what belongs together."""


@dataclass(frozen=True, slots=True)
class Told:
    """A reply: the text that the client passes on, and the line that the log would have."""

    text: str
    record: Record


@dataclass(slots=True)
class Step:
    """A prompt, counted from 1, and what was told for it.

    reply: what came with the prompt, None for one that a client sends twice. full: the full block of
    that moment, whatever stood in the window. before: what a compaction before the prompt brought;
    after: what came while the agent worked on it.
    """

    number: int
    turn: Turn
    reply: Told | None
    full: str
    full_tokens: int
    before: list[Told] = field(default_factory=list)
    after: list[Told] = field(default_factory=list)

    @property
    def told(self) -> list[Told]:
        """All that was told in this turn, in order."""
        return [*self.before, *([self.reply] if self.reply else []), *self.after]

    @property
    def tokens(self) -> int:
        """What the replies of this turn cost together."""
        return sum(int(told.record["tokens"]) for told in self.told)

    @property
    def as_then(self) -> bool | None:
        """Whether the transcript shows that this was told then, None where it shows no hook's text."""
        if not self.turn.injected:
            return None
        texts = {text.strip() for text in self.turn.injected}
        return all(told.text.strip() in texts for told in self.told if told.text)


def replayed(root: str, turns: Iterable[Turn], host: ModuleType) -> Iterator[Step]:
    """The steps of a session under the client ``host``, in the tree at ``root`` as it is now.

    ``turns`` are read one by one, as steps are asked for.
    """
    found = planned(root).whole()
    # Without a cache behind it, the plan counts as current from the first prompt to the last.
    plan = Planned(found.plan, None, found.notes, profile="", patience=None)
    return _Rehearsal(plan, host).steps(turns)


class _Rehearsal:
    """A client, its session, and how far it has come."""

    def __init__(self, plan: Planned, host: ModuleType) -> None:
        self._plan = plan
        self._host = host
        self._names = {kind: name for name, kind in reversed(host.KINDS.items())}
        self._moment = 0.0
        self._before: Turn | None = None
        self._session: Session = {}
        self._situation: Situation | None = None
        self._turns: list[Turn] = []
        self._read: dict[str, Any] = {}  # how far digests have read them

    def steps(self, turns: Iterable[Turn]) -> Iterator[Step]:
        for number, turn in enumerate(turns, 1):
            self._moment = turn.time if turn.time is not None else self._moment + _PAUSE
            if not self._session:
                began = timestamp(self._moment)
                self._session = new("replay", self._plan.plan.root, began)
                self._send(events.SESSION_START, source="startup")
            before = list(self._compacted()) if turn.compacted else []
            streak = self._streak
            call = self._send(events.PROMPT, turn)
            assert call is not None
            if self._streak == 1 != streak:
                self._digest()
            self._turns.append(turn)
            full = call.full  # of this moment: what the agent does next changes the window
            yield Step(number, turn, call.told, *full, before, list(self._worked(turn)))
            self._before = turn

    def _compacted(self) -> Iterator[Told]:
        """The events of a compaction that this client has."""
        self._before = None  # what was used before says nothing of the window that is there now
        is_announced = self._send(events.COMPACTING) is not None
        if is_announced:
            self._digest()
        for kind, source in ((events.SESSION_START, "compact"), (events.COMPACTED, "")):
            call = self._send(kind, source=source)
            if call is not None and call.told and call.told.text:
                yield call.told
        if not is_announced:
            self._digest()

    @property
    def _streak(self) -> object:
        """Prompts in a row that were answered with hardly any window left."""
        return keeping.peek(self._session).get(keeping.STREAK)

    def _digest(self) -> None:
        """What the digest that is due adds to the session; the page and the memories are not made."""
        if self._situation is None:
            return
        plan = self._plan.plan
        where = Standing(self._session, plan, self._situation, workflow_of(plan, self._situation))
        self._read = drawn_of(plan.root, where, self._turns, self._read).progress

    def _worked(self, turn: Turn) -> Iterator[Told]:
        """What is told while the agent works: with each use of a tool, and after a compaction."""
        named = {path for moment in turn.moments for path in moment.files}
        others = tuple(path for path in turn.files if path not in named)
        last = (Moment(others, turn.used, turn.window, turn.model),) if others else ()
        seen = dict.fromkeys(others)
        for moment in (*turn.moments, *last):
            if moment.compacted:
                self._turns[-1] = _until(turn, moment, tuple(seen))
                yield from self._compacted()
                self._turns[-1] = turn
            seen |= dict.fromkeys(moment.files)
            call = self._send(events.TOOL, turn, moment)
            if call is not None and call.told and call.told.text:
                yield call.told

    def _send(
        self, kind: str, turn: Turn | None = None, moment: Moment | None = None, *, source: str = ""
    ) -> _Call | None:
        """The event answered; None where the client has none of that kind."""
        name = self._names.get(kind)
        if name is None:
            return None
        event = Event(kind, name, {})
        event.session_id, event.cwd, event.source = "replay", self._plan.plan.root, source
        figures: Turn | Moment | None = self._before
        if turn is not None:
            event.model = turn.model
            if moment is None:
                event.prompt = turn.prompt
            else:
                event.files, figures = moment.files, moment
        if figures is not None and figures.used:
            event.figures = {"used": figures.used, "window": figures.window, "model": figures.model}
        call = _Call(event, self._host, self._plan, self._session, self._moment)
        load(f"synapse_ls.service.events.{HANDLERS[kind]}").handle(call)
        self._situation = call.situation or self._situation
        return call


def _until(turn: Turn, moment: Moment, files: tuple[str, ...]) -> Turn:
    """A turn as a digest saw it when the history was compacted before ``moment``: with these files."""
    edited = tuple(path for path in turn.edited if path in files)
    reply, steps = turn.reply[: moment.said], turn.steps[: moment.ran]
    return turn._replace(files=files, edited=edited, reply=reply, steps=steps)


class _Call(Call):
    """An event that is answered, recorded and logged in memory."""

    ALONE = True
    __slots__ = ("_assembly", "_made", "_record", "_session", "_text")

    def __init__(
        self, event: Event, host: ModuleType, plan: Planned, session: Session, moment: float
    ) -> None:
        super().__init__(event, host, plan.plan.root, lambda _: None, moment)
        self._planned = plan
        self._session = session
        self._made: Plan = plan.plan
        self._assembly: Assembly | None = None
        self._record: Record | None = None
        self._text = ""
        self.store = _Store(session)  # type: ignore[assignment]

    @property
    def situation(self) -> Situation | None:
        """What the reply was made for, None where none was made."""
        return self._assembly.situation if self._assembly else None

    @property
    def told(self) -> Told | None:
        """The reply, None where the event was not one to answer."""
        return None if self._record is None else Told(self._text, self._record)

    @property
    def full(self) -> tuple[str, int]:
        """The block that would be told if nothing stood in the window, and its tokens."""
        if self._assembly is None:
            return "", 0
        made = assemble(self._made, self._assembly.situation, limit=self.host.LIMIT)
        return made.text, made.tokens

    def note(
        self,
        plan: Plan,
        assembly: Assembly,
        text: str,
        why: str = "",
        files: Collection[str] = (),
    ) -> None:
        self._made, self._assembly, self._text = plan, assembly, text
        name, event, now = self.host.NAME, self.event, self.moment
        self._record = record_of(plan, name, event, assembly, text, now, why=why, files=files)
        self._record["arrived"] = None

    def confirm(self, told: str, arrived: bool) -> None:
        del told, arrived  # there is no log

    def follow_up(self, *, is_new: bool) -> None:
        del is_new  # there is nothing to tidy up


class _Store:
    """A session store that holds the one session."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def load(self, _: str) -> Session:
        return self._session

    def locked(self, *_: object, **__: object) -> _Transaction:
        return _Transaction(self._session)


class _Transaction:
    """A transaction on the session in memory: what was changed stays changed."""

    is_new = False

    def __init__(self, session: Session) -> None:
        self.session = session

    def __enter__(self) -> _Transaction:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return

    def commit(self) -> None:
        return
