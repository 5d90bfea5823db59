r"""Convert offsets to lines and columns, and back, and iterate the lines of a text.

Lines break at ``\n``, ``\r\n`` and a lone ``\r`` (LSP 3.18). Python's ``splitlines`` also breaks at
U+2028, NEL, VT and FF.
"""

from bisect import bisect_right
from itertools import accumulate

from synapse_ls.text.span import Span

__all__ = ["LineIndex", "iter_lines"]

from collections.abc import Iterator


def iter_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield the ``(start, end)`` offsets of every line without its break; a final break opens one
    last line.
    """
    if (returns := text.count("\r")) != text.count("\r\n"):
        size = len(text)
        line_start = 0
        feed = text.find("\n")
        carriage = text.find("\r")
        while feed >= 0 or carriage >= 0:
            if carriage < 0 or 0 <= feed < carriage:
                yield line_start, feed
                line_start = feed + 1
            else:
                yield line_start, carriage
                line_start = carriage + (2 if feed == carriage + 1 else 1)
            if 0 <= feed < line_start:
                feed = text.find("\n", line_start)
            if 0 <= carriage < line_start:
                carriage = text.find("\r", line_start)
        yield line_start, size
        return
    start = 0
    for line in text.split("\n"):
        end = start + len(line)
        yield start, end - 1 if returns and line.endswith("\r") else end
        start = end + 1


def line_break_style(text: str) -> str:
    r"""Return the line break to use in ``text``: the one that ends its first line, else ``\n``."""
    _, end = next(iter_lines(text))
    return text[end : end + 2] if text[end : end + 2] == "\r\n" else text[end : end + 1] or "\n"


class LineIndex:
    """A LineIndex maps offsets to lines and back, each look-up in logarithmic time. All numbers
    count from 0.
    """

    __slots__ = ("_ends", "_starts", "line_count")

    def __init__(self, text: str) -> None:
        self._ends: list[int] | None = None
        if "\r" in text:
            spans = list(iter_lines(text))
            self._starts = [start for start, _ in spans]
            self._ends = [end for _, end in spans]
            self.line_count = len(spans)
        else:
            lengths = map(len, text.split("\n"))
            # The last start is that of a line behind the text. An editor asks anew after each
            # key stroke.
            self._starts = [0, *accumulate(map((1).__add__, lengths))]
            self.line_count = len(self._starts) - 1

    def _end(self, line: int) -> int:
        return self._starts[line + 1] - 1 if self._ends is None else self._ends[line]

    def line_of(self, offset: int) -> int:
        """Return the line that holds ``offset``; a line break belongs to the line that it ends."""
        return max(bisect_right(self._starts, offset, hi=self.line_count) - 1, 0)

    def position(self, offset: int) -> tuple[int, int]:
        """Return ``(line, column)`` of ``offset``; the column counts code points."""
        line = self.line_of(offset)
        return line, max(offset - self._starts[line], 0)

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a position; one outside the text goes to the nearest place inside.

        A column beyond the end of its line means the place before the line break.
        """
        if line < 0:
            return 0
        if line >= self.line_count:
            return self._end(self.line_count - 1)
        return min(self._starts[line] + max(column, 0), self._end(line))

    def line_span(self, line: int) -> Span:
        """Return the span of a line without its break; raise ``IndexError`` when there is no such
        line.
        """
        if not 0 <= line < self.line_count:
            raise IndexError(line)
        return Span(self._starts[line], self._end(line))
