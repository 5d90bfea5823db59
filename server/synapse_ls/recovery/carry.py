"""What a session keeps for its hand-off: a few lines, as plain values, for the block and the file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from synapse_ls.memory.digests.digest import Digest
from synapse_ls.memory.digests.page import told
from synapse_ls.memory.digests.sentences import shortened
from synapse_ls.memory.digests.words import ANNOUNCED
from synapse_ls.recovery.decision import SPAWN, Decision

MOST = 5
FILES = 8
LINE = 140


def carried(digest: Digest, before: Mapping[str, Any], *, agent: str = "") -> dict[str, Any]:
    """The values, with what the session kept ``before`` as far as it still says something.

    Decisions and solutions add up; what is open is what the digest says that is.
    """
    return {
        "agent": agent,
        "decisions": _latest((*_texts(before, "decisions"), *digest.decisions), MOST),
        "open": _latest(digest.open_items, MOST),
        "errors": _latest((told(f) for f in digest.errors if not f.resolution), MOST),
        "solved": _latest(
            (*_texts(before, "solved"), *(told(f) for f in digest.errors if f.resolution)), MOST
        ),
        "files": _latest((*_texts(before, "files"), *digest.files), FILES),
        "next": next_step(digest),
    }


def line_of(text: str) -> str:
    """A text as it is carried: on one line, cut."""
    return shortened(" ".join(text.split()), LINE)


def advised(carried: Mapping[str, Any], decision: Decision) -> dict[str, Any]:
    """The values with the reason for a new session, or without one."""
    found = {name: value for name, value in carried.items() if name != "advice"}
    if decision.action == SPAWN:
        found["advice"] = decision.reasons[0].sentence
    return found


def next_step(digest: Digest) -> str:
    """What comes next: what somebody said is next, else the last open item, else the last request."""
    announced = (item for item in reversed(digest.open_items) if ANNOUNCED.search(item.lower()))
    item = next(announced, "") or next(reversed(digest.open_items), "")
    if item:
        head, colon, rest = item.partition(":")
        bare = rest.strip() if colon and ANNOUNCED.search(head.lower() + ":") else item
        return shortened(bare, LINE)
    return shortened(f"Go on after: {digest.asked[-1]}", LINE) if digest.asked else ""


def is_unfinished(digest: Digest) -> bool:
    """Whether work was left that somebody should go on with."""
    waits = any(not failed.resolution for failed in digest.errors)
    return bool(digest.open_items) or waits


def _latest(items: Iterable[str], most: int) -> list[str]:
    """The last distinct ones, cut to a line."""
    told = [one for item in items if (one := line_of(item))]
    return list(dict.fromkeys(reversed(told)))[:most][::-1]


def _texts(carried: Mapping[str, Any], name: str) -> list[str]:
    value = carried.get(name)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
