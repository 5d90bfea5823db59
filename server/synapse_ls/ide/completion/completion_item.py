"""This module defines the completion items that an editor offers, as plain data, and builds their
snippets.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.text.span import Span

Topic = tuple[str, ...]
"""What an item is about, such as ``("agent", "dev")``: see `synapse_ls.ide.completion.item_documentation`."""


class CompletionItem(NamedTuple):
    """A CompletionItem is one thing that an editor offers to write.

    ``kind`` is "key", "value", "agent", "workflow", "phase", "keyword", "command", "rule",
    "bracket", "file" or "text". ``insert`` is what is written, the label where it is empty;
    ``snippet`` is the same with places to fill in (LSP 3.18, "Snippet Syntax"), for those who can.
    ``detail`` stands beside the label. ``commit_characters`` take the item and go on.
    """

    label: str
    kind: str
    insert: str = ""
    snippet: str = ""
    detail: str = ""
    topic: Topic = ()
    commit_characters: str = ""

    @property
    def text(self) -> str:
        """Returns the text that is written."""
        return self.insert or self.label


@dataclass(frozen=True, slots=True)
class CompletionOffer:
    """A CompletionOffer is the list of items that can be written in place of ``span``, the best
    first.

    ``is_complete`` is False where more typing can bring other items.
    """

    span: Span
    items: tuple[CompletionItem, ...]
    is_complete: bool = True


def unique_offer(
    span: Span, items: Iterable[CompletionItem], *, is_complete: bool = True
) -> CompletionOffer:
    """Returns an offer without the items that would write what another one writes already."""
    found: dict[str, CompletionItem] = {}
    for item in items:
        found.setdefault(item.text, item)
    return CompletionOffer(span, tuple(found.values()), is_complete)


def escape_snippet(text: str) -> str:
    """Returns ``text`` escaped for the snippet of a completion item."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


def snippet_choice(number: int, words: Iterable[str]) -> str:
    """Returns a placeholder of a completion item's snippet that offers a choice of words."""
    escaped = (escape_snippet(word).replace(",", "\\,").replace("|", "\\|") for word in words)
    return f"${{{number}|{','.join(escaped)}|}}"
