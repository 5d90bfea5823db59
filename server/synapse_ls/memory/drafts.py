"""What is to become a record: whether its words mean something, and whether it was said before."""

from __future__ import annotations

from synapse_ls.engine.words import fold, words
from synapse_ls.formats.memory_fields import CHOICES, CORRECTION, DEFAULT_TYPE, date_of, day_of
from synapse_ls.memory.record import Record, one_line
from synapse_ls.memory.score import Constants, attention, is_expired, is_stale
from synapse_ls.sessions.files import SessionError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    Saying = tuple[str, str, tuple[str, ...]]

_EXAMPLE = 20779  # a day in November 2026


def draft(
    text: str,
    title: str,
    *,
    type: str = DEFAULT_TYPE,
    explicit: bool | None = None,
    **more: Any,
) -> Record:
    """A record without id and place; a correction by the user is explicit unless it is given."""
    if not one_line(text) and not one_line(title):
        raise SessionError("A memory without a text says nothing.", "Write what to remember.")
    said = type == CORRECTION if explicit is None else explicit
    made = Record(text=text, title=title, type=type, explicit=said, **more)
    return checked(made, (*CHOICES, "expires"))


def checked(record: Record, names: Collection[str]) -> Record:
    """The record, where the fields ``names`` mean something; SessionError where one does not."""
    for name, known in CHOICES.items():
        if name in names and getattr(record, name) not in known:
            raise SessionError(
                f'The {name} of a memory cannot be "{getattr(record, name)}".',
                f"Choose one of {', '.join(known)}.",
            )
    if record.is_private and not record.agent:
        raise SessionError("A private memory belongs to an agent.", "Name the agent.")
    if "expires" in names and record.expires and day_of(record.expires) is None:
        raise SessionError(
            f'"{record.expires}" is no date.', f"Write one like {date_of(_EXAMPLE)}."
        )
    return record


def saying(record: Record) -> Saying:
    """What two records have in common that say the same to the same readers."""
    said = tuple(words(fold(record.text or record.title)))
    return record.scope, record.agent if record.is_private else "", said


def why_over(record: Record, today: int, constants: Constants) -> str:
    """Why a record's time is over, "" where it is not."""
    if is_expired(record, today, constants):
        if record.expires:
            return f"it expired on {record.expires[:10]}"
        return f"a {record.storage} {record.sector} memory is kept for as long as it is used"
    if is_stale(record, today, constants):
        score = attention(record, today, constants).value
        return (
            f"its score of {score:.2f} is below {constants.archive:g}, and nobody has used it for "
            f"{constants.archive_days} days"
        )
    return ""
