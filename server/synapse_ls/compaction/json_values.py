"""Read JSON values as they are, or as nothing where they are of another type."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import Any


def object_or_empty(value: object) -> Mapping[str, Any]:
    """Return a JSON value where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def text_or_empty(value: object) -> str:
    """Return a JSON value where it is a text, else ""."""
    return value if isinstance(value, str) else ""


def list_or_empty(value: object) -> list[Any]:
    """Return a JSON value where it is a list, else none."""
    return value if isinstance(value, list) else []


def encoded_text(value: object) -> str:
    """Return a text as it is and bytes in base64, as JSON values have them; else ""."""
    return b64encode(value).decode() if isinstance(value, bytes) else text_or_empty(value)
