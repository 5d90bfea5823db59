"""Markdown for hovers: short sentences, and blocks byte for byte."""

from __future__ import annotations

import re
from collections.abc import Callable

from synapse_ls.engine.account import Accountant, DomainAccount
from synapse_ls.engine.render import section_text
from synapse_ls.engine.run import Assembly
from synapse_ls.engine.section import Entry, Section
from synapse_ls.ide.view import View

Own = Callable[[Section, Entry], bool]
"""Tells which entries of a block a hover is about."""

# Between letters and digits an underscore is no markup (CommonMark 0.31, "Emphasis").
_SPECIAL = re.compile(r"([\\`*{}\[\]<>#|~]|(?<![^\W_])_|_(?![^\W_]))")
_TICKS = re.compile(r"`+")


def plain(text: str) -> str:
    """``text`` as it stands, whatever of it would be markup; line breaks become spaces."""
    return _SPECIAL.sub(r"\\\1", " ".join(text.split()))


def code(text: str) -> str:
    """``text`` as a code span on one line."""
    flat = " ".join(text.split())
    ticks = "`" * (max(map(len, _TICKS.findall(flat)), default=0) + 1)
    pad = " " if len(ticks) > 1 else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}" if flat else ""


def place(path: str, line: int) -> str:
    """A file and a line, counted from 1."""
    return code(f"{path}:{line}")


def paragraphs(*parts: str) -> str:
    """The parts that say something, a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def fate(active: bool, reason: str, remedy: str = "", block: str = "the block now") -> str:
    """Whether something is in a block, why, and what would change that."""
    head = f"**{'In' if active else 'Not in'} {block}**"
    way_in = f"\n\nTo bring it in: {plain(remedy)}." if remedy and not active else ""
    return f"{head}: {plain(reason)}.{way_in}"


def preview(assembly: Assembly, inputs: str = "", own: Own | None = None, between: str = "") -> str:
    """A block as ``synapse context`` prints it for the same inputs, under what it was made for.

    What the hover is about comes first, by itself: in the block it may stand below the fold.
    ``between`` is what is to be read before the whole block.
    """
    bracket = assembly.situation.bracket.name
    what = f"The block {inputs}" if inputs else "The block now"
    head = f"{what}: {bracket}, {assembly.tokens:,} of {assembly.budget:,} tokens"
    block = f"{head}\n\n{fenced(assembly.text, 'text')}"
    part = own_part(assembly, own) if own else ""
    first = f"Its part of the block:\n\n{fenced(part)}" if part else ""
    return paragraphs(first, between, block)


def own_part(assembly: Assembly, own: Own) -> str:
    """The sections with the entries that ``own`` picks; "" where the block begins with them."""
    parts: list[str] = []
    for number, section in enumerate(assembly.sent):
        entries = [entry for entry in section.entries if own(section, entry)]
        if entries and (number or parts):
            parts.append(section_text(section.with_entries(entries)))
    return "\n\n".join(parts)


def of_labels(*labels: str) -> Own:
    """The entries of domains."""
    return lambda _, entry: entry.domain in labels


def of_section(id: str) -> Own:
    """The entries of a section of the profile."""
    return lambda section, _: section.id == id


def fenced(text: str, language: str = "") -> str:
    """A text as a code block, whatever it contains."""
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def account_in(view: View, assembly: Assembly, label: str) -> DomainAccount | None:
    """What becomes of a domain in a block."""
    if assembly is view.assembly:
        return view.accounts.get(label)
    position = view.plan.labels.get(label)
    if position is None:
        return None
    return Accountant(view.plan, assembly).of(view.plan.domain(position))
