"""This module lays tables out: aligned columns, which on a terminal fold where they are too wide."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled, escape_part, part_text, rich_text

if TYPE_CHECKING:
    from synapse_ls.cli.console import Console

GAP = "  "


def print_table(
    rows: Sequence[Sequence[Part]], console: Console, *, right_aligned: Collection[int] = ()
) -> None:
    """Writes a table to standard output; the columns in ``right_aligned`` are numbers."""
    if not (rows and console.paints_output):
        for line in align_columns(rows, right_aligned=right_aligned):
            console.line(*line)
        return
    from rich.table import Table

    grid = Table.grid(padding=(0, len(GAP), 0, 0), pad_edge=False)
    for i in range(max(map(len, rows))):
        words = (word for row in rows if i < len(row) for word in part_text(row[i]).split())
        # A name or a path is not broken, so that it can be copied.
        widest = max(map(cell_width, words), default=0)
        grid.add_column(justify="right" if i in right_aligned else "left", min_width=widest)
    for row in rows:
        grid.add_row(*(rich_text([cell]) for cell in row))
    console.paint(grid)


def align_columns(
    rows: Sequence[Sequence[Part]], *, right_aligned: Collection[int] = (), indent: str = ""
) -> Iterator[list[Part]]:
    """Yields the rows of a table as the parts of lines, which are as long as they have to be."""
    shown = [[escape_part(cell) for cell in row] for row in rows]
    count = max(map(len, shown), default=0)
    widths = [max(cell_width(row[i]) for row in shown if i < len(row)) for i in range(count)]
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
    """Returns a text for a table that takes up no more than ``max_width`` cells, with "…" for what
    is left out.
    """
    if cell_width(text) <= max_width:
        return text
    from rich.cells import set_cell_size

    return f"{set_cell_size(text, max_width - 1)}…"


def cell_width(cell: Part) -> int:
    """Returns how many cells of a terminal a text in a table takes up."""
    text = part_text(cell)
    if text.isascii() or not any(c >= "\u0300" and not "\u2010" <= c <= "\u2027" for c in text):
        return len(text)  # Latin letters, dashes and the like: rich need not be loaded
    from rich.cells import cell_len

    return cell_len(text)
