"""The account of memories: which are in the block, what they are worth, and why others are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.console import Part, Styled
from synapse_ls.cli.table import columns, shortened
from synapse_ls.engine.phrases import phrase
from synapse_ls.engine.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from synapse_ls.engine.hints import Hint
    from synapse_ls.service.answer import Answer

_WIDEST = 48
_FEW = 5  # memories that are left out and listed unless all are wanted


def memory_lines(
    answer: Answer, *, verbose: bool, inside: bool = True, outside: bool = True
) -> Iterator[list[Part]]:
    """The lines of the account; nothing where there are no memories."""
    situation = answer.assembly.situation
    memories = situation.memories
    left = memories.left if memories and outside else ()
    hints = situation.hints if inside else ()
    if not (hints or left):
        return
    cut = {id(entry) for entry in (*answer.assembly.cut, *answer.assembly.limited)}
    entries = {
        entry.hash: entry
        for section in answer.assembly.wanted
        for entry in section.entries
        if entry.domain == "MEMORY"
    }
    yield []
    yield [Styled("Memories", "title"), f" · {_level(answer)}"]
    rows: list[list[Part]] = []
    shown = [(hint, "") for hint in hints]
    shown += [(hint, phrase(*why).sentence) for hint, why in (left if verbose else left[:_FEW])]
    for hint, why in shown:
        entry = None if why else entries.get(hint.identity)
        told = entry is not None and id(entry) not in cut
        reason = why or ("; ".join(hint.reasons) if told else "the budget has cut it")
        tokens = str(tokens_of(len(entry.prefix) + len(entry.text) + 1)) if entry else ""
        rows.append(_row(Styled("+", "good") if told else Styled("-", "dim"), hint, tokens, reason))
    for line, (hint, _) in zip(columns(rows, right={3}, indent="  "), shown, strict=True):
        yield line
        if verbose:
            yield ["     ", Styled(factors(hint), "dim")]
    if not verbose and len(left) > _FEW:
        yield [f"  … {len(left) - _FEW} more: --verbose lists them"]


def _row(sign: Part, hint: Hint, tokens: str, why: str) -> list[Part]:
    place = f"{hint.path}:{hint.line + 1}" if hint.path else hint.provider
    return [sign, hint.id, shortened(hint.title, _WIDEST), tokens, place, why]


def _level(answer: Answer) -> str:
    memories = answer.assembly.situation.memories
    if memories is None or memories.level == "none":
        return (memories.why if memories else "") or "none are told"
    return f"{memories.level}, up to {memories.tokens} tokens"


def factors(hint: Hint) -> str:
    """What a hint's score and rank are made of, as a sum."""
    named = dict(hint.factors)
    own = " × ".join(f"{name} {named[name]:.2f}" for name in _OWN if name in named)
    more = ", ".join(f"{name} {value:.2f}" for name, value in hint.factors if name not in _OWN)
    product = 1.0
    for name in _OWN:
        product *= named.get(name, 1.0)
    lifted = " (lifted)" if hint.score > min(product, 1.0) + 1e-9 else ""
    return f"score {hint.score:.2f}{lifted} = {own}; rank {hint.rank:.2f} with {more}"


_OWN = ("evidence", "recency", "access", "confidence")
