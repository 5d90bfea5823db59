"""bash's ``$'…'``: escapes in single quotes."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

_PLAIN: Final = {
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "E": "\x1b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_NUMBERS: Final = {"x": (2, 16), "u": (4, 16), "U": (8, 16)}  # letter -> (most digits, base)
_DIGITS: Final = "0123456789abcdefABCDEF"


def ansi_c(text: str, at: int) -> tuple[str, int]:
    """The text from ``at`` to the closing quote, and the place behind it; -1 where none closes."""
    parts: list[str] = []
    while at < len(text):
        here = text[at]
        at += 1
        if here == "'":
            return "".join(parts), at
        if here != "\\":
            parts.append(here)
            continue
        letter = text[at : at + 1]
        if letter in _NUMBERS or (letter and letter in "01234567"):
            most, base = _NUMBERS.get(letter, (3, 8))
            begin = end = at + (letter in _NUMBERS)
            allowed = _DIGITS if base == 16 else _DIGITS[:8]
            while end < begin + most and end < len(text) and text[end] in allowed:
                end += 1
            code = int(text[begin:end], base) if end > begin else 0
            parts.append(chr(code) if code <= 0x10FFFF else "")
            at = end
        elif letter == "c":
            parts.append(chr(ord(text[at + 1]) & 0x1F) if at + 1 < len(text) else "")
            at += 2
        else:
            parts.append(_PLAIN.get(letter, letter if letter in "\\'\"?" else f"\\{letter}"))
            at += 1
    return "".join(parts), -1
