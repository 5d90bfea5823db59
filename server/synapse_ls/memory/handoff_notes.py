"""This module builds the hand-off notes of a session: a few lines, as plain values, that its
block and its continuation file carry on.

They say what was decided, what is open, which errors were met or solved, which files were touched,
and what comes next.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from synapse_ls.memory.digests.digest_page import describe_error
from synapse_ls.memory.digests.remark_patterns import ANNOUNCED
from synapse_ls.memory.digests.sentences import shorten_text
from synapse_ls.memory.digests.session_digest import Digest
from synapse_ls.memory.handoff_decision import SPAWN, HandoffDecision

MAX_NOTES = 5
MAX_FILES = 8
MAX_LINE = 140


def build_notes(digest: Digest, previous: Mapping[str, Any], *, agent: str = "") -> dict[str, Any]:
    """Returns the hand-off notes of a digest, together with the ``previous`` notes of the session
    as far as they still say something.

    Decisions and solutions add up; what is open is what the digest says that is.
    """
    return {
        "agent": agent,
        "decisions": _latest_lines(
            (*_text_list(previous, "decisions"), *digest.decisions), MAX_NOTES
        ),
        "open": _latest_lines(digest.open_items, MAX_NOTES),
        "errors": _latest_lines(
            (describe_error(f) for f in digest.errors if not f.resolution), MAX_NOTES
        ),
        "solved": _latest_lines(
            (
                *_text_list(previous, "solved"),
                *(describe_error(f) for f in digest.errors if f.resolution),
            ),
            MAX_NOTES,
        ),
        "files": _latest_lines((*_text_list(previous, "files"), *digest.files), MAX_FILES),
        "next": next_step(digest),
    }


def shorten_line(text: str) -> str:
    """Returns a text as the hand-off notes hold it: on one line, cut to its length."""
    return shorten_text(" ".join(text.split()), MAX_LINE)


def add_advice(notes: Mapping[str, Any], decision: HandoffDecision) -> dict[str, Any]:
    """Returns the hand-off notes with the reason for a new session under ``advice``, or without it
    where none is needed.
    """
    found = {name: value for name, value in notes.items() if name != "advice"}
    if decision.action == SPAWN:
        found["advice"] = decision.reasons[0].sentence
    return found


def next_step(digest: Digest) -> str:
    """Returns what comes next, for the hand-off notes: what somebody said is next, else the last
    open item, else the last request.
    """
    announced = (item for item in reversed(digest.open_items) if ANNOUNCED.search(item.lower()))
    item = next(announced, "") or next(reversed(digest.open_items), "")
    if item:
        head, colon, rest = item.partition(":")
        bare = rest.strip() if colon and ANNOUNCED.search(head.lower() + ":") else item
        return shorten_text(bare, MAX_LINE)
    return shorten_text(f"Go on after: {digest.requests[-1]}", MAX_LINE) if digest.requests else ""


def is_unfinished(digest: Digest) -> bool:
    """Returns whether a hand-off leaves work that somebody should go on with: an open item, or an
    error without a solution.
    """
    waits = any(not failed.resolution for failed in digest.errors)
    return bool(digest.open_items) or waits


def _latest_lines(items: Iterable[str], most: int) -> list[str]:
    """Returns the last distinct texts, each cut to a line, ``most`` of them at most."""
    told = [one for item in items if (one := shorten_line(item))]
    return list(dict.fromkeys(reversed(told)))[:most][::-1]


def _text_list(carried: Mapping[str, Any], name: str) -> list[str]:
    value = carried.get(name)
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
