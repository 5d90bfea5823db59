"""This module defines what every parser returns: a ParseResult with a document and the Problems
of its text, and Text, a piece of source with its span.
"""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from synapse_ls.text.span import Span

T = TypeVar("T")


class Problem(NamedTuple):
    """A Problem is one thing that is wrong with a text, part of what a parser returns.

    ``kind`` is stable and kebab-case; ``message`` is one sentence that says what is wrong and what
    that causes; ``remedy`` is one short imperative sentence, or empty; ``data`` holds what a fix
    needs, as key and value pairs: ``first_start`` and ``first_end`` are the place of the first of two.
    """

    kind: str
    span: Span
    message: str
    remedy: str = ""
    data: tuple[tuple[str, str], ...] = ()

    def shift(self, n: int) -> Problem:
        """Returns the same problem, ``n`` code points further on."""
        data = tuple(
            (key, str(int(said) + n) if key in ("first_start", "first_end") else said)
            for key, said in self.data
        )
        return self._replace(span=self.span.shift(n), data=data)


class Text(NamedTuple):
    """A Text is a piece of source text with its span, as parsers return it."""

    value: str
    span: Span


class ParseResult(NamedTuple, Generic[T]):
    """A ParseResult is what a parser that never raises returns: the document and its problems, in
    text order.
    """

    document: T
    problems: tuple[Problem, ...]
