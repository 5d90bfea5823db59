"""This module answers hovers on memories: what a field means, the memory's score now, and whether
it is in the block.
"""

from __future__ import annotations

from collections.abc import Mapping

from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.memory_hints import Hint
from synapse_ls.engine.reason_phrases import make_phrase
from synapse_ls.formats.memory_file import MemoryDocument
from synapse_ls.ide.hover_markdown import (
    block_preview,
    code_span,
    escape_markdown,
    inclusion_sentence,
)
from synapse_ls.ide.tree_view import View
from synapse_ls.text.paragraphs import join_paragraphs
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts

FIELD_MEANINGS: Mapping[str, str] = {
    "id": "The name of the memory: the day it was learned on, and a number.",
    "title": "What it is called; a heading in the text counts before it.",
    "type": "What it is. Its sector and storage follow from it where they are not given.",
    "sector": "What kind of knowledge it is: agents prefer some sectors to others.",
    "storage": "How long it is kept: for a session, for days without use, or for good.",
    "scope": "Who is told it: everybody, or the agent alone.",
    "agent": "Who has learned it; of a private one, its only reader.",
    "tags": "What it is about; a prompt that has one of them as a word matches best.",
    "confidence": "How sure it is, from 0 to 1; it grows with each piece of evidence.",
    "evidence": "How often it was seen.",
    "access_count": "How often other tools have told it; the uses here are counted elsewhere.",
    "created": "When it was learned.",
    "updated": "When it was changed last.",
    "accessed": "When it was told last.",
    "expires": "The day from which on it is told no more.",
    "explicit": "Whether a person said so: its score has a floor, and it is never forgotten by itself.",
    "source": "Where it was learned.",
    "tier": "The attention that another tool gives it: the least that it gets until it fades.",
}


def hover(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Returns the hover on a memory: a field's meaning on its key; elsewhere what becomes of the
    memory.
    """
    memory = facts.document
    if not isinstance(memory, MemoryDocument):
        return None
    for name, span in memory.keys.items():
        if span.touches(offset):
            return span, join_paragraphs(f"**{name}**: {FIELD_MEANINGS[name]}")
    line = facts.lines.line_span(facts.lines.line_of(offset))
    # No caret stands between the two characters of a line break.
    return (line, _memory_markdown(view, facts)) if line.touches(offset) else None


def hover_foreign(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """Returns the hover on a memory that a line of Chati.dev's files is about, what becomes of it;
    a file may hold several, each from the line on that has its id.
    """
    number = facts.lines.line_of(offset)
    situation = view.assembly.situation
    memories = situation.memories
    left = [hint for hint, _ in memories.omitted] if memories else []
    found = [hint for hint in (*situation.hints, *left) if hint.path == facts.path]
    hint = found[0] if len(found) == 1 else _memory_above(facts, number, found)
    if hint is None:
        return None
    told = f"**{escape_markdown(hint.id)}** · {escape_markdown(hint.title)}"
    return facts.lines.line_span(number), join_paragraphs(
        told, _memory_markdown(view, facts, hint.id)
    )


def _memory_above(facts: FileFacts, number: int, hints: list[Hint]) -> Hint | None:
    """Returns the memory whose id stands nearest above a line, or in it; else the one that begins
    there.
    """
    for at in range(number, -1, -1):
        words = (
            facts.lines.line_span(at).cut(facts.text).replace('"', " ").replace(",", " ").split()
        )
        named = next((hint for hint in hints if hint.id in words), None)
        if named is not None:
            return named
    begun = [hint for hint in hints if 0 < hint.line <= number]
    return max(begun, key=lambda hint: hint.line, default=None)


def _memory_markdown(view: View, facts: FileFacts, id: str = "") -> str:
    situation = view.assembly.situation
    memories = situation.memories

    def is_meant(hint: Hint) -> bool:
        return hint.path == facts.path and id in ("", hint.id)

    own = [hint for hint in situation.hints if is_meant(hint)]
    if own:
        told = {hint.identity for hint in own}

        def is_own(_: Section, entry: Entry) -> bool:
            return any(one.hash in told for one in entry.members or (entry,))

        sent = any(is_own(s, e) for s in view.assembly.sent_sections for e in s.entries)
        reason = "; ".join(own[0].reasons) if sent else "the budget has no room for it"
        block = block_preview(view.assembly, {}, is_own)
        return join_paragraphs(inclusion_sentence(sent, reason), _score_table(own[0]), block)
    left = [(hint, why) for hint, why in memories.omitted if is_meant(hint)] if memories else []
    if left:
        hint, why = left[0]
        return join_paragraphs(
            inclusion_sentence(False, make_phrase(*why).sentence), _score_table(hint)
        )
    return join_paragraphs(
        inclusion_sentence(
            False, (memories.why if memories else "") or "nobody it may be told to is active"
        )
    )


def _score_table(hint: Hint) -> str:
    """Returns a table of the factors of the score."""
    rows = [f"| {escape_markdown(name)} | {value:.2f} |" for name, value in hint.factors]
    head = f"| {hint.tier.upper()} | {code_span(f'{hint.score:.2f}')} |\n|---|---|"
    return "\n".join((head, *rows))
