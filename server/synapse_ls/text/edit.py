"""Changes to a text, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from synapse_ls.text.span import Span


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Put ``new_text`` where ``span`` is. An empty span inserts, an empty text deletes."""

    span: Span
    new_text: str


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """``text`` after ``edits``, which all speak of the text before any of them.

    The edits may come in any order; insertions at one place keep the order in which they came
    (LSP 3.18, ``TextEdit[]``). Raises ``ValueError`` where two overlap or one leaves the text.
    """
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        start, end = edit.span
        if not 0 <= start <= end <= len(text):
            raise ValueError(f"edit {start}..{end} is not inside a text of {len(text)} characters")
        if start < done:
            raise ValueError(f"edit {start}..{end} overlaps one that ends at {done}")
        pieces += text[done:start], edit.new_text
        done = end
    pieces.append(text[done:])
    return "".join(pieces)
