"""This module marks the result of a request that is JSON already."""

from __future__ import annotations

from typing import Any, NamedTuple


class PlainResult(NamedTuple):
    """A PlainResult is a result of a request in the values that JSON has, which is sent as it is.

    For answers with very many parts: making typed objects of them, only to take these apart again,
    would take longer than finding out what is in them.
    """

    value: Any
