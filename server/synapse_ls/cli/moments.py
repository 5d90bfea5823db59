"""Moments as people write them: how long ago, or a date."""

from __future__ import annotations

import time
from argparse import ArgumentTypeError
from datetime import datetime

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}


def since(written: str) -> float:
    """The moment, in seconds since the epoch, that ``30min``, ``2d`` or an ISO 8601 date means.

    A date without a zone is one of this computer's. ArgumentTypeError for anything else.
    """
    text = written.strip().lower().removesuffix(" ago")
    number = text.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = text[len(number) :].strip()
    try:
        if unit in _UNITS:
            return time.time() - float(number) * _UNITS[unit]
        return datetime.fromisoformat(written.strip()).timestamp()
    except (ValueError, OverflowError, OSError):
        raise ArgumentTypeError(
            f'takes a time such as 30min, 2h, 3d or 2026-03-02T09:30, not "{written}"'
        ) from None
