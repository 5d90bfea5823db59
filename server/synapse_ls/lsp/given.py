"""What a client sends back as it was sent, or as the arguments of a command: read with care."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def strings(value: Any) -> dict[str, str]:
    """The strings by name in an object; {} where it is none."""
    return {name: text for name, text in fields(value).items() if isinstance(text, str)}


def fields(value: Any) -> dict[str, Any]:
    """The fields of an object, which pygls may have made a named tuple of; {} where it is none."""
    if hasattr(value, "_asdict"):
        value = value._asdict()
    return {str(name): item for name, item in value.items()} if isinstance(value, Mapping) else {}
