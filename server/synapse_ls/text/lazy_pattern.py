"""Make lazy patterns, regular expressions that are compiled when they are first asked for: a prompt
that reads one file needs few of those that its parser knows, and to compile one costs more than to
use it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re
    from typing import Any


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return a lazy regular expression: what ``re.compile`` returns, as far as anybody can tell."""
    new_lazy_pattern: Any = _LazyPattern(pattern, flags)
    return new_lazy_pattern  # type: ignore[no-any-return]


class _LazyPattern:
    """A _LazyPattern takes its methods from the pattern, and keeps them."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._source = pattern, flags

    def __getattr__(self, name: str) -> Any:
        from re import compile

        found = getattr(compile(*self._source), name)
        setattr(self, name, found)
        return found
