"""This module renders memories as ``<memory bracket="…" level="…">``: as much of them as the
bracket asks for.

Its tokens are its own, beside the budget of the layers (Chati Context Engine, "Integration
with Memory Layer"): metadata names what there is, chunks give the gist, full gives all.
"""

from __future__ import annotations

from synapse_ls.engine import xml_text
from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.systems.chati.row_entries import INNER, OUTER
from synapse_ls.engine.text_identity import hash_text
from synapse_ls.engine.token_estimate import CHARS_PER_TOKEN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.memory_hints import Hint

RANK = "MEMORY"
TIERS = ("hot", "warm", "cold")
LEVELS = {"metadata": "metadata", "summary": "chunks", "full": "full"}
"""How much the engine tells of memories -> what Chati.dev calls that."""


def memory_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns one element, best memories first; what does not fit into its tokens is left out."""
    situation = assembly.situation
    bracket = situation.bracket
    level, tokens = bracket.memory, bracket.memory_tokens
    found = situation.memories
    if level == "none" and found:  # a window that has just begun is told of HOT ones all the same
        level, tokens = LEVELS.get(found.level, "none"), found.tokens
    if level == "none" or not situation.hints:
        return []
    room = tokens * CHARS_PER_TOKEN
    # The element names its bracket: what stands in an earlier one is not told again in this one.
    stands = {identity for known in assembly.standing.values() for identity in known}
    if level == "metadata":
        told = {hint.id for hint in situation.hints if hint.identity in stands}
        named = {hint.id: hint for hint in situation.hints}
        entries = [] if told == named.keys() else _tier_entries(named.values(), room)
    else:
        new = (hint for hint in situation.hints if hint.identity not in stands)
        entries = _memory_entries(new, room)
    if not entries:
        return []
    name = xml_text.escape_quotes(xml_text.escape_text(bracket.name))
    heading = f'{OUTER}<memory bracket="{name}" level="{level}">'
    return [Section(RANK, heading, RANK, entries, f"{OUTER}</memory>")]


def _tier_entries(hints: Iterable[Hint], room: int) -> list[Entry]:
    """Returns a line for each tier that names its memories."""
    by_tier: dict[str, list[str]] = {}
    for hint in hints:
        named = by_tier.setdefault(hint.tier if hint.tier in TIERS else TIERS[-1], [])
        named.append(xml_text.escape_text(_memory_name(hint)))
    entries: list[Entry] = []
    for tier in TIERS:
        names = by_tier.get(tier, [])
        line = ""
        while names and len(line := _tier_line(tier, names)) + len(INNER) > room:
            names.pop()
        if not names:
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
            )
        )
    return entries


def _tier_line(tier: str, names: list[str]) -> str:
    noun = "memory" if len(names) == 1 else "memories"
    return f"[{len(names)} {tier.upper()} {noun} available: {', '.join(names)}]"


def _memory_name(hint: Hint) -> str:
    """Returns the id, or the title where the id is a mere number (``mem-2026-02-12-001``)."""
    numbered = hint.id.removeprefix("mem-").replace("-", "").isdecimal()
    return hint.title if numbered and hint.title else hint.id


def _memory_entries(hints: Iterable[Hint], room: int) -> list[Entry]:
    """Returns each memory as it is shown at its level, whole or not at all."""
    entries: list[Entry] = []
    for hint in hints:
        lines = [xml_text.escape_text(line) for line in hint.shown_text.split("\n")]
        told = f"\n{INNER}".join(filter(None, lines))
        needed = len(told) + len(INNER) + 1
        if not told or needed > room:
            continue
        room -= needed
        entries.append(
            Entry(
                told,
                prefix=INNER,
                rank=RANK,
                hash=hint.identity,
                weight=(-len(entries),),
                domain=RANK,
                key=xml_text.escape_text(hint.id),
                file=hint.path,
                line=hint.line,
                lifetime="recall",
            )
        )
    return entries
