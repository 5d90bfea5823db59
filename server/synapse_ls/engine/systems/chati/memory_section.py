"""This module renders the memory section of Chati.dev, ``<memory bracket="…" level="…">``: as much
of them as the bracket asks for.

Its tokens are its own, beside the budget of the layers (Chati Context Engine, "Integration
with Memory Layer"): metadata names what there is, chunks give the gist, full gives all.
"""

from __future__ import annotations

from synapse_ls.engine import text_escaping
from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.context_usage import CHARS_PER_TOKEN
from synapse_ls.engine.systems.chati.row_entries import INNER, OUTER
from synapse_ls.text.digest import hash_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.memory_hints import Hint

RANK = "MEMORY"
PLACE = "  <memory>"  # where memories stand in a window, whatever bracket told them
TIERS = ("hot", "warm", "cold")
LEVELS = {"metadata": "metadata", "summary": "chunks", "full": "full"}
"""How much the engine tells of memories -> what Chati.dev calls that."""


def memory_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the ``<memory>`` element of Chati.dev, best memories first; what does not fit into
    its tokens is left out.

    What stands in the window takes no room, and is not named again with what is new.
    """
    situation = assembly.situation
    bracket = situation.bracket
    level, tokens = bracket.memory, bracket.memory_tokens
    found = situation.memories
    if found and found.level != "none":  # by a setting, or because a window has just begun
        level, tokens = LEVELS[found.level], found.tokens
    told = assembly.standing.get(PLACE, {})
    known = [hint for hint in situation.hints if hint.identity in told]
    new = [hint for hint in situation.hints if hint.identity not in told]
    entries = [_standing_entry(hint) for hint in known]
    room = tokens * CHARS_PER_TOKEN
    if level == "metadata":
        entries += _tier_entries(new, room)
    elif level != "none":
        entries += _memory_entries(new, room)
    if not entries:
        return []
    name = text_escaping.escape_quotes(text_escaping.escape_text(bracket.name))
    heading = f'{OUTER}<memory bracket="{name}" level="{level}">'
    return [Section(RANK, heading, RANK, entries, f"{OUTER}</memory>", place=PLACE)]


def _standing_entry(hint: Hint) -> Entry:
    """Returns a memory that the window holds, in the form in which it was told."""
    if LEVELS.get(hint.level) != "metadata":
        return _memory_entry(hint, _memory_text(hint), 0)
    return _named_entry(hint)


def _tier_entries(hints: Iterable[Hint], room: int) -> list[Entry]:
    """Returns a line for each tier that names its memories."""
    by_tier: dict[str, list[Entry]] = {}
    for hint in hints:
        by_tier.setdefault(_tier_of(hint), []).append(_named_entry(hint))
    entries: list[Entry] = []
    for tier in TIERS:
        named = by_tier.get(tier, [])
        line = ""
        while named and len(line := _tier_line(tier, named)) + len(INNER) > room:
            named.pop()
        if not named:
            continue
        room -= len(line) + len(INNER) + 1
        weight = (-len(entries),)
        entries.append(
            Entry(
                line,
                prefix=INNER,
                rank=RANK,
                hash=hash_text(line),
                weight=weight,
                domain=RANK,
                lifetime="recall",
                members=tuple(named),
            )
        )
    return entries


def memory_length(hint: Hint, before: Iterable[Hint]) -> int:
    """Returns by how many characters ``hint`` makes the ``<memory>`` element longer that tells
    ``before``.
    """
    if LEVELS.get(hint.level) != "metadata":
        return len(_memory_text(hint)) + len(INNER) + 1
    tier = _tier_of(hint)
    named = [
        _named_entry(one) for one in before if one.level == hint.level and _tier_of(one) == tier
    ]
    line = len(_tier_line(tier, [*named, _named_entry(hint)]))
    return line - len(_tier_line(tier, named)) if named else line + len(INNER) + 1


def _tier_of(hint: Hint) -> str:
    return hint.tier if hint.tier in TIERS else TIERS[-1]


def _tier_line(tier: str, named: list[Entry]) -> str:
    noun = "memory" if len(named) == 1 else "memories"
    names = ", ".join(entry.text for entry in named)
    return f"[{len(named)} {tier.upper()} {noun} available: {names}]"


def _named_entry(hint: Hint) -> Entry:
    """Returns a memory of which the name alone is told."""
    return _memory_entry(hint, text_escaping.escape_text(_memory_name(hint)), 0)


def _memory_name(hint: Hint) -> str:
    """Returns the id, or the title where the id is a mere number (``mem-2026-02-12-001``)."""
    numbered = hint.id.removeprefix("mem-").replace("-", "").isdecimal()
    return hint.title if numbered and hint.title else hint.id


def _memory_entries(hints: Iterable[Hint], room: int) -> list[Entry]:
    """Returns each memory as it is shown at its level, whole or not at all."""
    entries: list[Entry] = []
    for hint in hints:
        told = _memory_text(hint)
        needed = len(told) + len(INNER) + 1
        if not told or needed > room:
            continue
        room -= needed
        entries.append(_memory_entry(hint, told, -len(entries)))
    return entries


def _memory_text(hint: Hint) -> str:
    lines = [text_escaping.escape_text(line) for line in hint.shown_text.split("\n")]
    return f"\n{INNER}".join(filter(None, lines))


def _memory_entry(hint: Hint, told: str, weight: int) -> Entry:
    return Entry(
        told,
        prefix=INNER,
        rank=RANK,
        hash=hint.identity,
        weight=(weight,),
        domain=RANK,
        key=text_escaping.escape_text(hint.id),
        file=hint.path,
        line=hint.line,
        lifetime="recall",
    )
