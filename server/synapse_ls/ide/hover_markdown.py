"""This module formats Markdown for hovers and tooltips: escaped text, code spans, short
sentences, and blocks of the prompt byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_renderer import render_section
from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.rule_account import Accountant, DomainAccount
from synapse_ls.ide.tree_view import View

EntryFilter = Callable[[Section, Entry], bool]
"""Tells which entries of a block a hover is about."""

# Between letters and digits an underscore is no markup (CommonMark 0.31, "Emphasis").
_MARKUP_CHARACTERS = re.compile(r"([\\`*{}\[\]<>#|~]|(?<![^\W_])_|_(?![^\W_]))")
_BACKTICKS = re.compile(r"`+")


def escape_markdown(text: str) -> str:
    """Returns ``text`` with all markup characters escaped; line breaks become spaces."""
    return _MARKUP_CHARACTERS.sub(r"\\\1", " ".join(text.split()))


def code_span(text: str) -> str:
    """Returns ``text`` as a code span on one line."""
    flat = " ".join(text.split())
    ticks = "`" * (max(map(len, _BACKTICKS.findall(flat)), default=0) + 1)
    pad = " " if len(ticks) > 1 else ""
    return f"{ticks}{pad}{flat}{pad}{ticks}" if flat else ""


def line_reference(path: str, line: int) -> str:
    """Returns a file and a line, counted from 1, as a code span."""
    return code_span(f"{path}:{line}")


def join_paragraphs(*parts: str) -> str:
    """Joins the parts that are not empty, with a blank line between them."""
    return "\n\n".join(part for part in parts if part)


def inclusion_sentence(
    is_included: bool, reason: str, remedy: str = "", block: str = "the block now"
) -> str:
    """Returns Markdown that says whether something is in a block, why, and what would change that."""
    head = f"**{'In' if is_included else 'Not in'} {block}**"
    way_in = f"\n\nTo bring it in: {escape_markdown(remedy)}." if remedy and not is_included else ""
    return f"{head}: {escape_markdown(reason)}.{way_in}"


def block_preview(
    assembly: Assembly, inputs: str = "", own: EntryFilter | None = None, between: str = ""
) -> str:
    """Returns a block as ``synapse context`` prints it for the same inputs, below a line that names
    these inputs.

    The part that the hover is about comes first, by itself: in the block it may stand below the
    fold. ``between`` is what is to be read before the whole block.
    """
    bracket = assembly.situation.bracket.name
    what = f"The block {inputs}" if inputs else "The block now"
    head = f"{what}: {bracket}, {assembly.tokens:,} of {assembly.budget:,} tokens"
    block = f"{head}\n\n{code_block(assembly.text, 'text')}"
    part = matching_sections(assembly, own) if own else ""
    first = f"Its part of the block:\n\n{code_block(part)}" if part else ""
    return join_paragraphs(first, between, block)


def matching_sections(assembly: Assembly, own: EntryFilter) -> str:
    """Returns the sections with the entries that ``own`` picks; "" where the block begins with
    them.
    """
    parts: list[str] = []
    for number, section in enumerate(assembly.sent_sections):
        entries = [entry for entry in section.entries if own(section, entry)]
        if entries and (number or parts):
            parts.append(render_section(section.with_entries(entries)))
    return "\n\n".join(parts)


def entries_of_domains(*labels: str) -> EntryFilter:
    """Returns a filter for the entries of the domains with these labels."""
    return lambda _, entry: entry.domain in labels


def entries_of_section(id: str) -> EntryFilter:
    """Returns a filter for the entries of one section of the profile."""
    return lambda section, _: section.id == id


def code_block(text: str, language: str = "") -> str:
    """Returns a text as a fenced code block, whatever it contains."""
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(text)), default=0))
    return f"{fence}{language}\n{text}\n{fence}"


def domain_account(view: View, assembly: Assembly, label: str) -> DomainAccount | None:
    """Returns the account of a domain in a block: in or out, and why."""
    if assembly is view.assembly:
        return view.accounts.get(label)
    position = view.plan.labels.get(label)
    if position is None:
        return None
    return Accountant(view.plan, assembly).account_of(view.plan.domain(position))
