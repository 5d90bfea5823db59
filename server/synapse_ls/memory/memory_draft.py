"""This module checks the draft of a memory record, before it is written: whether its fields mean
something, and whether the same is there already.
"""

from __future__ import annotations

from synapse_ls.engine.word_matching import fold_text, split_words
from synapse_ls.formats.memory_fields import (
    CHOICES,
    CORRECTION_TYPE,
    DEFAULT_TYPE,
    format_day,
    parse_day,
)
from synapse_ls.memory.record import Record, one_line
from synapse_ls.storage.atomic_files import StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    MeaningKey = tuple[str, str, tuple[str, ...]]

_EXAMPLE = 20779  # a day in November 2026


def draft_record(
    text: str,
    title: str,
    *,
    type: str = DEFAULT_TYPE,
    explicit: bool | None = None,
    **more: Any,
) -> Record:
    """Returns the draft of a memory record, without id and place; a correction by the user is
    explicit unless it is given.
    """
    if not one_line(text) and not one_line(title):
        raise StorageError("A memory without a text says nothing.", "Write what to remember.")
    said = type == CORRECTION_TYPE if explicit is None else explicit
    made = Record(text=text, title=title, type=type, explicit=said, **more)
    return check_record(made, (*CHOICES, "expires"))


def check_record(record: Record, names: Collection[str]) -> Record:
    """Returns the drafted record, where the fields ``names`` mean something; StorageError where one
    does not.
    """
    for name, known in CHOICES.items():
        if name in names and getattr(record, name) not in known:
            raise StorageError(
                f'The {name} of a memory cannot be "{getattr(record, name)}".',
                f"Choose one of {', '.join(known)}.",
            )
    if record.is_private and not record.agent:
        raise StorageError("A private memory belongs to an agent.", "Name the agent.")
    if "expires" in names and record.expires and parse_day(record.expires) is None:
        raise StorageError(
            f'"{record.expires}" is no date.', f"Write one like {format_day(_EXAMPLE)}."
        )
    return record


def meaning_key(record: Record) -> MeaningKey:
    """Returns the key by which a draft is recognised as a memory that is there already: two records
    with one key say the same to the same readers.
    """
    said = tuple(split_words(fold_text(record.text or record.title)))
    return record.scope, record.agent if record.is_private else "", said
