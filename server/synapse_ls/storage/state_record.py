"""This module is the base of the typed records of a session file: a table of fields, by which a
record is parsed once, written once and forgets what an event ends.

Values are replaced and never changed in place, unless a field says otherwise.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, Self

    Document = dict[str, Any]

# What may end the value of a field.
TURN: Final = "turn"  # the agent has answered a prompt
PROMPT: Final = "prompt"  # the next prompt is worked on
COMPACTION: Final = "compaction"  # what was delivered is not known to stand in the window any more
SESSION: Final = "session"  # the session begins once more, with a window that holds nothing
ALL: Final = (TURN, PROMPT, COMPACTION, SESSION)


class Field:
    """A Field is one value of a session record.

    name: of the attribute. key: of the value in the file. read: makes the value of what stands
    there, and the default of None. outlives: the events after which the value still holds.
    is_always_written: whether the default is written, too. reduce: makes the value that is left
    after an event that it does not outlive; without it that is the default. is_nested: whether
    the value holds tuples or records.
    """

    __slots__ = (
        "default",
        "is_always_written",
        "is_nested",
        "is_own",
        "key",
        "name",
        "outlives",
        "read",
        "reduce",
    )  # fmt: skip

    def __init__(
        self,
        name: str,
        key: str,
        read: Callable[[Any], Any],
        outlives: tuple[str, ...] = ALL,
        *,
        is_always_written: bool = False,
        reduce: Callable[[Any], Any] | None = None,
        is_nested: bool = False,
    ) -> None:
        self.name = name
        self.key = key
        self.read = read
        self.default = read(None)
        # A default that could be changed in place is made anew for each record.
        self.is_own = isinstance(self.default, dict | StateRecord)
        self.outlives = outlives
        self.is_always_written = is_always_written
        self.reduce = reduce
        self.is_nested = is_nested


class StateRecord:
    """A StateRecord holds the fields of an object of the session file. What the object holds beside
    them belongs to somebody else and stays as it is, where it is.
    """

    __slots__ = ("_document",)
    FIELDS: tuple[Field, ...] = ()

    def __init__(self, document: Document | None = None) -> None:
        self._document: Document = document if isinstance(document, dict) else {}
        find = self._document.get
        for field in self.FIELDS:
            value = find(field.key)
            known = value is not None or field.is_own
            setattr(self, field.name, field.read(value) if known else field.default)

    def to_document(self) -> Document:
        """Returns the object as it is written."""
        document = {**self._document}
        for field in self.FIELDS:
            value = getattr(self, field.name)
            key = field.key
            if field.is_always_written or value != field.default:
                if isinstance(value, StateRecord):
                    value = value.to_document()
                elif field.is_nested:
                    value = _plain_value(value)
                document[key] = list(value) if isinstance(value, tuple) else value
            elif document.get(key):
                del document[key]
        return document

    def forget(self, event: str) -> None:
        """Forgets what ``event`` ends."""
        for field in self.FIELDS:
            if event not in field.outlives:
                reduce = field.reduce
                rest = reduce(getattr(self, field.name)) if reduce else field.read(None)
                setattr(self, field.name, rest)

    def copy(self) -> Self:
        """Returns a record with the same values, which can be replaced without changing this one."""
        made = type(self)()
        made._document = self._document
        for field in self.FIELDS:
            value = getattr(self, field.name)
            if isinstance(value, dict):
                value = {name: _copy_record(one) for name, one in value.items()}
            setattr(made, field.name, _copy_record(value))
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, type(self)) and self.to_document() == other.to_document()

    __hash__ = None  # type: ignore[assignment]


def _plain_value(value: object) -> object:
    """Returns a value as JSON has it."""
    if isinstance(value, StateRecord):
        return value.to_document()
    if isinstance(value, dict):
        return {name: _plain_value(one) for name, one in value.items()}
    return [*map(_plain_value, value)] if isinstance(value, tuple) else value


def _copy_record(value: object) -> object:
    return value.copy() if isinstance(value, StateRecord) else value


def read_value(value: Any) -> Any:
    """Reads a field of a session record, whatever stands there, None for nothing."""
    return value


def read_text(value: object) -> str:
    """Reads a field of a session record as a text, "" for what is none."""
    return value if isinstance(value, str) else ""


def read_optional_text(value: object) -> str | None:
    """Reads a field of a session record as a text, None for what is none or empty."""
    return value if isinstance(value, str) and value else None


def read_whole(value: object) -> int:
    """Reads a field of a session record as a number of times, 0 for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def read_optional_whole(value: object) -> int | None:
    """Reads a field of a session record as a whole number, None for what is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def read_optional_count(value: object) -> int | None:
    """Reads a field of a session record as a number of times, None where nobody has counted."""
    return None if value is None else read_whole(value)


def read_optional_number(value: object) -> float | None:
    """Reads a field of a session record as a number, None for what is none."""
    return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def read_flag(value: object) -> bool:
    """Reads a field of a session record as whether it is true."""
    return value is True


def read_texts(value: object) -> tuple[str, ...]:
    """Reads a field of a session record as the texts of a list, () for what is none."""
    if not isinstance(value, list | tuple):
        return ()
    return tuple(item for item in value if isinstance(item, str))


def read_optional_record(kind: type[StateRecord], identity: str = "") -> Callable[[Any], Any]:
    """Returns a reader of a record inside a session record, an object that may be missing; a text
    is its ``identity``.
    """

    def read(value: object) -> StateRecord | None:
        if identity and isinstance(value, str) and value:
            value = {identity: value}
        return kind(value) if isinstance(value, dict) and value else None

    return read


def read_mapping(value: object) -> dict[str, Any]:
    """Reads a field of a session record as a mapping of its own, {} for what is none."""
    return {**value} if isinstance(value, dict) else {}


def types_of(value: object) -> tuple[type, ...]:
    """Reads a field of a session record as the types of a list's items, () for what is none."""
    return tuple(map(type, value)) if isinstance(value, list | tuple) else ()
