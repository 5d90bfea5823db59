"""Half-open ranges of code points, the only unit of place in the core."""

from __future__ import annotations

from typing import NamedTuple

# What the formats trim: ECMAScript's WhiteSpace and LineTerminator, so a stray BOM is harmless.
WHITE_SPACE = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)


# Makes a named tuple of its fields in half the time, for what is made for each line of a file.
new_tuple = tuple.__new__


class Span(NamedTuple):
    """The range ``[start, end)`` in code points, counted from the beginning of the text."""

    start: int
    end: int

    @property
    def length(self) -> int:
        """How many code points the span covers."""
        return self.end - self.start

    def contains(self, offset: int) -> bool:
        """Return whether the code point at ``offset`` is inside."""
        return self.start <= offset < self.end

    def touches(self, offset: int) -> bool:
        """Return whether a caret at ``offset`` stands inside or at either edge."""
        return self.start <= offset <= self.end

    def shift(self, n: int) -> Span:
        """Return the same span, ``n`` code points further on."""
        start, end = self
        return new_tuple(Span, (start + n, end + n))

    def cut(self, text: str) -> str:
        """Return the piece of ``text`` that the span covers."""
        return text[self.start : self.end]


def trim_span(text: str, start: int, end: int) -> Span:
    """Return the span ``[start, end)`` without the white space at both ends; empty at ``end`` if
    there is no more.
    """
    if start < end and "!" <= text[start] <= "~" and "!" <= text[end - 1] <= "~":
        return new_tuple(Span, (start, end))  # the usual case: visible ASCII at both ends
    piece = text[start:end]
    if len(piece.strip(WHITE_SPACE)) == len(piece):
        return Span(start, end)
    start = end - len(piece.lstrip(WHITE_SPACE))
    return Span(start, max(start, end - len(piece) + len(piece.rstrip(WHITE_SPACE))))
