"""This module turns the objects of vendors' libraries into the JSON values that they stand for.

What an answer of a model is made of (pydantic models with ``model_dump``) can be put into a history as
it is. What is JSON already stays the very same object.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any

from synapse_ls.compaction.compaction_errors import ShapeError

_ATOMS = (str, int, float, bool, type(None))
_DEEPEST = 200  # levels; deeper values are no part of a conversation


def plain_value(value: object, place: str, levels: int = _DEEPEST) -> Any:
    """Returns ``value`` as JSON values: models of libraries by their fields, bytes in base64.

    place: what a sentence calls it, such as "message 3". Raises ShapeError, with the place, for what
    is no JSON.
    """
    if isinstance(value, _ATOMS):
        return value
    if not levels:
        raise ShapeError(f"{place} is too deep to be part of a message")
    if callable(dump := getattr(value, "model_dump", None)) and not isinstance(value, type):
        return plain_value(dump(mode="json", exclude_none=True), place, levels - 1)
    if isinstance(value, bytes | bytearray):
        return b64encode(value).decode()
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
