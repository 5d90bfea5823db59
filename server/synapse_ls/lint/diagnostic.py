"""What the linter says: a finding with its place, its effect, its remedy and perhaps its fix."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span


class Severity(Enum):
    """How much a finding costs the reader of the injected block; the order is worst first."""

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
        """0 for the worst severity, rising as it gets milder."""
        return _RANKS[self]


_RANKS = {severity: rank for rank, severity in enumerate(Severity)}


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that has to do with a finding, such as the first of two duplicates."""

    path: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that resolve a finding.

    ``safe`` means that what is injected stays exactly the same, so the fix may be applied unseen.
    """

    title: str
    safe: bool
    edits: tuple[tuple[str, TextEdit], ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """What a rule sees in a file: a place, what is wrong there and what it causes, the way out.

    ``severity`` is for the finding that weighs more or less than its rule does in general.
    """

    span: Span
    message: str
    remedy: str = ""
    fix: Fix | None = None
    related: tuple[Related, ...] = ()
    severity: Severity | None = None


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding under the code, name and effective severity of the rule that made it.

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
