"""A text line by line: some lines become others, and what nobody read becomes a comment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from synapse_ls.text.lines import iter_lines

UNREAD = "# not read by CARL: "
"""What stands before a line that had no effect and would have one in the new tree."""


def rewritten(text: str, newline: str, lines: Mapping[int, Sequence[str]]) -> str:
    """``text`` with the ``lines`` by number (from 0) in the place of its own.

    Blank lines and comments stay, any other line is made a comment. Every line ends in ``newline``.
    """
    found: list[str] = []
    for number, (start, end) in enumerate(iter_lines(text)):
        line = text[start:end].strip()
        if number in lines:
            found += lines[number]
        elif not line or line.startswith("#"):
            found.append(text[start:end].rstrip())
        else:
            found.append(f"{UNREAD}{line}")
    while found and not found[-1]:
        found.pop()
    return "".join(f"{line}{newline}" for line in found)


def unread(text: str, lines: Mapping[int, Sequence[str]]) -> list[int]:
    """The numbers of the lines that ``rewritten`` makes comments of."""
    spans = enumerate(iter_lines(text))
    bodies = [(number, text[start:end].strip()) for number, (start, end) in spans]
    return [n for n, body in bodies if body and not body.startswith("#") and n not in lines]
