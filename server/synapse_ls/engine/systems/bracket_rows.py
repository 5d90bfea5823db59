"""The brackets of the built-in profiles, from tables with one line for each."""

from collections.abc import Iterable
from typing import Any

_FIELDS = (
    "name", "floor", "budget", "label", "layers", "memory", "memory_tokens", "handoff", "refresh",
)  # fmt: skip


def bracket_rows(*rows: Iterable[Any]) -> tuple[dict[str, Any], ...]:
    """Return the rows of `Bracket`, whose values are in the order of ``_FIELDS``: name, percent left
    from which it holds, budget in tokens, label, layers that are awake, memories and their tokens,
    whether it warns of the end, prompts after which rules are sent again.
    """
    return tuple(dict(zip(_FIELDS, row, strict=True)) for row in rows)
