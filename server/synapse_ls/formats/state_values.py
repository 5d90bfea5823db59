"""Read values of session files tolerantly: of the right type, or the value for none.

Any tool, or an older version, may have written the file; several words mean on and off.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Final

    Document = dict[str, Any]

# What may end a value of a session's state.
TURN: Final = "turn"  # the agent has answered a prompt
PROMPT: Final = "prompt"  # the next prompt is worked on
COMPACTION: Final = "compaction"  # what was delivered is not known to stand in the window any more
SESSION: Final = "session"  # the session begins once more, with a window that holds nothing


def read_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_optional_text(value: object) -> str | None:
    """Return a text, None for an empty one."""
    return value if isinstance(value, str) and value else None


def read_whole(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def read_number(value: object) -> float | None:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def read_count(value: object) -> int:
    """Return a number of times, 0 for none; one that is written as a text or a float counts."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    number = read_number(value)
    return int(number) if number is not None and 0 < number < float("inf") else 0


def read_optional_count(value: object) -> int | None:
    """Return a number of times, None where nobody has counted."""
    return None if value is None else read_count(value)


def read_texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        return ()
    return tuple(item for item in value if isinstance(item, str))


def read_mapping(value: object) -> Document:
    """Return a mapping of its own, {} for none."""
    return {**value} if isinstance(value, dict) else {}


def types_of(value: object) -> tuple[type, ...]:
    """Return the types of a list's items, () for what is no list."""
    return tuple(map(type, value)) if isinstance(value, list | tuple) else ()


def read_record(value: object, identity: str = "") -> Document | None:
    """Return an object that may be missing; a text is its ``identity``."""
    if identity and isinstance(value, str) and value:
        return {identity: value}
    return value if isinstance(value, dict) and value else None


def put_values(
    document: Document, values: Mapping[str, object], numbers: Mapping[str, object]
) -> Document:
    """Write into a document the ``values`` that are not empty and the ``numbers`` that are not
    None; what is neither goes.
    """
    for key, value in values.items():
        if value:
            document[key] = [*value] if isinstance(value, tuple) else value
        elif document.get(key):
            del document[key]
    for key, value in numbers.items():
        if value is not None:
            document[key] = value
        elif document.get(key):
            del document[key]
    return document


_SWITCH_WORDS = {
    **dict.fromkeys(("active", "true", "yes", "on", "1"), True),
    **dict.fromkeys(("inactive", "false", "no", "off", "0"), False),
}


def parse_switch(value: object) -> bool | None:
    """Return True or False for a word that switches something on or off, in any case of letters;
    None where it says neither.
    """
    return _SWITCH_WORDS.get(str(value).strip().lower())
