"""This module turns the objects of vendors' libraries into the plain values that they stand for.

What an answer of a model is made of (pydantic models with ``model_dump``) can be put into a history as
it is. What is plain already stays the very same object. Bytes stay bytes: the libraries that take
them (those of Google and Amazon) take a text in their place for something else.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Any

from synapse_ls.compaction.compaction_errors import ShapeError

_ATOMS = (str, int, float, bool, bytes, type(None))
_DEEPEST = 200  # levels; deeper values are no part of a conversation


def plain_value(value: object, place: str, levels: int = _DEEPEST) -> Any:
    """Returns an object of a vendor's library as JSON values and bytes; its models by the fields
    that were set.

    place: what a sentence calls it, such as "message 3". Raises ShapeError, with the place, for what
    is no JSON.
    """
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, _ATOMS):
        return value
    if not levels:
        raise ShapeError(f"{place} is too deep to be part of a message")
    if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
        return plain_value(dump(by_alias=True, exclude_none=True), place, levels - 1)
    if isinstance(value, bytearray | memoryview):
        return bytes(value)
    if isinstance(value, Mapping):
        made = {
            key: plain_value(item, f"{place}, {key}", levels - 1) for key, item in value.items()
        }
        return value if all(made[key] is item for key, item in value.items()) else made
    if isinstance(value, list | tuple):
        items = [
            plain_value(item, f"{place}[{number}]", levels - 1) for number, item in enumerate(value)
        ]
        same = isinstance(value, list) and all(a is b for a, b in zip(items, value, strict=True))
        return value if same else items
    raise ShapeError(f"{place} is a {type(value).__name__}, which is no JSON")
