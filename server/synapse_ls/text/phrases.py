"""Phrases of messages to people: counts with nouns, lists of names, paragraphs, harmless names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def format_count(number: int, noun: str, plural: str = "") -> str:
    """Return ``1 rule``, ``2 rules`` or ``1,200 rules``; ``plural`` is for nouns that take more
    than an s.
    """
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def join_paragraphs(*paragraphs: str) -> str:
    """Join the paragraphs that are not empty, with a blank line between them."""
    return "\n\n".join(paragraph for paragraph in paragraphs if paragraph)


def join_names(names: Sequence[str], conjunction: str = "and") -> str:
    """Return the names as a list in a sentence: ``a, b and c``."""
    *first, last = names
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def shorten_text(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters, with an ellipsis at the end of a longer one."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def shorten_line(text: str, most: int) -> str:
    """Return a text of at most ``most`` characters, a longer one cut at a word."""
    if len(text) <= most:
        return text
    head = text[: most - 1]
    at = head.rfind(" ")
    return f"{(head[:at] if at > most // 2 else head).rstrip(' ,;:')}…"


_QUOTATION_MARKS = str.maketrans("“”„", '"' * 3)


def quotation(text: str) -> str:
    """Quote somebody's words in quotation marks, which nothing in them can end."""
    return f"“{text.translate(_QUOTATION_MARKS)}”"


_FILLERS = "\u115f\u1160\u2800\u3164\uffa0"  # which look like spaces
_LONGEST_NAME = 120  # characters of a path that is named


def quote_name(path: str) -> str:
    """Return a path as a sentence names it: in quotation marks if it could pass for a part of
    it.
    """
    plain = "".join(c for c in path if c not in "./_-@+")
    if plain.isascii() and plain.isalnum() and len(path) <= _LONGEST_NAME:
        return path
    return quotation(shorten_line(path, _LONGEST_NAME))


def escape_invisible(text: str) -> str:
    """Return ``text`` on one line, with each character that steers or is not seen as its escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        c if c.isprintable() and c not in _FILLERS else c.encode("unicode_escape").decode()
        for c in text
    )
