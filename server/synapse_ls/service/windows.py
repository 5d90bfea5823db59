"""What each agent window was told: one record per client, session and sub-agent.

The record is part of the session document, ``windows.{client}`` or ``windows.{client}:{agent}``::

    {"stands": {heading: {hash: what to call it}}, "recall": {domain: [prompt, [words], code]},
     "prompt": 12, "bracket": "FRESH", "remaining": 91.5, "used": 17000, "source": "measured",
     "files": {path: prompt}, "told": [[hash, prompts that did not show it]], …}

``prompt``, ``bracket`` and ``remaining`` are those of the last full block, ``used`` (tokens, or
percent) and ``source`` those of the last reply. The rest is kept by ``asked``, ``touched``, ``confirming`` and
``unchanged``. The latest window is the last one.
"""

from __future__ import annotations

from synapse_ls.engine.delivery import due, in_doubt, in_use, merged, shrunk, standing
from synapse_ls.engine.selection import LATER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from synapse_ls.engine.delivery import Stands
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.situation import Recalled, Situation

    Window = dict[str, Any]

FIELD = "windows"
FILES = "memories"  # identity of a memory that was told -> its file, and the time of that
OWED = "owed"  # memories that begin a window were cut from the last reply
WARNINGS = "warnings"  # what the guard could not tell when a tool was about to be used
MOST = 24  # windows of a session; those of sub-agents that were not used for longest go first
REMEMBERED = 10  # prompts for which a match is kept, though its domain may be gone before
# What a window still knows when its agent has lost what it was told.
_LASTING = ("recall", "files", "asked", "commands", "agent", "prompts", "doubted")


def window_of(session: dict[str, Any], key: str) -> Window:
    """The record of a window, made empty where there is none that can be used."""
    windows = session.get(FIELD)
    if not isinstance(windows, dict):
        windows = session[FIELD] = {}
    window = windows.pop(key, None)
    if not isinstance(window, dict) or not _sound(window.get("stands", {})):
        window = {}
    windows[key] = window
    if len(windows) > MOST:
        del windows[next((name for name in windows if ":" in name), next(iter(windows)))]
    return window


def peek(session: Mapping[str, Any], key: str) -> Window:
    """The record of a window to look at; the session stays as it is."""
    windows = session.get(FIELD)
    window = windows.get(key) if isinstance(windows, dict) else None
    return window if isinstance(window, dict) and _sound(window.get("stands", {})) else {}


def latest(session: Mapping[str, Any]) -> str:
    """The key of the main window that was used last; "" where there is none."""
    windows = session.get(FIELD)
    names = list(windows) if isinstance(windows, dict) else []
    return next((name for name in reversed(names) if ":" not in name), "")


def detached(session: dict[str, Any]) -> dict[str, Any]:
    """The session with windows of its own: looking for one in it does not change the other."""
    windows = session.get(FIELD)
    return {**session, FIELD: dict(windows) if isinstance(windows, dict) else {}}


def _sound(stands: object) -> bool:
    return isinstance(stands, dict) and all(isinstance(known, dict) for known in stands.values())


def forget(session: dict[str, Any], key: str = "") -> None:
    """Nothing stands any more in the window ``key``, or in any main window: its history is gone."""
    windows = session.get(FIELD)
    for name, window in windows.items() if isinstance(windows, dict) else ():
        if isinstance(window, dict) and (name == key if key else ":" not in name):
            lose(window)


def lose(window: Window) -> None:
    """Nothing of what was told stands any more in ``window``."""
    for name in list(window):
        if name not in _LASTING:
            del window[name]


def recalled(window: Window, turn: int, prompts: int) -> Recalled:
    """Domains that came in at most ``prompts`` prompts ago for what lasts a while, and why."""
    kept = {}
    for label, (at, words, code) in _recall(window):
        if 0 <= turn - at <= prompts:
            kept[label] = (code, tuple(words))
    return kept


def _recall(window: Window) -> Iterator[tuple[str, tuple[int, list[str], str]]]:
    recall = window.get("recall")
    for label, seen in recall.items() if isinstance(recall, dict) else ():
        match seen:
            case [int(at), list(words)]:  # as it was written before there were other reasons
                yield label, (at, list(map(str, words)), "recall")
            case [int(at), list(words), str(code)] if code in LATER:
                yield label, (at, list(map(str, words)), code)


class Known:
    """What a window holds. why: the reason to tell everything again, "" where there is none.

    maybe: what it may hold beside that, which has to be taken back once it is not wanted. owed:
    memories that begin a window were cut from the last reply. files: identity of a memory -> its
    file and the time of that, when it was told.
    """

    __slots__ = ("files", "maybe", "owed", "stands", "why")

    def __init__(
        self,
        stands: Stands,
        why: str,
        maybe: Stands | None = None,
        *,
        owed: bool = False,
        files: Mapping[str, list[Any]] | None = None,
    ) -> None:
        self.stands = stands
        self.why = why
        self.maybe = maybe or {}
        self.owed = owed
        self.files = files or {}

    @property
    def remembered(self) -> set[str]:
        """The identities of the memories that the window holds, or may hold."""
        return {
            one
            for part in (self.stands, self.maybe)
            for heading, known in part.items()
            if _is_memory(heading)
            for one in known
        }

    def rules(self) -> tuple[Stands, Stands]:
        """What the window holds and may hold, without its memories."""
        stands, maybe = (
            {heading: known for heading, known in part.items() if not _is_memory(heading)}
            for part in (self.stands, self.maybe)
        )
        return stands, maybe

    @property
    def is_bare(self) -> bool:
        """Whether the memories that begin a window are due: it holds nothing, or lacks them."""
        return self.owed or not (self.stands or self.maybe)


def _is_memory(heading: str) -> bool:
    """Whether memories stand under a heading, in whatever grammar."""
    return "memory" in heading.lower()


def known(
    plan: Plan, situation: Situation, window: Window, *, keeps: bool = True, within: bool = False
) -> Known:
    """What the window holds in ``situation``, and whether it is time to tell it again.

    keeps: whether the client keeps what it injects. within: something happens within a turn, whose
    prompt was told everything that each prompt is told.
    """
    found = window.get("maybe")
    maybe: Stands = found if found and _sound(found) else {}
    stands = window.get("stands")
    if not stands:
        return Known({}, "nothing stands in this window", maybe)
    if why := shrunk(window, situation.usage):
        return Known({}, why, merged(stands, maybe))
    if not within:
        if not keeps:
            return Known({}, "this client keeps nothing")
        if plan.settings["injection"] == "always":
            why = "every prompt gets the full block (injection = always)"
            return Known({}, why, merged(stands, maybe))
    brackets = plan.profile.brackets
    why = due(window, situation.turn, situation.bracket, situation.usage, brackets)
    files = window.get(FILES)
    return Known(
        stands,
        why,
        maybe,
        owed=window.get(OWED) is True,
        files=files if isinstance(files, dict) else None,
    )


def record(window: Window, assembly: Assembly, before: Known) -> None:
    """Note what a reply told; ``before`` is what the window held when it was composed."""
    situation = assembly.situation
    usage = situation.usage
    if before.why:
        window["prompt"] = situation.turn
        window["bracket"] = situation.bracket.name
        window["remaining"] = usage.remaining
    stands = window["stands"] = standing(before.stands, assembly.wanted, assembly.sent)
    for name in ("maybe", OWED):
        window.pop(name, None)
    if any(entry.domain == "MEMORY" for entry in (*assembly.cut, *assembly.limited)):
        window[OWED] = True
    if before.maybe and (left := in_doubt(before.maybe, assembly.wanted, assembly.sent, stands)):
        window["maybe"] = left
    window["used"], window["source"] = in_use(usage), usage.source
    recall: dict[str, Any] = {label: list(seen) for label, seen in _recall(window)}
    for taken in assembly.selection.by_layer.values():
        for domain, verdict in taken:
            if verdict.recall and verdict.code in LATER:
                recall[domain.label] = [situation.turn, list(verdict.detail), verdict.code]
    window["recall"] = {
        label: seen for label, seen in recall.items() if situation.turn - seen[0] <= REMEMBERED
    }
