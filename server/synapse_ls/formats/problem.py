"""What every parser hands back: a document, and what is wrong with its text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from synapse_ls.text.span import Span

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with a text.

    ``kind`` is stable and kebab-case; ``message`` is one sentence that says what is wrong and what
    that causes; ``remedy`` is one short imperative sentence, or empty; ``data`` holds what a fix
    needs, as key and value pairs.
    """

    kind: str
    span: Span
    message: str
    remedy: str = ""
    data: tuple[tuple[str, str], ...] = ()


class Text(NamedTuple):
    """A piece of source with its place."""

    value: str
    span: Span


class Parsed(NamedTuple, Generic[T]):
    """The result of a parser that never raises: the document and its problems, in text order."""

    document: T
    problems: tuple[Problem, ...]
