"""Phrases of messages to people: counts with nouns, lists of names, paragraphs, harmless names."""

from __future__ import annotations

from synapse_ls.text.block_markup import HANGUL_FILLERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


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


_LONGEST_NAME = 120  # characters of a path that is named


def code_text(text: str, most: int = _LONGEST_NAME) -> str:
    """Return somebody's words on one line, as they may stand between back-ticks."""
    return shorten_line(escape_invisible(text), most).replace("`", "'")


def quote_name(path: str) -> str:
    """Return a path as a sentence names it: in quotation marks if it could pass for a part of
    it.
    """
    plain = "".join(c for c in path if c not in "./_-@+")
    if plain.isascii() and plain.isalnum() and len(path) <= _LONGEST_NAME:
        return path
    return quotation(shorten_line(path, _LONGEST_NAME))


def shell_word(path: str) -> str:
    """Return a path as one word of a command line, which nothing in it ends (POSIX, "Quoting")."""
    plain = "".join(c for c in path if c not in "./_-@+:")
    return path if plain.isalnum() else "'{}'".format(path.replace("'", "'\\''"))


def escape_invisible(text: str) -> str:
    """Return ``text`` on one line, with each character that steers or is not seen as its escape."""
    return replace_unseen(text, lambda c: c.encode("unicode_escape").decode())


# Of which nobody sees anything: what Unicode has readers ignore (UAX #44,
# Default_Ignorable_Code_Point) and blanks of Braille, music and Khitan; all of plane 14, too.
_UNSEEN = frozenset(
    f"{HANGUL_FILLERS}\u034f\u17b4\u17b5\u180b\u180c\u180d\u180f\u200c\u200d\u2065\u2800\U00016fe4"
    + "".join(map(chr, (0x1D159, *range(0xFE00, 0xFE10), *range(0xFFF0, 0xFFF9))))
)
_PLANE_14 = "\U000e0000"


def replace_unseen(text: str, replacement: Callable[[str], str]) -> str:
    """Return ``text`` with the ``replacement`` of each character that is not printable or that
    nobody sees, but for selectors and joiners that an emoji or a script needs where they stand.
    """
    if text.isprintable() and (
        text.isascii() or (_UNSEEN.isdisjoint(text) and max(text) < _PLANE_14)
    ):
        return text
    from synapse_ls.text.hidden_characters import is_needed

    return "".join(
        c
        if (c.isprintable() or c in "\u200c\u200d")
        and (not _is_unseen(c) or is_needed(text, place))
        else replacement(c)
        for place, c in enumerate(text)
    )


def replace_controls(text: str, replacement: Callable[[str], str]) -> str:
    """Return ``text`` as `replace_unseen` does, with wide spaces, characters of private use, and
    emoji and signs of currency that are newer than this Python, as they are.
    """
    return replace_unseen(text, lambda c: c if _is_harmless(c) else replacement(c))


def visible_text(text: str) -> str:
    """Return ``text`` on one line, with spaces for control characters and separators, and U+FFFD
    for what nobody sees.
    """
    return replace_controls(text, lambda c: " " if c < "\xa0" or c in "\u2028\u2029" else "\ufffd")


def _is_harmless(character: str) -> bool:
    from unicodedata import category

    is_newer = "\u20a0" <= character <= "\u20cf" or "\U0001f000" <= character <= "\U0001faff"
    harmless = ("Cn", "Co", "Zs") if is_newer else ("Co", "Zs")
    return category(character) in harmless and not _is_unseen(character)


def _is_unseen(character: str) -> bool:
    return character in _UNSEEN or _PLANE_14 <= character <= "\U000e0fff"
