"""This module escapes text that may stand in a block of XML, whatever it was (XML 1.0,
"Characters" and "Markup").

What XML forbids is made visible instead of left out, and nothing that comes from a file or
from a prompt can open, close or forge an element.
"""

from __future__ import annotations

from synapse_ls.engine.text_escaping import to_one_line

FORBIDDEN = ("\ufffe", "\uffff")
"""Printable to Python, but no characters of XML; controls and surrogates are seen to before."""

ELLIPSIS = "…"
"""Ends an excerpt."""


def escape_text(raw: str) -> str:
    """Returns ``raw`` on one line, as XML text: content of an element or the value of an attribute."""
    told = to_one_line(raw)
    for character in FORBIDDEN:
        if character in told:
            told = told.replace(character, "\ufffd")
    if "&" in told:
        told = told.replace("&", "&amp;")
    if "<" in told:
        told = told.replace("<", "&lt;")
    return told.replace(">", "&gt;") if ">" in told else told


def escape_quotes(escaped: str) -> str:
    """Returns escaped XML text as the value of an attribute between double quotes."""
    return escaped.replace('"', "&quot;")


def strip_tags(escaped: str) -> str:
    """Returns escaped XML text, perhaps between tags, without them.

    Of a tag that was cut short (``… </ta…``) what follows the cut stays.
    """
    first, *rest = escaped.split("<")
    parts = [first]
    for piece in rest:
        tag, closed, after = piece.partition(">")
        parts.append(after if closed else tag[tag.find(ELLIPSIS) :] if ELLIPSIS in tag else "")
    return escape_text(unescape_text("".join(parts)))


def unescape_text(escaped: str) -> str:
    """Returns escaped XML text as it was before, on one line."""
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        escaped = escaped.replace(entity, character)
    return escaped
