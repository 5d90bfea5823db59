"""Aligned columns, by the cells that characters take up in a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from synapse_ls.cli.console import Part, Styled, plain, visible

GAP = "  "


def columns(
    rows: Sequence[Sequence[Part]], *, right: Collection[int] = (), indent: str = ""
) -> Iterator[list[Part]]:
    """The rows as the parts of lines; the columns in ``right`` are numbers, aligned at their end."""
    shown = [[_visible(cell) for cell in row] for row in rows]
    count = max((len(row) for row in shown), default=0)
    widths = [
        max((width(row[i]) for row in shown if i < len(row)), default=0) for i in range(count)
    ]
    for row in shown:
        line: list[Part] = [indent]
        for i, cell in enumerate(row):
            space = " " * (widths[i] - width(cell))
            line += (space, cell) if i in right else (cell, space)
            line.append(GAP if i + 1 < len(row) else "")
        yield line


def header(*names: str) -> list[Part]:
    """The first row of a table."""
    return [Styled(name, "dim") for name in names]


def shortened(text: str, most: int) -> str:
    """A text that takes up no more than ``most`` cells, with "…" for what is left out."""
    if width(text) <= most:
        return text
    while width(text) >= most:
        text = text[:-1]
    return f"{text}…"


def width(cell: Part) -> int:
    """How many cells of a terminal a text takes up."""
    text = plain(cell)
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(c) or c in "\u200b\u200c\u200d\ufe0f" else 1 + (east_asian_width(c) in "WF")
        for c in text
    )


def _visible(cell: Part) -> Part:
    return visible(cell) if isinstance(cell, str) else Styled(visible(cell.text), cell.style)
