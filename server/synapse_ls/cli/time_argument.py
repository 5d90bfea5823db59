"""This module parses a time of the command line as people write it: how long ago (``2d``), or a
date.
"""

from __future__ import annotations

import time
from argparse import ArgumentTypeError
from datetime import datetime

_UNITS = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86400, "w": 604800}


def parse_since(argument: str) -> float:
    """Returns the moment, in seconds since the epoch, that ``30min``, ``2d`` or an ISO 8601 date
    means.

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
