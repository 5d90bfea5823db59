"""What each agent window was told: one record per client, session and sub-agent.

The record is part of the session document, ``windows.{client}`` or ``windows.{client}:{agent}``::

    {"stands": {heading: {hash: what to call it}}, "recall": {domain: [prompt, [words]]},
     "prompt": 12, "bracket": "FRESH", "remaining": 91.5, "used": 17000, "source": "measured"}

``prompt``, ``bracket`` and ``remaining`` are those of the last full block, ``used`` and
``source`` those of the last reply.
"""

from __future__ import annotations

from synapse_ls.engine.delivery import due, lost, standing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from synapse_ls.engine.delivery import Stands
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly
    from synapse_ls.engine.situation import Situation

    Window = dict[str, Any]

FIELD = "windows"


def window_of(session: dict[str, Any], key: str) -> Window:
    """The record of a window, made empty where there is none that can be used."""
    windows = session.get(FIELD)
    if not isinstance(windows, dict):
        windows = session[FIELD] = {}
    window = windows.get(key)
    if not isinstance(window, dict) or not _sound(window.get("stands", {})):
        window = windows[key] = {}
    return window


def detached(session: dict[str, Any]) -> dict[str, Any]:
    """The session with windows of its own: looking for one in it does not change the other."""
    windows = session.get(FIELD)
    return {**session, FIELD: dict(windows) if isinstance(windows, dict) else {}}


def _sound(stands: object) -> bool:
    return isinstance(stands, dict) and all(isinstance(known, dict) for known in stands.values())


def forget(session: dict[str, Any]) -> None:
    """Nothing stands any more, in any window: the client has dropped its history."""
    windows = session.get(FIELD)
    if isinstance(windows, dict):
        for window in windows.values():
            if isinstance(window, dict):
                window["stands"] = {}


def recalled(window: Window, turn: int, prompts: int) -> Mapping[str, tuple[str, ...]]:
    """Domains whose last match is at most ``prompts`` prompts ago, with the words that matched."""
    kept = {}
    for label, seen in _recall(window).items():
        at, words = seen
        if 0 <= turn - at <= prompts:
            kept[label] = tuple(words)
    return kept


def _recall(window: Window) -> dict[str, tuple[int, list[str]]]:
    recall = window.get("recall")
    if not isinstance(recall, dict):
        return {}
    return {
        label: (seen[0], [str(word) for word in seen[1]])
        for label, seen in recall.items()
        if isinstance(seen, list)
        and len(seen) == 2
        and isinstance(seen[0], int)
        and isinstance(seen[1], list)
    }


class Known:
    """What a window holds. why: the reason to tell everything again, "" where there is none."""

    __slots__ = ("stands", "why")

    def __init__(self, stands: Stands, why: str) -> None:
        self.stands = stands
        self.why = why


def known(plan: Plan, situation: Situation, window: Window) -> Known:
    """What the window holds in ``situation``, and whether it is time to tell it again."""
    if why := lost(window, situation.usage):
        return Known({}, why)
    if plan.settings["injection"] == "always":
        return Known(window["stands"], "every prompt gets the full block (injection = always)")
    names = [bracket.name for bracket in plan.profile.brackets]
    why = due(window, situation.turn, situation.bracket, situation.usage, names)
    return Known(window["stands"], why)


def record(window: Window, assembly: Assembly, before: Known) -> None:
    """Note what a reply told; ``before`` is what the window held when it was composed."""
    situation = assembly.situation
    usage = situation.usage
    if before.why:
        window["prompt"] = situation.turn
        window["bracket"] = situation.bracket.name
        window["remaining"] = usage.remaining
    window["stands"] = standing(before.stands, assembly.wanted, assembly.sent)
    window["used"], window["source"] = usage.used, usage.source
    recall: dict[str, Any] = {label: [at, words] for label, (at, words) in _recall(window).items()}
    for taken in assembly.selection.by_layer.values():
        for domain, verdict in taken:
            if verdict.recall and verdict.code != "recalled":
                recall[domain.label] = [situation.turn, list(verdict.detail)]
    window["recall"] = {
        label: seen for label, seen in recall.items() if situation.turn - seen[0] <= 10
    }
