"""This module replaces lone surrogates, so that a text can be encoded and written to a file."""

from __future__ import annotations


def replace_surrogates(text: str) -> str:
    """Returns ``text`` with U+FFFD for each lone half of a surrogate pair; as long as it was.

    JSON can carry one, and so does what stands for a byte that is no UTF-8 (PEP 383).
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text
