"""This module renders memory hints in the ``synapse`` block: sector, confidence, and the text
at the level of the bracket.
"""

from __future__ import annotations

from synapse_ls.engine.block_sections import Entry, Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.engine.memory_hints import Hint

HEADING: Final = "[MEMORY HINTS]"
RANK: Final = "MEMORY"
CORRECTION_RANK: Final = (
    "CORRECTION"  # a class of its own: what a person has said once is not for nothing
)
_INNER: Final = "\n      "  # further lines of a memory that is told in full


def memory_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the memory section of the ``synapse`` block: the hints of the situation, best first;
    the last is dropped first.
    """
    entries = [hint_entry(hint, position) for position, hint in enumerate(assembly.situation.hints)]
    return [Section(RANK, HEADING, RANK, entries)] if entries else []


def hint_entry(hint: Hint, position: int) -> Entry:
    """Returns a memory hint as an entry of the ``synapse`` block. What is shown of it never passes
    for a rule, a heading or a tag.
    """
    from synapse_ls.formats.memory_file import CORRECTION_TYPE

    badge, rank = ("correction, ", CORRECTION_RANK) if hint.type == CORRECTION_TYPE else ("", RANK)
    return Entry(
        f"[{badge}{hint.sector}, {hint.percent}%] {neutralise_lines(hint.shown_text)}",
        prefix="  ",
        rank=rank,
        hash=hint.identity,
        weight=(-position,),
        domain=RANK,
        key=hint.id,
        file=hint.path,
        line=hint.line,
        lifetime="recall",
    )


def neutralise_lines(text: str, joint: str = _INNER) -> str:
    """Returns a memory of several lines as it may stand in the ``synapse`` block, each line made
    harmless.
    """
    from synapse_ls.engine.text_escaping import neutralise_text

    return joint.join(filter(None, map(neutralise_text, text.split("\n"))))
