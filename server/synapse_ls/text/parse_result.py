"""What every parser returns: a document with the problems of its text; and a text with its span."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span

T = TypeVar("T")


class Text(NamedTuple):
    """A piece of source text with its span, as parsers return it."""

    value: str
    span: Span


class ParseResult(NamedTuple, Generic[T]):
    """What a parser that never raises returns: the document and its problems, in text order."""

    document: T
    problems: tuple[Finding, ...]
