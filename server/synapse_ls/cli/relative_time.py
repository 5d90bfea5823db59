"""This module reads and writes how long ago something is: the time of an option as people write it
(``2d``, or a date), and the age of a moment.
"""

from __future__ import annotations

import time
from argparse import ArgumentTypeError
from datetime import datetime

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}


def parse_since(argument: str) -> float:
    """Parses a relative time: returns the moment, in seconds since the epoch, that ``30min``,
    ``2d`` or an ISO 8601 date means.

    A date without a zone is one of this computer's. Raises ArgumentTypeError for anything else.
    """
    text = argument.strip().lower().removesuffix(" ago")
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(number) :].strip()
    try:
        if unit in _UNITS:
            return time.time() - float(number) * _UNITS[unit]
        return datetime.fromisoformat(argument.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise ArgumentTypeError(
            f'takes a time such as 30min, 2h, 3d or 2026-03-02T09:30, not "{argument}"'
        ) from None


def format_age(moment: float, now: float) -> str:
    """Formats a moment as a relative time, in the largest unit that fits: how long ago it is, or how
    far ahead where the clock was set back.
    """
    seconds = int(now - moment)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if abs(seconds) >= size:
            return f"{abs(seconds) // size} {unit} {'ago' if seconds > 0 else 'from now'}"
    return "just now"
