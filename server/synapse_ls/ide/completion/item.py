"""What completion offers, as plain data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from synapse_ls.text.span import Span

Topic = tuple[str, ...]
"""What an item is about, such as ``("agent", "dev")``: see `synapse_ls.ide.completion.about`."""


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that can be written.

    ``kind`` is "key", "value", "agent", "workflow", "phase", "keyword", "command", "rule",
    "bracket", "file" or "text". ``insert`` is what is written, the label where it is empty;
    ``snippet`` is the same with places to fill in (LSP 3.18, "Snippet Syntax"), for those who can.
    ``detail`` stands beside the label. ``commit`` are characters that take the item and go on.
    """

    label: str
    kind: str
    insert: str = ""
    snippet: str = ""
    detail: str = ""
    topic: Topic = ()
    commit: str = ""

    @property
    def text(self) -> str:
        """What is written."""
        return self.insert or self.label


@dataclass(frozen=True, slots=True)
class Offer:
    """What can be written in place of ``span``, the best first.

    ``is_complete`` is False where more typing can bring other items.
    """

    span: Span
    items: tuple[Item, ...]
    is_complete: bool = True


def offer(span: Span, items: Iterable[Item], *, is_complete: bool = True) -> Offer:
    """An offer without the items that would write what another one writes already."""
    found: dict[str, Item] = {}
    for item in items:
        found.setdefault(item.text, item)
    return Offer(span, tuple(found.values()), is_complete)


def literal(text: str) -> str:
    """``text`` as it stands in a snippet."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


def choice(number: int, words: Iterable[str]) -> str:
    """A place of a snippet in which one of some words goes."""
    escaped = (literal(word).replace(",", "\\,").replace("|", "\\|") for word in words)
    return f"${{{number}|{','.join(escaped)}|}}"
