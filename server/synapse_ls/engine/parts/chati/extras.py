"""Answers, debug view, notices and what is taken back, as elements of the block."""

from __future__ import annotations

from synapse_ls.engine import xml
from synapse_ls.engine.layers.chati.entries import INNER, OUTER
from synapse_ls.engine.parts import handoff as work
from synapse_ls.engine.parts import standard
from synapse_ls.engine.parts.chati.element import element
from synapse_ls.engine.section import Section

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly


def answers(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """What the ``*synapse …`` commands of this prompt say."""
    return [element(s, "synapse") for s in standard.answers(plan, assembly, sections)]


def resume(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Where a session goes on whose window has begun anew."""
    return [element(s, "continuation") for s in work.resume(plan, assembly, sections)]


def devmode(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """The state behind the block, outside its budget."""
    return [element(s, "devmode") for s in standard.devmode(plan, assembly, sections)]


def notice(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Which sources could not be read."""
    return [element(s, "notice") for s in standard.notice(plan, assembly, sections)]


def withdrawn(section: Section) -> Section:
    """What no longer holds of what was told before: named by the element, quoted without its tags."""
    for entry in section.entries:
        said = entry.text.removeprefix(entry.key.partition("]")[0].lstrip("["))
        entry.text = named(entry.key) + xml.bare(said)
        entry.prefix = INNER
    return Section(
        section.id,
        f"{OUTER}<withdrawn>",
        section.layer,
        section.entries,
        f"{OUTER}</withdrawn>",
    )


def named(heading: str) -> str:
    """What a heading opens, for people: ``<agent name="dev" …>`` is "agent dev"; "" without one."""
    opened = heading.strip().removeprefix("<").removesuffix(">")
    tag, _, attributes = opened.partition(" ")
    name = attributes.removeprefix('name="').partition('"')[0] if "name=" in attributes[:5] else ""
    return " ".join(filter(None, (tag, name)))
