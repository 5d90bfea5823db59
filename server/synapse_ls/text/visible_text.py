"""Make a text harmless and visible for a terminal and a window: names of folders and files in it
are other people's.
"""

from __future__ import annotations


def escape_invisible(text: str) -> str:
    """Return ``text`` on one line, with each character that steers or is not seen as its escape."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
