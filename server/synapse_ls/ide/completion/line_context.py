"""This module describes the line of the caret for completion: what is typed, the KEY=VALUE
assignment, the list item, however much of the line is there yet.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from synapse_ls.text.span import WHITE_SPACE, Span, trim_span
from synapse_ls.workspace.file_facts import FileFacts

_KEY = re.compile(r"[\w.-]*")


@dataclass(frozen=True, slots=True)
class LineContext:
    """A LineContext is the line of the caret.

    ``line`` counts from 0, ``span`` is the line without its break, ``body`` is it without white
    space at both ends, ``caret`` an offset on it.
    """

    text: str
    line: int
    span: Span
    body: Span
    caret: int

    @property
    def text_before(self) -> str:
        """Returns the line as far as the caret, without the white space at its beginning."""
        return self.text[self.span.start : self.caret].lstrip(WHITE_SPACE)

    @property
    def text_start(self) -> int:
        """Returns the offset where ``text_before`` begins."""
        return self.caret - len(self.text_before)

    @property
    def is_comment(self) -> bool:
        """Returns whether the caret is behind the ``#`` of a comment line."""
        return self.text_before.startswith("#")

    def typed_since(self, start: int) -> str:
        """Returns the text between ``start`` and the caret."""
        return self.text[start : self.caret]

    def is_followed_by(self, sign: str, offset: int) -> bool:
        """Returns whether the next thing behind ``offset`` on the line is ``sign``."""
        return self.text[offset : self.span.end].lstrip(WHITE_SPACE).startswith(sign)

    def word_span(self, pattern: re.Pattern[str]) -> Span:
        """Returns the span of the word around the caret of which every character matches
        ``pattern``.
        """
        start, end = self.caret, self.caret
        while start > self.span.start and pattern.match(self.text[start - 1]):
            start -= 1
        while end < self.span.end and pattern.match(self.text[end]):
            end += 1
        return Span(start, end)


def line_context(facts: FileFacts, offset: int) -> LineContext:
    """Returns the context of the line on which ``offset`` is, for completion."""
    line = facts.lines.line_of(offset)
    span = facts.lines.line_span(line)
    caret = min(offset, span.end)
    return LineContext(facts.text, line, span, trim_span(facts.text, *span), caret)


@dataclass(frozen=True, slots=True)
class Assignment:
    """An Assignment is the line of the caret as KEY=VALUE, or the beginning of one.

    ``key`` covers the key, ``equals`` is the place of the ``=``, -1 where there is none yet.
    """

    key: Span
    equals: int

    def in_value(self, caret: int) -> bool:
        """Returns whether the caret is behind the ``=``."""
        return 0 <= self.equals < caret


def parse_assignment(place: LineContext) -> Assignment:
    """Parses the line of the caret as KEY=VALUE."""
    start = min(place.body.start, place.caret)
    match = _KEY.match(place.text, start, place.span.end)
    end = match.end() if match else start
    equals = place.text.find("=", start, place.span.end)
    gap = place.text[end:equals] if equals >= end else "x"
    return Assignment(Span(start, end), -1 if gap.strip(WHITE_SPACE) else equals)


def list_item_span(text: str, value: Span, caret: int) -> Span:
    """Returns the span of the item that the line has at the caret in a comma list, without the
    white space around it.
    """
    start = text.rfind(",", value.start, caret) + 1 or value.start
    end = text.find(",", caret, value.end)
    end = value.end if end < 0 else end
    start += len(text[start:caret]) - len(text[start:caret].lstrip(WHITE_SPACE))
    end -= len(text[caret:end]) - len(text[caret:end].rstrip(WHITE_SPACE))
    return Span(start, max(end, caret))
