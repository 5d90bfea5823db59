"""JSON values as they are, or as nothing where they are of another type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def table(value: object) -> Mapping[str, Any]:
    """``value`` where it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def text(value: object) -> str:
    """``value`` where it is a text, else ""."""
    return value if isinstance(value, str) else ""


def items(value: object) -> list[Any]:
    """``value`` where it is a list, else none."""
    return value if isinstance(value, list) else []
