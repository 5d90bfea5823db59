"""This module defines the outcome for the memories of a prompt: what became of them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from synapse_ls.engine.memory_hints import Hint, OmissionReason


class MemoryOutcome:
    """A MemoryOutcome is the outcome for the memories of a prompt beside those that are in the
    block.

    level, tokens: how much was to be given; why: the reason for nothing. omitted: (hint, why not),
    by id. notes: sentences about what is odd. unread: those about files that hold no memory that can
    be read. is_complete: whether there was time to read all. changed: path → digest of those that are
    not as the program wrote them. pending: what has to be asked anew once the reply is out. is_due: whether the files of all memories are to be compared then.
    """

    __slots__ = (
        "changed",
        "is_complete",
        "is_due",
        "level",
        "notes",
        "omitted",
        "pending",
        "tokens",
        "unread",
        "why",
    )

    def __init__(self, level: str = "none", tokens: int = 0, why: str = "") -> None:
        self.level = level
        self.tokens = tokens
        self.why = why
        self.omitted: tuple[tuple[Hint, OmissionReason], ...] = ()
        self.notes: list[str] = []
        self.unread: tuple[str, ...] = ()
        self.is_complete = True
        self.changed: Mapping[str, str] = {}
        self.pending: Any = None
        self.is_due = False
