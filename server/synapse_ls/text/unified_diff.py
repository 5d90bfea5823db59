"""This module computes the difference of two texts as a unified diff."""

from __future__ import annotations

from difflib import unified_diff


def text_diff(before: str, after: str, old_name: str, new_name: str) -> str:
    """Returns the difference of two texts as a unified diff, "" where there is none."""
    lines = unified_diff(_split_lines(before), _split_lines(after), old_name, new_name)
    missing = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + missing for line in lines)


def _split_lines(text: str) -> list[str]:
    """Returns the lines of a text with their breaks: at LF only, as diff and patch see them."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines
