"""The account of a situation and of its memories in lines, as `explain` and `status` show it."""

from collections.abc import Iterator, Mapping
from math import prod

from synapse_ls.cli.console import Part, Row, Styled, align_columns, shorten_text
from synapse_ls.engine import reason_phrases, rule_account
from synapse_ls.engine.block_sections import Entry
from synapse_ls.engine.memory_hints import Hint
from synapse_ls.queries.answer_lines import situation_lines
from synapse_ls.queries.context_question import Answer
from synapse_ls.queries.memory_report import MEMORY_DOMAIN, told_memories
from synapse_ls.text.phrases import format_count


def window_rows(answer: Answer) -> list[Row]:
    """Return the rows of a situation about the bracket and the cost of the block."""
    assembly = answer.assembly
    usage, bracket = assembly.situation.usage, assembly.situation.bracket
    window: list[Part] = [
        Styled(bracket.name, "title"),
        f": {usage.percent_text}% of the context window left ({usage.source_label})",
    ]
    if usage.used is not None and usage.window:
        window.append(f" · {usage.used:,} of {usage.window:,} tokens used")
    block: list[Part] = [rule_account.describe_size(assembly, assembly.tokens, "")]
    if assembly.is_over_budget:
        block.append(Styled(" · over the budget", "bad"))
    elif assembly.tokens > assembly.budget:
        block.append(", the debug view outside of the budget")
    left_out = len(assembly.cut_entries) + len(assembly.limited_entries)
    if assembly.follows:
        block.append(f" · {format_count(left_out, 'line')} to follow" if left_out else "")
        return [("bracket", window), ("reply", block)]
    if assembly.cut_entries:
        block.append(Styled(f" · {format_count(len(assembly.cut_entries), 'line')} cut", "warn"))
        block.append("" if assembly.names_cuts else ", which the block has no room to name")
    if assembly.limited_entries:
        block.append(
            Styled(f" · {len(assembly.limited_entries)} more for the client's limit", "bad")
        )
    return [("bracket", window), ("block", block)]


def situation_rows(answer: Answer) -> list[Row]:
    """Return the rows of a situation about who is at work on what, with the source of each."""
    rows: list[Row] = []
    for name, value, source in situation_lines(answer.plan, answer.assembly.situation):
        parts: list[Part] = [value, Styled(f" ({source})" if source else "", "dim")]
        rows.append((name, parts if value else [Styled("none", "dim")]))
    return rows


_MAX_TITLE_WIDTH = 48
_MAX_LISTED = 5  # memories that are left out and listed unless all are wanted


def memory_lines(
    answer: Answer, *, verbose: bool, inside: bool = True, outside: bool = True
) -> Iterator[list[Part]]:
    """Yield the lines of the account of memories; nothing where there are none."""
    situation = answer.assembly.situation
    memories = situation.memories
    omitted = memories.omitted if memories and outside else ()
    hints = situation.hints if inside else ()
    if not (hints or omitted):
        return
    yield []
    yield [Styled("Memories", "title"), f" · {_disclosure_level(answer)}"]
    listed = omitted if verbose else omitted[:_MAX_LISTED]
    hint_reasons = [
        *((hint, "") for hint in hints),
        *((h, reason_phrases.make_phrase(*why).sentence) for h, why in listed),
    ]
    assembly = answer.assembly
    cut = {id(entry) for entry in told_memories((*assembly.cut_entries, *assembly.limited_entries))}
    # What was to be told of memories, by its hash, and whether it is in the block.
    entries = {
        entry.hash: (entry, id(entry) not in cut)
        for section in assembly.wanted_sections
        for entry in told_memories(section.entries)
        if entry.domain == MEMORY_DOMAIN
    }
    rows = [_hint_row(hint, why, entries) for hint, why in hint_reasons]
    for line, (hint, _) in zip(
        align_columns(rows, right_aligned={3}, indent="  "), hint_reasons, strict=True
    ):
        yield line
        if verbose:
            yield ["     ", Styled(describe_factors(hint), "dim")]
    if not verbose and len(omitted) > _MAX_LISTED:
        yield [f"  … {len(omitted) - _MAX_LISTED} more: --verbose lists them"]


def _hint_row(hint: Hint, why: str, told: Mapping[str, tuple[Entry, bool]]) -> list[Part]:
    """Return the row of a memory. why: why it was not to be told, "" where it was."""
    entry, is_told = (None, False) if why else told.get(hint.identity, (None, False))
    return [
        Styled("+", "good") if is_told else Styled("-", "dim"),
        hint.id,
        shorten_text(hint.title, _MAX_TITLE_WIDTH),
        str(rule_account.entry_tokens(entry)) if entry else "",
        f"{hint.path}:{hint.line + 1}" if hint.path else hint.provider,
        why or ("; ".join(hint.reasons) if is_told else "the budget has cut it"),
    ]


def _disclosure_level(answer: Answer) -> str:
    if (memories := answer.assembly.situation.memories) is None or memories.level == "none":
        return (memories.why if memories else "") or "none are injected"
    how = f"{memories.level}, up to {memories.tokens} tokens"
    if (bracket := answer.assembly.situation.bracket).memory == "none":
        return f"{bracket.name} wants none beside those that begin a window ({how})"
    return how


def describe_factors(hint: Hint) -> str:
    """Return, for the account of a memory, what its score and rank are made of, as a sum."""
    named = dict(hint.factors)
    own = " × ".join(f"{name} {named[name]:.2f}" for name in _SCORE_FACTORS if name in named)
    more = ", ".join(
        f"{name} {value:.2f}" for name, value in hint.factors if name not in _SCORE_FACTORS
    )
    product = prod(named.get(name, 1.0) for name in _SCORE_FACTORS)
    lifted = " (lifted)" if hint.score > min(product, 1.0) + 1e-9 else ""
    return f"score {hint.score:.2f}{lifted} = {own}; rank {hint.rank:.2f} with {more}"


_SCORE_FACTORS = ("evidence", "recency", "access", "confidence")
