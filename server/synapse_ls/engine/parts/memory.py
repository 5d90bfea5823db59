"""Memory hints in the ``synapse`` block: sector, confidence, and as much of the text as is due."""

from __future__ import annotations

from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.section import Entry, Section
from synapse_ls.formats.memory_fields import CORRECTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from synapse_ls.engine.hints import Hint
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly

HEADING: Final = "[MEMORY HINTS]"
RANK: Final = "MEMORY"
CORRECTED: Final = (
    "CORRECTION"  # a class of its own: what a person has said once is not for nothing
)
_INNER: Final = "\n      "  # further lines of a memory that is told in full


def hints(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """The hints of the situation, best first; the last is dropped first."""
    entries = [entry(hint, position) for position, hint in enumerate(assembly.situation.hints)]
    return [Section(RANK, HEADING, RANK, entries)] if entries else []


def entry(hint: Hint, position: int) -> Entry:
    """A hint as an entry. What is told of it never passes for a rule, a heading or a tag."""
    badge, rank = ("correction, ", CORRECTED) if hint.type == CORRECTION else ("", RANK)
    return Entry(
        f"[{badge}{hint.sector}, {hint.percent}%] {lines(hint.said)}",
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


def lines(text: str, joint: str = _INNER) -> str:
    """A text of several lines as it may stand in a block, each line made harmless."""
    return joint.join(filter(None, map(neutralise, text.split("\n"))))
