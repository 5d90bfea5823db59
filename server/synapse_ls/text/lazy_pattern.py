"""Regular expressions that are compiled when they are first used.

Most patterns of a module are for lines that a file does not have, and a process that answers one
prompt would compile all of them anew.
"""

import re
from typing import Any, cast


def lazy_pattern(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """Return what `re.compile` does, but compiled at its first use."""
    return cast(re.Pattern[str], _LazyPattern(pattern, flags))


class _LazyPattern:
    def __init__(self, pattern: str, flags: int) -> None:
        self.pattern = pattern
        self.flags = flags

    def __getattr__(self, name: str) -> Any:
        """Return an attribute of the compiled pattern, which is looked up here only once."""
        attribute = getattr(re.compile(self.pattern, self.flags), name)
        setattr(self, name, attribute)
        return attribute
