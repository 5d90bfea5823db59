"""Text that a file can hold."""

from __future__ import annotations


def whole(text: str) -> str:
    """``text`` with U+FFFD for each lone half of a surrogate pair; as long as it was.

    JSON can carry one, and so does what stands for a byte that is no UTF-8 (PEP 383).
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text
