"""This module defines what the linter reports: severity, finding, fix, and the diagnostic made of
them.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit


class Severity(Enum):
    """A Severity is that of a diagnostic: how much the finding costs the reader of the injected
    block. The order is worst first.
    """

    ERROR = "error"
    """Content is lost or changed: what is written is not what the agent reads."""
    WARNING = "warning"
    """Something is dead: it can never take effect as it stands."""
    INFO = "info"
    """It works, but probably not as its author believes."""
    HINT = "hint"
    """A matter of style."""

    @property
    def rank(self) -> int:
        """Returns the position of the severity: 0 for the worst, more for milder ones."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Related:
    """A Related is another place of a diagnostic, one that has to do with its finding, such as the
    first of two duplicates.
    """

    path: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A Fix is a set of edits, each with the path of its file, that resolve the finding of a
    diagnostic.

    ``safe`` means that what is injected stays exactly the same, so the fix may be applied without
    asking.
    """

    title: str
    safe: bool
    edits: tuple[tuple[str, TextEdit], ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """A Finding is what a diagnostic is made of, what a rule of the linter reports in a file: the
    place, what is wrong there and what it causes, and the remedy.

    ``severity`` is set where this finding weighs more or less than the rule usually does.
    """

    span: Span
    message: str
    remedy: str = ""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A Diagnostic is a finding with the code, the name and the effective severity of its rule.

    ``path`` is relative to the workspace root, with ``/``; ``span`` is in code points of that file.
    """

    code: str
    name: str
    severity: Severity
    path: str
    span: Span
    message: str
    remedy: str = ""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
