r"""This module finds where the lines of a text begin and end: lines break at ``\n``, ``\r\n`` and a
lone ``\r``, nowhere else (LSP 3.18).

It stands apart from `synapse_ls.text.line_index`, since a prompt may need line breaks and no
positions.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def iter_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yields the ``(start, end)`` offsets of every line without its break; a final break opens one
    last line.
    """
    if (returns := text.count("\r")) != text.count("\r\n"):
        yield from _iter_lines_of_any_break(text)
        return
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        yield start, end - 1 if returns and line.endswith("\r") else end
        start = end + 1


def _iter_lines_of_any_break(text: str) -> Iterator[tuple[int, int]]:
    size = len(text)
    start = 0
    feed = text.find("\n")
    carriage = text.find("\r")
    while feed >= 0 or carriage >= 0:
        if carriage < 0 or 0 <= feed < carriage:
            yield start, feed
            start = feed + 1
        else:
            yield start, carriage
            start = carriage + (2 if feed == carriage + 1 else 1)
        if 0 <= feed < start:
            feed = text.find("\n", start)
        if 0 <= carriage < start:
            carriage = text.find("\r", start)
    yield start, size


def line_break_style(text: str) -> str:
    r"""Returns the line break to use in ``text``: the one that ends its first line, else ``\n``."""
    _, end = next(iter_lines(text))
    return text[end : end + 2] if text[end : end + 2] == "\r\n" else text[end : end + 1] or "\n"
