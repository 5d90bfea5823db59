"""What every block has, in Chati.dev's grammar: a section of lines as an element of lines."""

from __future__ import annotations

from synapse_ls.engine import xml
from synapse_ls.engine.layers.chati.entries import INNER, OUTER
from synapse_ls.engine.section import Section


def element(section: Section, tag: str, attributes: str = "", *, id: str = "") -> Section:
    """``section`` as an element ``tag``; its entries are taken over and their texts made harmless."""
    for entry in section.entries:
        entry.text = "\n".join(
            f"{INNER * bool(n)}{xml.text(line)}" for n, line in enumerate(entry.text.split("\n"))
        )
        entry.group = xml.text(entry.group)
        entry.prefix = INNER
    return Section(
        id or section.id,
        f"{OUTER}<{tag}{attributes}>",
        section.layer,
        section.entries,
        f"{OUTER}</{tag}>",
    )
