"""This module quotes and shortens words that somebody else wrote, as they may stand in a greeting."""

from __future__ import annotations

from synapse_ls.engine.text_escaping import neutralise_text


def quote_line(text: str, most: int = 200) -> str:
    """Quotes ``text``, for a greeting, as one harmless line of at most so many characters."""
    told = neutralise_text(text)
    return told if len(told) <= most else told[: most - 1] + "…"


def inline_code(text: str) -> str:
    """Quotes somebody's words in a greeting as Markdown code on one line, which nothing in it can
    end.
    """
    return f"`{text.replace('`', '´')}`"


def shorten_line(text: str, most: int) -> str:
    """Quotes at most so many characters of a line, cut at a word where there is one."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[most // 2 :] else head) + "…"


def clean_lines(text: str) -> str:
    """Returns the quoted ``text`` without anything that could pass for the markup of a block, line
    by line.
    """
    return "\n".join(map(_clean_line, text.split("\n")))


def _clean_line(line: str) -> str:
    bare = line.lstrip(" ")
    return line[: len(line) - len(bare)] + neutralise_text(bare)
