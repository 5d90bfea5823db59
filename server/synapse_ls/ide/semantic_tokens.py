"""What the words of a file mean, for colouring: more than a grammar can know.

Types and modifiers are the standard ones (LSP 3.18, "Semantic Tokens"), so that every theme has
colours for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

from synapse_ls.ide.tokens import files, manifest, rules
from synapse_ls.ide.tokens.paint import MODIFIERS, TYPES, Token
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import RULE_KINDS, FileKind

__all__ = ["MODIFIERS", "TYPES", "Token", "semantic_tokens"]


def semantic_tokens(view: View, path: str, within: Span | None = None) -> tuple[Token, ...]:
    """The tokens of a file, or those that touch a part of it, in text order.

    None reaches over a line break and no two overlap.
    """
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.read:
        return ()
    if facts.kind is FileKind.MANIFEST:
        found = manifest.tokens(view, facts)
    elif facts.kind in RULE_KINDS:
        found = rules.tokens(view, facts)
    else:
        found = files.tokens(view, facts)
    if within is not None:
        found = (t for t in found if t.span.start <= within.end and within.start <= t.span.end)
    return tuple(_apart(_on_lines(facts, found)))


def _on_lines(facts: FileFacts, tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens, cut at line breaks."""
    text = facts.text
    for token in tokens:
        if text.find("\n", *token.span) < 0 and text.find("\r", *token.span) < 0:
            yield token
            continue
        lines = facts.lines
        first, last = map(lines.line_of, token.span)
        for number in range(first, last + 1):
            start, end = lines.line_span(number)
            piece = Span(max(start, token.span.start), min(end, token.span.end))
            yield Token(piece, token.type, token.modifiers)


def _apart(tokens: Iterable[Token]) -> Iterator[Token]:
    """The tokens in text order; of two that overlap the first one, at one place the shorter."""
    end = 0
    for token in sorted(tokens, key=attrgetter("span")):
        if token.span.length > 0 and token.span.start >= end:
            yield token
            end = token.span.end


@dataclass(frozen=True, slots=True)
class Splice:
    """A change of a list of numbers: ``deleted`` of them at ``start`` become ``data``."""

    start: int
    deleted: int
    data: tuple[int, ...]


def difference(before: list[int], now: list[int]) -> Splice | None:
    """The one splice that makes ``now`` of ``before``; None where they are the same."""
    if before == now:
        return None
    shorter = min(len(before), len(now))
    head = next((i for i in range(shorter) if before[i] != now[i]), shorter)
    most = shorter - head
    tail = next((i for i in range(most) if before[-1 - i] != now[-1 - i]), most)
    return Splice(head, len(before) - head - tail, tuple(now[head : len(now) - tail]))
