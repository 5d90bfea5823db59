"""Texts of secrets and of harmless ids, filled from the shapes in the lists beside this module."""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from pathlib import Path

_ALPHABETS = {
    "w": string.ascii_letters + string.digits,
    "b": string.ascii_letters + string.digits + "-_",
    "h": "0123456789abcdef",
    "l": string.ascii_lowercase + string.digits,
    "u": string.ascii_uppercase + string.digits,
    "k": string.ascii_uppercase + "234567",
    "d": string.digits,
}
_PART = re.compile(r"<(uuid|[wbhlukd]\d+)>")


def read_shapes(name: str) -> list[str]:
    """Returns the rows of a list."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [row for row in text.splitlines() if row and not row.startswith("#")]


def fill_shape(shape: str, seed: int) -> tuple[str, str]:
    """Returns a text of a shape, and the longest of its random parts."""
    chance = random.Random(f"{seed} {shape}")
    drawn: list[str] = []

    def draw(match: re.Match[str]) -> str:
        drawn.append("-".join(_draw(match[1], chance)))
        return drawn[-1]

    text = _PART.sub(draw, shape)
    return text, max(drawn, key=len, default="")


def _draw(part: str, chance: random.Random) -> Iterator[str]:
    sizes = (8, 4, 4, 4, 12) if part == "uuid" else (int(part[1:]),)
    alphabet = _ALPHABETS["h" if part == "uuid" else part[0]]
    for size in sizes:
        yield "".join(chance.choices(alphabet, k=size))
