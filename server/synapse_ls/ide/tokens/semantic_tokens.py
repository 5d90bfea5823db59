"""This module computes semantic tokens, what the words of a file mean, for syntax colouring that
knows more than a grammar.

Types and modifiers are the standard ones (LSP 3.18, "Semantic Tokens"), so that every theme has
colours for them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

from synapse_ls.ide.tokens import file_tokens, manifest_tokens, rule_tokens
from synapse_ls.ide.tokens.token_legend import TOKEN_MODIFIERS, TOKEN_TYPES, Token
from synapse_ls.ide.tree_view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind

__all__ = ["TOKEN_MODIFIERS", "TOKEN_TYPES", "Token", "semantic_tokens"]


def semantic_tokens(view: View, path: str, within: Span | None = None) -> tuple[Token, ...]:
    """Returns the semantic tokens of a file, or those that touch a part of it, in text order.

    None reaches over a line break and no two overlap.
    """
    facts = view.tree.snapshot.facts(path)
    if facts is None or not facts.is_read:
        return ()
    if facts.kind is FileKind.MANIFEST:
        found = manifest_tokens.manifest_tokens(view, facts)
    elif facts.kind in RULE_KINDS:
        found = rule_tokens.rule_tokens(view, facts)
    else:
        found = file_tokens.file_tokens(view, facts)
    if within is not None:
        found = (t for t in found if t.span.start <= within.end and within.start <= t.span.end)
    return tuple(_drop_overlaps(_split_at_lines(facts, found)))


def _split_at_lines(facts: FileFacts, tokens: Iterable[Token]) -> Iterator[Token]:
    """Yields the tokens, cut at line breaks."""
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


def _drop_overlaps(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yields the tokens in text order; of two that overlap the first one, at one place the shorter."""
    end = 0
    for token in sorted(tokens, key=attrgetter("span")):
        if token.span.length > 0 and token.span.start >= end:
            yield token
            end = token.span.end


@dataclass(frozen=True, slots=True)
class TokenSplice:
    """A TokenSplice is a change of the numbers that semantic tokens are sent as: ``delete_count``
    of them at ``start`` become ``data``.
    """

    start: int
    delete_count: int
    data: tuple[int, ...]


def token_difference(before: list[int], now: list[int]) -> TokenSplice | None:
    """Returns the one splice that turns the semantic tokens ``before`` into ``now``; None where
    they are the same.
    """
    if before == now:
        return None
    shorter = min(len(before), len(now))
    head = next((i for i in range(shorter) if before[i] != now[i]), shorter)
    most = shorter - head
    tail = next((i for i in range(most) if before[-1 - i] != now[-1 - i]), most)
    return TokenSplice(head, len(before) - head - tail, tuple(now[head : len(now) - tail]))
