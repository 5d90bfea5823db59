"""What stands in Chati.dev's block beside its layers, as elements of XML: memories, the order to
hand over, answers, continuation, debug view, notice, withdrawals.
"""

from __future__ import annotations

from collections.abc import Iterable

from synapse_ls.engine import supplementary_sections
from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_sections import INNER, OUTER, Entry, Section
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.context_usage import CHARS_PER_TOKEN
from synapse_ls.engine.memory_hints import Hint
from synapse_ls.engine.text_escaping import ELLIPSIS, escape_attribute, escape_text, strip_tags
from synapse_ls.engine.work_lines import work_state_lines
from synapse_ls.text.digest import hash_text

MEMORY = "MEMORY"
MEMORY_PLACE = "  <memory>"  # where memories stand in a window, whatever bracket told them
TIERS = ("hot", "warm", "cold")
LEVELS = {"metadata": "metadata", "summary": "chunks", "full": "full"}
"""How much the engine tells of memories -> what Chati.dev calls that."""

DEFAULT_AGENT = "orchestrator"
"""Who hands over where no agent is active."""
ADVICE = (
    "The context window is nearly full: finish the current step, then hand over to a new session."
)
ORDER = "Hand over now: begin nothing new."
HOW = "Write the hand-off to {0}, bring {1} up to date, and continue in a new session."


# Memories: as much of them as the bracket asks for, in tokens beside the budget of the layers


def memory_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the ``<memory>`` element, best memories first; what does not fit into its tokens is
    left out (Chati Context Engine, "Integration with Memory Layer").

    What stands in the window takes no room, and is not named again with what is new.
    """
    situation = assembly.situation
    bracket = situation.bracket
    level, tokens = bracket.memory, bracket.memory_tokens
    outcome = situation.memories
    if outcome and outcome.level != "none":  # by a setting, or because a window has just begun
        level, tokens = LEVELS[outcome.level], outcome.tokens
    standing = assembly.standing.get(MEMORY_PLACE, {})
    new = [hint for hint in situation.hints if hint.identity not in standing]
    entries = [
        _hint_entry(hint, _named_or_shown(hint))
        for hint in situation.hints
        if hint.identity in standing
    ]
    room = tokens * CHARS_PER_TOKEN
    if level == "metadata":
        entries += _tier_entries(new, room)
    elif level != "none":
        # Each memory as it is shown at its level, whole or not at all.
        weight = 0
        for hint in new:
            text = _shown_text(hint)
            length = len(text) + len(INNER) + 1
            if text and length <= room:
                room -= length
                entries.append(_hint_entry(hint, text, weight))
                weight -= 1
    if not entries:
        return []
    name = escape_attribute(bracket.name)
    heading = f'{OUTER}<memory bracket="{name}" level="{level}">'
    closing = f"{OUTER}</memory>"
    return [Section(MEMORY, heading, MEMORY, entries, closing, place=MEMORY_PLACE)]


def memory_length(hint: Hint, before: Iterable[Hint]) -> int:
    """Return by how many characters ``hint`` makes the ``<memory>`` element longer that tells
    ``before``.
    """
    if LEVELS.get(hint.level) != "metadata":
        return len(_shown_text(hint)) + len(INNER) + 1
    tier = _tier_of(hint)
    names = [
        _name_text(other)
        for other in before
        if (other.level, _tier_of(other)) == (hint.level, tier)
    ]
    length = len(_tier_line(tier, [*names, _name_text(hint)]))
    return length - len(_tier_line(tier, names)) if names else length + len(INNER) + 1


def _tier_entries(hints: Iterable[Hint], room: int) -> list[Entry]:
    """Return a line for each tier that names its memories."""
    by_tier: dict[str, list[Entry]] = {}
    for hint in hints:
        by_tier.setdefault(_tier_of(hint), []).append(_hint_entry(hint, _name_text(hint)))
    entries: list[Entry] = []
    for tier in TIERS:
        members = by_tier.get(tier, [])
        line = ""
        while members:
            line = _tier_line(tier, [member.text for member in members])
            if len(line) + len(INNER) <= room:
                break
            members.pop()
        if not members:
            continue
        room -= len(line) + len(INNER) + 1
        entries.append(
            Entry(
                line,
                prefix=INNER,
                rank=MEMORY,
                hash=hash_text(line),
                weight=(-len(entries),),
                domain=MEMORY,
                lifetime="recall",
                members=tuple(members),
            )
        )
    return entries


def _tier_line(tier: str, names: list[str]) -> str:
    noun = "memory" if len(names) == 1 else "memories"
    return f"[{len(names)} {tier.upper()} {noun} available: {', '.join(names)}]"


def _tier_of(hint: Hint) -> str:
    return hint.tier if hint.tier in TIERS else TIERS[-1]


def _hint_entry(hint: Hint, text: str, weight: int = 0) -> Entry:
    return Entry(
        text,
        prefix=INNER,
        rank=MEMORY,
        hash=hint.identity,
        weight=(weight,),
        domain=MEMORY,
        key=escape_text(hint.id),
        file=hint.path,
        line=hint.line,
        lifetime="recall",
    )


def _named_or_shown(hint: Hint) -> str:
    is_named = LEVELS.get(hint.level) == "metadata"
    return _name_text(hint) if is_named else _shown_text(hint)


def _name_text(hint: Hint) -> str:
    """Return the id, or the title where the id is a mere number (``mem-2026-02-12-001``)."""
    is_number = hint.id.removeprefix("mem-").replace("-", "").isdecimal()
    return escape_text(hint.title if is_number and hint.title else hint.id)


def _shown_text(hint: Hint) -> str:
    return f"\n{INNER}".join(filter(None, map(escape_text, hint.shown_text.split("\n"))))


# The order to hand over


def handoff_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return what an agent is asked to do for a hand-off, and the state that has to survive: advice
    in CRITICAL, mandatory below 15 % of the window (Chati Context Engine, Article XII).
    """
    situation = assembly.situation
    is_required = situation.usage.remaining < plan.profile.handoff_below
    if not (is_required or situation.bracket.handoff):
        return []
    agent = situation.agent or DEFAULT_AGENT
    paths = plan.extra["paths"]
    texts = [
        ORDER if is_required else ADVICE,
        HOW.format(paths["handoff"].replace("{agent}", agent), paths["session"]),
        f"Mode: {plan.extra['mode']}",
        *work_state_lines(situation),
        *plan.extra["progress"],
    ]
    rank = "REQUIRED" if is_required else "HANDOFF"
    entries = [
        Entry(
            text,
            prefix=INNER,
            rank=rank,
            hash=hash_text(f"{rank}{text}"),
            weight=(-position,),
            domain="HANDOFF_DUE",
        )
        for position, text in enumerate(map(escape_text, texts))
    ]
    required = ' required="true"' if is_required else ""
    heading = f'{OUTER}<handoff from="{escape_attribute(agent)}"{required}>'
    return [Section("REQUIRED", heading, "HANDOFF", entries, f"{OUTER}</handoff>")]


# What every block has


def answer_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return what the ``*synapse …`` commands of this prompt say."""
    answers = supplementary_sections.answer_section(plan, assembly, sections)
    return [_wrap_in_element(section, "synapse") for section in answers]


def continuation_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return where a session goes on whose window has begun anew."""
    continuation = supplementary_sections.continuation_section(plan, assembly, sections)
    return [_wrap_in_element(section, "continuation") for section in continuation]


def devmode_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the debug view: the state behind the block, outside its budget."""
    view = supplementary_sections.devmode_section(plan, assembly, sections)
    return [_wrap_in_element(section, "devmode") for section in view]


def notice_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return which sources could not be read."""
    notices = supplementary_sections.notice_section(plan, assembly, sections)
    return [_wrap_in_element(section, "notice") for section in notices]


def _wrap_in_element(section: Section, tag: str) -> Section:
    """Return ``section`` as an element; its entries are taken over and their texts made
    harmless.
    """
    for entry in section.entries:
        entry.text = f"\n{INNER}".join(map(escape_text, entry.text.split("\n")))
        entry.group = escape_text(entry.group)
        entry.prefix = INNER
    heading, closing = f"{OUTER}<{tag}>", f"{OUTER}</{tag}>"
    return Section(section.id, heading, section.layer, section.entries, closing)


def withdrawn_section(section: Section) -> Section:
    """Return what no longer holds of what was given before: named by the element, quoted without
    its tags.
    """
    for entry in section.entries:
        line = entry.text.removeprefix(entry.key.partition("]")[0].lstrip("["))
        first, *quotes = line.split("“")
        text = first + "".join(f"{_quoted_tag(quote)}“{quote}" for quote in quotes)
        # What its heading opens, for people: `<agent name="dev" …>` is "agent dev".
        opened = entry.key.strip().removeprefix("<").removesuffix(">")
        tag, _, attributes = opened.partition(" ")
        name = (
            attributes.removeprefix('name="').partition('"')[0] if "name=" in attributes[:5] else ""
        )
        entry.text = " ".join(filter(None, (tag, name))) + strip_tags(text)
        entry.prefix = INNER
    heading, closing = f"{OUTER}<withdrawn>", f"{OUTER}</withdrawn>"
    return Section(section.id, heading, section.layer, section.entries, closing)


def _quoted_tag(quote: str) -> str:
    """Return what the element that is quoted is called, with its id: "rule br-01 ", "" for none."""
    if not quote.startswith("<"):
        return ""
    opened = quote[1:].partition(">")[0]
    tag = opened.partition(" ")[0].rstrip(f"/{ELLIPSIS}”")
    identity, closed, _ = opened.partition(' id="')[2].partition('"')
    return f"{tag} {identity} " if closed else f"{tag} "
