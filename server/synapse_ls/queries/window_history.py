"""This module tells the history of an agent's window, what it had been told at each moment of a
past session, by what its transcript shows of the hook, else by the hook's log, else by a replay.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from synapse_ls.queries.injection_report import cut_rules, limited_rules
from synapse_ls.storage.injection_log import parse_entries

if TYPE_CHECKING:
    from synapse_ls.integrations.transcript_turn import Turn
    from synapse_ls.queries.session_replay import ReplayStep
    from synapse_ls.storage.injection_log import Record

TRANSCRIPT = "transcript"
LOG = "log"
REPLAY = "replay"

TOLD = "told"
CUT = "cut"
LOST = "lost"
UNTOLD = "untold"

_CUT_LINE = re.compile(r"^ *… \d+ more(?: follows?)?: (?P<names>.+)$", re.MULTILINE)
_RUN = re.compile(r"(?P<stem>[A-Z0-9_]+_)(?P<first>\d+)(?:–(?P<last>\d+))?")
_MOST_OF_RUN = 1000


class Telling(NamedTuple):
    """A Telling is one reply of the hook in the history of a window: its text, or the names of the
    rules in it, and the names of those that were cut.
    """

    text: str
    names: frozenset[str] = frozenset()
    cut: frozenset[str] = frozenset()

    def tells(self, name: str, text: str) -> bool:
        """Returns whether the rule stands in it, by its name or its text."""
        return name in self.names or bool(text and text in self.text)


class ToldWindow:
    """A ToldWindow is what stands in an agent's window, and what stood there before a compaction."""

    def __init__(self) -> None:
        self._standing: list[Telling] = []
        self._lost: list[Telling] = []

    def add(self, tellings: Iterable[Telling]) -> None:
        """Adds replies that the model was shown."""
        self._standing += tellings

    def compact(self) -> None:
        """Takes everything out of the window."""
        self._lost += self._standing
        self._standing = []

    def standing_of(self, name: str, text: str) -> str:
        """Returns whether a rule is told, cut, lost or untold."""
        if any(one.tells(name, text) for one in self._standing):
            return TOLD
        if any(one.tells(name, text) for one in self._lost):
            return LOST
        return CUT if any(name in one.cut for one in self._standing) else UNTOLD

    def copy(self) -> ToldWindow:
        """Returns the window as it is now."""
        made = ToldWindow()
        made._standing, made._lost = [*self._standing], [*self._lost]
        return made


def told_text(text: str) -> Telling:
    """Returns, for the history of a window, a text of the hook that a transcript shows."""
    names = (name for line in _CUT_LINE.finditer(text) for name in _cut_names(line["names"]))
    return Telling(text, cut=frozenset(names))


def told_record(record: Record, text: str = "") -> Telling:
    """Returns, for the history of a window, a reply that the log, or a replay, has recorded."""
    names = (name for _, entries in record["sections"] for _, name in parse_entries(entries))
    return Telling(text, frozenset(names), frozenset((*cut_rules(record), *limited_rules(record))))


def windows_of_turn(
    step: ReplayStep, window: ToldWindow, evidence: str, log: list[Record]
) -> Iterator[ToldWindow]:
    """Yields the window at each use of a tool in a turn, and brings ``window`` to the turn's end.

    log: the records of the session that are not used up yet, the oldest first.
    """
    turn = step.turn
    if turn.compacted:
        window.compact()
    texts = _turn_tellings(step, evidence, log)
    first = turn.shown[0] if turn.shown else len(texts)
    done = min(first, len(texts)) if evidence == TRANSCRIPT else len(texts)
    window.add(texts[:done])
    for moment, shown in zip(turn.moments, turn.shown, strict=True):
        if moment.compacted:
            window.compact()
            if evidence == REPLAY:
                window.add(told_record(reply.record, reply.text) for reply in step.after)
        if evidence == TRANSCRIPT:
            window.add(texts[done:shown])
            done = max(done, shown)
        yield window.copy()
    window.add(texts[done:])


def _turn_tellings(step: ReplayStep, evidence: str, log: list[Record]) -> list[Telling]:
    if evidence == TRANSCRIPT:
        return [told_text(text) for text in step.turn.injected]
    if evidence == LOG:
        until = step.turn.time
        found: list[Telling] = []
        while log and (until is None or log[0]["time"] <= until + _LOG_DELAY):
            found.append(told_record(log.pop(0)))
        return found
    return [told_record(reply.record, reply.text) for reply in step.replies]


_LOG_DELAY = 5.0  # seconds after a prompt in which its reply is logged


def find_evidence(turns: Iterable[Turn], log: list[Record]) -> str:
    """Returns what says best, for the history of a window, what was told: the transcript, the log,
    or else a replay.
    """
    if any(turn.injected for turn in turns):
        return TRANSCRIPT
    return LOG if log else REPLAY


def _cut_names(written: str) -> Iterator[str]:
    """Yields the keys in a line such as ``GLOBAL_RULE_8–10, DEV_RULE_0``."""
    for run in _RUN.finditer(written):
        first, last = int(run["first"]), int(run["last"] or run["first"])
        for number in range(first, min(last, first + _MOST_OF_RUN) + 1):
            yield f"{run['stem']}{number}"
