"""Read values of session files tolerantly, of the right type or the value for none; write them.

Any tool, or an older version, may have written the file; several words mean on and off.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, TypeVar

    Document = dict[str, Any]
    T = TypeVar("T")

# What may end a value of a session's state.
TURN: Final = "turn"  # the agent has answered a prompt
PROMPT: Final = "prompt"  # the next prompt is worked on
COMPACTION: Final = "compaction"  # what was delivered is not known to stand in the window any more
SESSION: Final = "session"  # the session begins once more, with a window that holds nothing


def read_any(value: Any) -> Any:
    return value


def read_switch(value: object) -> bool:
    return value is True


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


def read_shape(*shapes: tuple[type, ...]) -> Callable[[Any], Any]:
    """Return what reads a list whose items have the types of one of these, as a tuple; None for
    anything else.
    """

    def read(value: Any) -> Any:
        is_list = isinstance(value, list | tuple)
        return tuple(value) if is_list and tuple(map(type, value)) in shapes else None

    return read


def read_all(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads those items of a list that can be read."""

    def read_list(value: Any) -> tuple[Any, ...]:
        items = map(read, value) if isinstance(value, list | tuple) else ()
        return tuple(item for item in items if item is not None)

    return read_list


def read_each(read: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """Return what reads those values of a mapping that can be read."""

    def read_values(value: Any) -> dict[str, Any]:
        values = {key: read(entry) for key, entry in read_mapping(value).items()}
        return {key: entry for key, entry in values.items() if entry is not None}

    return read_values


def read_record(value: object, identity: str = "") -> Document | None:
    """Return an object that may be missing; a text is its ``identity``."""
    if identity and isinstance(value, str) and value:
        return {identity: value}
    return value if isinstance(value, dict) and value else None


_SWITCH_WORDS = {
    **dict.fromkeys(("active", "true", "yes", "on", "1"), True),
    **dict.fromkeys(("inactive", "false", "no", "off", "0"), False),
}


def parse_switch(value: object) -> bool | None:
    """Return True or False for a word that switches something on or off, in any case of letters;
    None where it says neither.
    """
    return _SWITCH_WORDS.get(str(value).strip().lower())


class Field:
    """Where in the object of a record a value stands, and how it is read."""

    __slots__ = ("is_fixed", "key", "read")

    def __init__(self, key: str, read: Callable[[Any], Any], is_fixed: bool) -> None:
        self.key = key
        self.read = read
        self.is_fixed = is_fixed


def field(key: str, read: Callable[[Any], T], *, is_fixed: bool = False) -> T:
    """Return what declares an attribute of a `Record`.

    read: makes the value of what stands under ``key``, None for nothing. Unless it ``is_fixed``, a
    value like that of nothing is not written.
    """
    declared: Any = Field(key, read, is_fixed)
    return declared  # type: ignore[no-any-return]


class Record:
    """An object of a session file; a subclass declares its attributes with `field`."""

    _fields: tuple[tuple[str, Field, object], ...]

    def __init_subclass__(cls) -> None:
        cls._fields = tuple(
            (name, value, _to_plain(value.read(None)))
            for name, value in vars(cls).items()
            if isinstance(value, Field)
        )

    def __init__(self, document: Document | None = None) -> None:
        self._document = document = document if isinstance(document, dict) else {}
        for name, declared, _ in self._fields:
            setattr(self, name, declared.read(document.get(declared.key)))

    def to_document(self) -> Document:
        """Return the object as it is written, with what others have put into it."""
        document = {**self._document}
        for name, declared, blank in self._fields:
            value = _to_plain(getattr(self, name))
            if declared.is_fixed or value != blank:
                document[declared.key] = value
            elif document.get(declared.key):
                del document[declared.key]
        return document


def _to_plain(value: Any) -> Any:
    if isinstance(value, Record):
        return value.to_document()
    if isinstance(value, tuple):
        return [_to_plain(item) for item in value]
    if isinstance(value, dict):
        return {k: v.to_document() if isinstance(v, Record) else v for k, v in value.items()}
    return value


def read_as(kind: Callable[[Document], T], identity: str = "") -> Callable[[Any], T | None]:
    """Return what reads an object that may be missing; a text is its ``identity``."""

    def read(value: Any) -> T | None:
        document = read_record(value, identity)
        return kind(document) if document else None

    return read
