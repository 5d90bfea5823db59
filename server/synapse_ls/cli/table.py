"""This module aligns columns of a table, by the cells that characters take up in a terminal."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from synapse_ls.cli.console import Part, Styled, escape_controls, part_text

GAP = "  "


def align_columns(
    rows: Sequence[Sequence[Part]], *, right_aligned: Collection[int] = (), indent: str = ""
) -> Iterator[list[Part]]:
    """Yields the rows as the parts of lines; the columns in ``right_aligned`` are numbers,
    aligned at their end.
    """
    shown = [[_escape_cell(cell) for cell in row] for row in rows]
    count = max((len(row) for row in shown), default=0)
    widths = [
        max((cell_width(row[i]) for row in shown if i < len(row)), default=0) for i in range(count)
    ]
    for row in shown:
        line: list[Part] = [indent]
        for i, cell in enumerate(row):
            space = " " * (widths[i] - cell_width(cell))
            line += (space, cell) if i in right_aligned else (cell, space)
            line.append(GAP if i + 1 < len(row) else "")
        yield line


def header_row(*names: str) -> list[Part]:
    """Returns the first row of a table, from the names of its columns."""
    return [Styled(name, "dim") for name in names]


def shorten_text(text: str, max_width: int) -> str:
    """Returns a text that takes up no more than ``max_width`` cells, with "…" for what is left out."""
    if cell_width(text) <= max_width:
        return text
    while cell_width(text) >= max_width:
        text = text[:-1]
    return f"{text}…"


def cell_width(cell: Part) -> int:
    """Returns how many cells of a terminal a text takes up."""
    text = part_text(cell)
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(
        0 if combining(c) or c in "\u200b\u200c\u200d\ufe0f" else 1 + (east_asian_width(c) in "WF")
        for c in text
    )


def _escape_cell(cell: Part) -> Part:
    return (
        escape_controls(cell)
        if isinstance(cell, str)
        else Styled(escape_controls(cell.text), cell.style)
    )
