"""Markdown for hovers: short sentences, and blocks byte for byte."""

from __future__ import annotations

import re

from synapse_ls.engine.account import Accountant, DomainAccount
from synapse_ls.engine.run import Assembly
from synapse_ls.ide.view import View

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


def preview(assembly: Assembly, inputs: str = "") -> str:
    """A block as ``synapse context`` prints it for the same inputs, under what it was made for."""
    bracket = assembly.situation.bracket.name
    what = f"The block {inputs}" if inputs else "The block now"
    head = f"{what}: {bracket}, {assembly.tokens:,} of {assembly.budget:,} tokens"
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(assembly.text)), default=0))
    return f"{head}\n\n{fence}text\n{assembly.text}\n{fence}"


def account_in(view: View, assembly: Assembly, label: str) -> DomainAccount | None:
    """What becomes of a domain in a block."""
    if assembly is view.assembly:
        return view.accounts.get(label)
    position = view.plan.labels.get(label)
    if position is None:
        return None
    return Accountant(view.plan, assembly).of(view.plan.domain(position))
