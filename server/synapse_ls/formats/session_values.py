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

# What becomes of a reply in its window.
STANDS: Final = "stands"  # it is there from now on
PASSES: Final = "passes"  # it is there for this turn; perhaps later, too
UNSURE: Final = "unsure"  # it may have been dropped


MOST_NUMBER: Final = 1e20  # beyond which a number of a file is damage


def read_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def read_optional_text(value: object) -> str | None:
    """Return a text, None for an empty one."""
    return value if isinstance(value, str) and value else None


def read_whole(value: object) -> int | None:
    number = read_number(value)
    return number if isinstance(number, int) else None


def read_number(value: object) -> float | None:
    """Return a number with which one can calculate."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) < MOST_NUMBER else None


def read_count(value: object) -> int:
    """Return a number of times, 0 for none; one that is written as a text or a float counts."""
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < 16:
        return int(value)
    number = read_number(value)
    return int(number) if number is not None and number > 0 else 0


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
    anything else, and for a number with which one cannot calculate.
    """

    def read(value: Any) -> Any:
        if not isinstance(value, list | tuple) or (kinds := tuple(map(type, value))) not in shapes:
            return None
        for kind, item in zip(kinds, value, strict=True):
            if kind in (int, float) and not -MOST_NUMBER < item < MOST_NUMBER:
                return None
        return tuple(value)

    return read


def read_all(read: Callable[[Any], Any]) -> Callable[[Any], tuple[Any, ...]]:
    """Return what reads those items of a list that can be read."""

    def read_list(value: Any) -> tuple[Any, ...]:
        if not (value and isinstance(value, list | tuple)):
            return ()
        return tuple(item for item in map(read, value) if item is not None)

    return read_list


def read_each(read: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """Return what reads those values of a mapping that can be read."""

    def read_values(value: Any) -> dict[str, Any]:
        if not (value and isinstance(value, dict)):
            return {}
        values = {key: read(entry) for key, entry in value.items()}
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


class _Field(tuple[str, "Callable[[Any], Any] | None"]):
    """The key of a value in the object of a record, and what reads it from there."""

    __slots__ = ()


class _FixedField(_Field):
    __slots__ = ()


class _OptionalField(_Field):
    __slots__ = ()


if TYPE_CHECKING:

    def field(declared: tuple[str, Callable[[Any], T] | None]) -> T:
        """Return what declares an attribute of a `Record`: its key, and what makes the value of
        what stands there (None: that itself). It is written where it is not empty.
        """

    fixed_field = optional_field = field
else:  # not a call of ours for each of a hundred fields
    field = _Field
    fixed_field = _FixedField  # always written
    optional_field = _OptionalField  # written where it is not None


class Record:
    """An object of a session file; a subclass declares its attributes with `field`."""

    _fields: dict[str, _Field]
    _absent: dict[str, Any]  # attribute -> its value where its key is not there

    def __init__(self, document: Document | None = None) -> None:
        kind = type(self)
        if "_fields" not in vars(kind):
            fields = {**vars(kind)}
            for name, declared in vars(kind).items():
                if not isinstance(declared, _Field):
                    del fields[name]
            kind._fields, kind._absent = fields, {}
        self._document = document = document if isinstance(document, dict) else {}
        values, absent = vars(self), kind._absent
        for name, declared in kind._fields.items():
            key, read = declared
            value = document.get(key)
            if value is None and name in absent:
                value = absent[name]
            elif read and not (value is None and type(declared) is _OptionalField):
                value = read(value)
                if not value and value != {} and document.get(key) is None:
                    absent[name] = value
            values[name] = value

    def to_document(self) -> Document:
        """Return the object as it is written, with what others have put into it."""
        document = {**self._document}
        for name, declared in self._fields.items():
            key, value = declared[0], getattr(self, name)
            is_written = value
            if isinstance(value, Record):
                is_written = value = value.to_document()
            elif value and isinstance(value, tuple):
                is_written = any(value)
                value = [v.to_document() if isinstance(v, Record) else v for v in value]
            elif value and isinstance(value, dict):
                items = value.items()
                value = {k: v.to_document() if isinstance(v, Record) else v for k, v in items}
            if type(declared) is _OptionalField:
                is_written = value is not None
            if is_written or type(declared) is _FixedField:
                document[key] = value
            elif document.get(key):
                del document[key]
        return document


def read_as(kind: Callable[[Document], T], identity: str = "") -> Callable[[Any], T | None]:
    """Return what reads an object that may be missing; a text is its ``identity``."""

    def read(value: Any) -> T | None:
        document = read_record(value, identity) if value else None
        return kind(document) if document else None

    return read
