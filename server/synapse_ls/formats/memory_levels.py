"""How much of a memory can be told, and what other schemas call that."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

LEVELS: Final = ("none", "metadata", "summary", "full")
LEVEL_ALIASES: Final = {"chunks": "summary"}
