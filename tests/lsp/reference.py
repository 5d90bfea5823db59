"""LSP's text edits, written as the specification reads: slow, and sharing no code with the server."""

from __future__ import annotations

import re
from random import Random

from tests.lsp.wire import Message

_BREAK = re.compile("\r\n|\n|\r")
_CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}

PIECES = (
    "", "a", "x", "=", "#", " ", "\t", "\n", "\n", "\r\n", "\r", "\n\r", "\u2028", "\u2029", "\x85",
    "\v", "\f", "é", "ß", "中", "\ufeff", "😀", "👩‍💻", "𝔘", "GLOBAL_STATE=active\n",
    "TESTING_RECALL=unit test, 😀\r\n", "NO_SUCH_KEY\r", "DOCS_STATE=maybe\n", "\U0010ffff\n",
    "GLOBAL_RULE_1=Check it\n", "  GLOBAL_RULE_2=\"é 😀\"  \r\n", "GLOBAL_RULE_1=Never push\r",
    "<!-- ", "-->\n", "```\n", "# synapse: ignore\n",
)  # fmt: skip


def apply(text: str, change: Message, encoding: str) -> str:
    """``text`` after one change."""
    if "range" not in change:
        return str(change["text"])
    start, end = (
        _offset(text, change["range"][side]["line"], change["range"][side]["character"], encoding)
        for side in ("start", "end")
    )
    return f"{text[:start]}{change['text']}{text[end:]}"


def _offset(text: str, line: int, character: int, encoding: str) -> int:
    breaks = [match.span() for match in _BREAK.finditer(text)]
    if line > len(breaks):
        return len(text)
    start = breaks[line - 1][1] if line else 0
    end = breaks[line][0] if line < len(breaks) else len(text)
    codec, size = _CODECS[encoding]
    units = 0
    for offset in range(start, end):
        units += len(text[offset].encode(codec)) // size
        if units > character:
            return offset
    return end


def position(text: str, offset: int, encoding: str) -> dict[str, int]:
    """The position of an offset."""
    before = list(_BREAK.finditer(text, 0, offset))
    line_start = before[-1].end() if before else 0
    # Between the two halves of a line break there is no position of one's own.
    codec, size = _CODECS[encoding]
    return {
        "line": len(before),
        "character": len(text[line_start:offset].encode(codec)) // size,
    }


class Typist:
    """Makes changes up, the same for the same seed."""

    def __init__(self, seed: int, encoding: str, longest: int) -> None:
        self._random = Random(seed)
        self._encoding = encoding
        self._longest = longest

    def change(self, text: str) -> Message:
        """A change of ``text``; now and then beyond its lines, or of everything."""
        chance = self._random.random()
        if chance < 0.005:
            return {"text": "".join(self._random.choices(PIECES, k=30))}
        start = self._random.randint(0, len(text))
        length = self._random.choice((0, 0, 0, 1, 2, 9))
        if len(text) > self._longest:
            length = self._longest // 2
        end = min(start + length, len(text))
        first, last = (position(text, place, self._encoding) for place in (start, end))
        if chance > 0.95:
            last["character"] += self._random.choice((1, 50, 10**6))
        if chance > 0.99:
            last["line"] += self._random.choice((1, 10**6))
        new = "".join(self._random.choices(PIECES, k=self._random.choice((1, 1, 1, 3))))
        return {"range": {"start": first, "end": last}, "text": new}
