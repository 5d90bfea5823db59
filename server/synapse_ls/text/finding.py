"""A problem in a file, from the parser or lint rule to the report; parsed documents' base."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Generic, NamedTuple, TypeVar

from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit


class Severity(Enum):
    """That of a diagnostic: how much the finding costs the reader of the injected block. The order
    is worst first.
    """

    # Content is lost or changed: what is written is not what the agent reads.
    ERROR = "error"
    # Something is dead: it can never take effect as it stands.
    WARNING = "warning"
    # It works, but probably not as its author believes.
    INFO = "info"
    # A matter of style.
    HINT = "hint"

    @property
    def rank(self) -> int:
        """The position of the severity: 0 for the worst, more for milder ones."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


class Related(NamedTuple):
    """Another place of a diagnostic, one that has to do with its finding, such as the first of two
    duplicates.
    """

    path: str
    span: Span
    message: str


class Fix(NamedTuple):
    """A set of edits, each with the path of its file, that resolve the finding of a diagnostic.

    ``safe`` means that what is injected stays exactly the same, so the fix may be applied without
    asking.
    """

    title: str
    safe: bool
    edits: tuple[tuple[str, TextEdit], ...]


class Finding(NamedTuple):
    """One thing that is wrong in a file, from the parser, the loader or the lint rule to
    the report.

    A parser, and the loader of a tree, give the ``kind``, which is stable and kebab-case and says
    which rule reports it, and in ``data`` what a fix needs, as key and value pairs (``first_start``
    and ``first_end`` are the place of the first of two). The rule's ``code``, ``name`` and
    ``severity`` and the ``path``, relative to the root with ``/``, are filled in when it is
    reported; ``own_severity`` is set where a finding weighs more or less than its rule usually
    does. ``span`` is in code points; ``message`` says what is wrong and what that causes,
    ``remedy`` what to do.
    """

    span: Span
    message: str
    remedy: str = ""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    own_severity: Severity | None = None
    kind: str = ""
    data: tuple[tuple[str, str], ...] = ()
    path: str = ""
    code: str = ""
    name: str = ""
    severity: Severity = Severity.WARNING

    def shift(self, n: int) -> Finding:
        """Return the same finding of a parser, ``n`` code points further on."""
        data = tuple(
            (key, str(int(value) + n) if key in ("first_start", "first_end") else value)
            for key, value in self.data
        )
        return self._replace(span=self.span.shift(n), data=data)


def sort_problems(problems: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return problems in text order."""
    return tuple(sorted(problems, key=lambda problem: problem.span))


def problem_data(**values: str) -> tuple[tuple[str, str], ...]:
    """Return what a fix needs of a problem, for `Finding.data`, without what is empty."""
    return tuple((key, value) for key, value in values.items() if value)


def place_data(first: Span) -> tuple[tuple[str, str], ...]:
    """Return for `Finding.data` where the first of two things that repeat each other stands."""
    return problem_data(first_start=str(first.start), first_end=str(first.end))


T = TypeVar("T")


class Text(NamedTuple):
    """A piece of source text with its span, as parsers return it."""

    value: str
    span: Span


class ParseResult(NamedTuple, Generic[T]):
    """What a parser that never raises returns: the document and its problems, in text order."""

    document: T
    problems: tuple[Finding, ...]
