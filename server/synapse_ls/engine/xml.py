"""Text that may stand in a block of XML, whatever it was (XML 1.0, "Characters" and "Markup").

What XML forbids is made visible instead of left out, and nothing that comes from a file or from a
prompt can open, close or forge an element.
"""

from __future__ import annotations

from synapse_ls.engine.escape import one_line

FORBIDDEN = ("\ufffe", "\uffff")
"""Printable to Python, but no characters of XML; controls and surrogates are seen to before."""

CUT = "…"
"""Ends an excerpt."""


def text(raw: str) -> str:
    """``raw`` on one line, as content of an element or as the value of an attribute."""
    told = one_line(raw)
    for character in FORBIDDEN:
        if character in told:
            told = told.replace(character, "\ufffd")
    if "&" in told:
        told = told.replace("&", "&amp;")
    if "<" in told:
        told = told.replace("<", "&lt;")
    return told.replace(">", "&gt;") if ">" in told else told


def quoted(told: str) -> str:
    """What `text` gave, as the value of an attribute between double quotes."""
    return told.replace('"', "&quot;")


def bare(told: str) -> str:
    """What `text` gave, perhaps between tags, without them.

    Of a tag that was cut short (``… </ta…``) what follows the cut stays.
    """
    first, *rest = told.split("<")
    parts = [first]
    for piece in rest:
        tag, closed, after = piece.partition(">")
        parts.append(after if closed else tag[tag.find(CUT) :] if CUT in tag else "")
    return text(plain("".join(parts)))


def plain(told: str) -> str:
    """What `text` was given, on one line."""
    for entity, character in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&amp;", "&")):
        told = told.replace(entity, character)
    return told
