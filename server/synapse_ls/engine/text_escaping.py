"""Escape the text of rules, so that it can neither close the block nor imitate its headings.

The change is visible: angle brackets of block tags and square brackets of headings become round,
and control characters that break lines become spaces. In an XML block (XML 1.0, "Characters" and
"Markup") forbidden characters are made visible instead of removed.
"""

from __future__ import annotations

from synapse_ls.text.block_markup import heading_end, tag_name_end
from synapse_ls.text.phrases import visible_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

# Ends an excerpt.
ELLIPSIS = "…"
MAX_HEADING_NAME: Final = 200  # characters of a name in a heading
_ROUND: Final = str.maketrans("[]", "()")


def neutralise_text(text: str, *, keeps_spaces: bool = False) -> str:
    """Return ``text`` as it may stand inside a block: one line, no tag and no heading of a
    block.
    """
    return neutralise_markup(to_one_line(text, keeps_spaces=keeps_spaces))


def name_heading(kind: str, name: str) -> str:
    """Return a heading of a block with a name of the tree, which does not end it."""
    return f"[{kind}{neutralise_text(name[:MAX_HEADING_NAME]).translate(_ROUND)}]"


def neutralise_markup(text: str) -> str:
    """Return a text of visible characters without a tag or a heading of a block, be it on one line
    or broken over several.
    """
    if "<" in text:
        text = _round_brackets(text, "<", ">", tag_name_end)
    if "[" in text:
        text = _round_brackets(text, "[", "]", heading_end)
    return text


# Before further lines of an entry of the block.
LATER_LINE = "\n      "


def neutralise_lines(text: str) -> str:
    """Return a text of one or more lines as it may stand in the block: harmless, further lines
    indented, in relation to each other as they are, and none empty.
    """
    if "\n" not in text and "\r" not in text:
        return neutralise_text(text)
    first, *others = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4).split("\n")
    later = [line for line in others if line.strip()]
    margin = min((len(line) - len(line.lstrip(" ")) for line in later), default=0)
    lines = [to_one_line(first, keeps_spaces=True)]
    for line in later:
        inner = line[margin:]
        indent = inner[: len(inner) - len(inner.lstrip(" "))]
        lines.append(indent + to_one_line(inner, keeps_spaces=True))
    return neutralise_markup(LATER_LINE.join(filter(None, lines)))


def neutralise_tag(text: str, tag: str) -> str:
    """Return ``text`` with one more tag made harmless, that of a tree's own profile, and with the
    headings that it is for some clients.
    """
    headings = (tag.upper(), f"END OF {tag.upper()}")
    text = _round_brackets(text, "<", ">", lambda text, start: tag_name_end(text, start, (tag,)))
    return _round_brackets(text, "[", "]", lambda text, start: heading_end(text, start, headings))


def to_one_line(text: str, *, keeps_spaces: bool = False) -> str:
    """Return ``text`` on one line, with nothing in it that a reader cannot see."""
    text = visible_text(text)
    return text.strip() if keeps_spaces else " ".join(text.split())


def _round_brackets(
    text: str, opening: str, closing: str, name_end: Callable[[str, int], int]
) -> str:
    """Return ``text`` with each forged pair of brackets round."""
    at = text.find(opening)
    while at >= 0:
        if name_end(text, at + 1) >= 0:
            close = text.find(closing, at)
            text = f"{text[:at]}({text[at + 1 :]}"
            if close >= 0:
                text = f"{text[:close]}){text[close + 1 :]}"
        at = text.find(opening, at + 1)
    return text


def escape_text(raw: str) -> str:
    """Return ``raw`` on one line, as XML text: content of an element or the value of an
    attribute.
    """
    return to_one_line(raw).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def escape_attribute(raw: str) -> str:
    """Return ``raw`` as the value of an attribute between double quotes."""
    return escape_quotes(escape_text(raw))


def escape_quotes(escaped: str) -> str:
    """Return escaped XML text as the value of an attribute between double quotes."""
    return escaped.replace('"', "&quot;")


def strip_tags(escaped: str) -> str:
    """Return escaped XML text, perhaps between tags, without them.

    Of a tag that was cut short (``… </ta…``) what follows the cut stays.
    """
    first, *rest = escaped.split("<")
    parts = [first]
    for piece in rest:
        tag, closed, after = piece.partition(">")
        parts.append(after if closed else tag[tag.find(ELLIPSIS) :] if ELLIPSIS in tag else "")
    return escape_text(unescape_text("".join(parts)))


def unescape_text(escaped: str) -> str:
    """Return escaped XML text as it was before, on one line."""
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        escaped = escaped.replace(entity, character)
    return escaped
