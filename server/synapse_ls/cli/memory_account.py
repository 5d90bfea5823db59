"""This module renders the account of memories: which are in the block, what they are worth, and why
others are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.table import align_columns, shorten_text
from synapse_ls.engine.reason_phrases import make_phrase
from synapse_ls.engine.token_estimate import tokens_of_length
from synapse_ls.queries.memory_accounts import told_memories

if TYPE_CHECKING:
    from collections.abc import Iterator

    from synapse_ls.engine.memory_hints import Hint
    from synapse_ls.queries.context_question import Answer

_MAX_TITLE_WIDTH = 48
_MAX_LISTED = 5  # memories that are left out and listed unless all are wanted


def memory_lines(
    answer: Answer, *, verbose: bool, inside: bool = True, outside: bool = True
) -> Iterator[list[Part]]:
    """Yields the lines of the account of memories; nothing where there are none."""
    situation = answer.assembly.situation
    memories = situation.memories
    left = memories.omitted if memories and outside else ()
    hints = situation.hints if inside else ()
    if not (hints or left):
        return
    assembly = answer.assembly
    cut = {id(one) for one in told_memories((*assembly.cut_entries, *assembly.limited_entries))}
    entries = {
        one.hash: one
        for section in assembly.wanted_sections
        for one in told_memories(section.entries)
        if one.domain == "MEMORY"
    }
    yield []
    yield [Styled("Memories", "title"), f" · {_disclosure_level(answer)}"]
    rows: list[list[Part]] = []
    shown = [(hint, "") for hint in hints]
    shown += [
        (hint, make_phrase(*why).sentence)
        for hint, why in (left if verbose else left[:_MAX_LISTED])
    ]
    for hint, why in shown:
        entry = None if why else entries.get(hint.identity)
        told = entry is not None and id(entry) not in cut
        reason = why or ("; ".join(hint.reasons) if told else "the budget has cut it")
        tokens = str(tokens_of_length(len(entry.prefix) + len(entry.text) + 1)) if entry else ""
        rows.append(
            _hint_row(Styled("+", "good") if told else Styled("-", "dim"), hint, tokens, reason)
        )
    for line, (hint, _) in zip(
        align_columns(rows, right_aligned={3}, indent="  "), shown, strict=True
    ):
        yield line
        if verbose:
            yield ["     ", Styled(describe_factors(hint), "dim")]
    if not verbose and len(left) > _MAX_LISTED:
        yield [f"  … {len(left) - _MAX_LISTED} more: --verbose lists them"]


def _hint_row(sign: Part, hint: Hint, tokens: str, why: str) -> list[Part]:
    place = f"{hint.path}:{hint.line + 1}" if hint.path else hint.provider
    return [sign, hint.id, shorten_text(hint.title, _MAX_TITLE_WIDTH), tokens, place, why]


def _disclosure_level(answer: Answer) -> str:
    memories = answer.assembly.situation.memories
    if memories is None or memories.level == "none":
        return (memories.why if memories else "") or "none are told"
    how = f"{memories.level}, up to {memories.tokens} tokens"
    bracket = answer.assembly.situation.bracket
    if bracket.memory == "none":
        return f"{bracket.name} wants none beside those that begin a window ({how})"
    return how


def describe_factors(hint: Hint) -> str:
    """Returns, for the account of a memory, what its score and rank are made of, as a sum."""
    named = dict(hint.factors)
    own = " × ".join(f"{name} {named[name]:.2f}" for name in _SCORE_FACTORS if name in named)
    more = ", ".join(
        f"{name} {value:.2f}" for name, value in hint.factors if name not in _SCORE_FACTORS
    )
    product = 1.0
    for name in _SCORE_FACTORS:
        product *= named.get(name, 1.0)
    lifted = " (lifted)" if hint.score > min(product, 1.0) + 1e-9 else ""
    return f"score {hint.score:.2f}{lifted} = {own}; rank {hint.rank:.2f} with {more}"


_SCORE_FACTORS = ("evidence", "recency", "access", "confidence")
