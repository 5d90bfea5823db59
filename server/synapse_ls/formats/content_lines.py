"""Find the lines of a rule file that have content: no front matter, no HTML comments.

Lines of a fenced block are marked, since they are either code of the rule above or a whole file
that was pasted with its fence.
"""

from collections.abc import Sequence
from typing import NamedTuple

from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span, new_tuple, trim_span

# A line of these alone is a separator, a table's rule, or an empty list item.
DECORATION = lazy_pattern(r"[-=*_~`|:+.#\s]+")

_FENCE = lazy_pattern(r"(`{3,})[^`]*$|(~{3,})")
_LONGEST_FENCE = 16  # a bound on how often a search for a closing line can be in vain
_FRONT_MATTER_LINE = lazy_pattern(r"\s|#|-\s|[^\s:=]+\s*:(?:\s|$)|$")


class FencedBlock(NamedTuple):
    """The place of a block of code among the content of a rule file, with its fences: its first
    line from 0, and its span from the first fence to the last.
    """

    line: int
    span: Span


class ContentLine(NamedTuple):
    """A line of a rule file that has content: its number from 0, its span without break, the span
    of its text, and the fenced block that it stands in, None for most.
    """

    number: int
    start: int
    end: int
    body: Span
    block: FencedBlock | None = None


def find_content_lines(text: str) -> list[ContentLine]:
    """Return the lines of a rule file that have content, in order; a gap in their numbers stands
    for a blank or skipped line.

    A comment or fence that is never closed is ordinary text: it must not swallow the rules below.
    """
    spans = list(iter_lines(text))
    fences = _FenceFinder(text, spans)
    lines: list[ContentLine] = []
    comments_close = True
    number = 0
    if trim_span(text, *spans[0]).cut(text) == "---":
        # Between the marks of a front matter nothing but YAML may stand.
        for line_number, (start, end) in enumerate(spans[1:], 1):
            if text[start:end].rstrip() in ("---", "..."):
                number = line_number + 1
                break
            if not _FRONT_MATTER_LINE.match(text, start, end):
                break
    cursor, last_line = 0, len(spans)
    while number < last_line:
        start, end = spans[number]
        body = trim_span(text, max(cursor, start), end)
        if body[0] >= body[1]:
            number += 1
            continue
        if text[body[0]] not in "<`~":  # the usual case: a line of text
            lines.append(new_tuple(ContentLine, (number, start, end, body, None)))
            number += 1
            continue
        if comments_close and text.startswith("<!--", body.start):
            close = text.find("-->", body.start + 4)
            if close >= 0:
                cursor = close + 3
                while spans[number][1] < close:
                    number += 1
                continue
            comments_close = False
        last = fences.closing_line(number, body)
        if last is None:
            lines.append(ContentLine(number, start, end, body))
            number += 1
            continue
        block = FencedBlock(number, Span(body.start, trim_span(text, *spans[last]).end))
        for inner in range(number + 1, last):
            body = trim_span(text, *spans[inner])
            if body.length:
                lines.append(ContentLine(inner, *spans[inner], body, block))
        number = last + 1
    return lines


class _FenceFinder:
    """A _FenceFinder finds the closing line of a fence (CommonMark 4.5) without looking twice in
    vain.
    """

    def __init__(self, text: str, spans: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._spans = spans
        self._unclosed: dict[str, int] = {}

    def closing_line(self, number: int, body: Span) -> int | None:
        """Return the line that closes the fence which the line ``number`` opens; None where it
        opens none or none closes it.
        """
        text = self._text
        sign = text[body.start]
        if sign not in "`~":
            return None
        match = _FENCE.match(text, *body)
        if match is None:
            return None
        size = min(len(match[1] or match[2]), _LONGEST_FENCE)
        if size >= self._unclosed.get(sign, size + 1):
            return None
        for later in range(number + 1, len(self._spans)):
            start, end = trim_span(text, *self._spans[later])
            if (
                end - start >= size
                and text[start] == sign
                and text.count(sign, start, end) == end - start
            ):
                return later
        self._unclosed[sign] = size
        return None
