"""This module adds the supplementary sections that every block has, as elements of Chati.dev's XML:
answers, continuation, debug view, notice, withdrawals.
"""

from __future__ import annotations

from synapse_ls.engine import supplementary_sections, text_escaping
from synapse_ls.engine.block_sections import Section
from synapse_ls.engine.systems.chati.row_entries import INNER, OUTER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan


def wrap_in_element(section: Section, tag: str, attributes: str = "", *, id: str = "") -> Section:
    """Returns ``section`` as an element ``tag`` of Chati.dev; its entries are taken over and their
    texts made harmless.
    """
    for entry in section.entries:
        entry.text = "\n".join(
            f"{INNER * bool(n)}{text_escaping.escape_text(line)}"
            for n, line in enumerate(entry.text.split("\n"))
        )
        entry.group = text_escaping.escape_text(entry.group)
        entry.prefix = INNER
    return Section(
        id or section.id,
        f"{OUTER}<{tag}{attributes}>",
        section.layer,
        section.entries,
        f"{OUTER}</{tag}>",
    )


def answer_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the element of a Chati.dev block with what the ``*synapse …`` commands of this prompt
    say.
    """
    return [
        wrap_in_element(s, "synapse")
        for s in supplementary_sections.answer_section(plan, assembly, sections)
    ]


def continuation_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the element of a Chati.dev block that says where a session goes on whose window has
    begun anew.
    """
    return [
        wrap_in_element(s, "continuation")
        for s in supplementary_sections.continuation_section(plan, assembly, sections)
    ]


def devmode_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the debug view of a Chati.dev block: the state behind it, outside its budget."""
    return [
        wrap_in_element(s, "devmode")
        for s in supplementary_sections.devmode_section(plan, assembly, sections)
    ]


def notice_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the notice of a Chati.dev block: which sources could not be read."""
    return [
        wrap_in_element(s, "notice")
        for s in supplementary_sections.notice_section(plan, assembly, sections)
    ]


def withdrawn_section(section: Section) -> Section:
    """Returns the element of a Chati.dev block with what no longer holds of what was given before:
    named by the element, quoted without its tags.
    """
    for entry in section.entries:
        said = entry.text.removeprefix(entry.key.partition("]")[0].lstrip("["))
        quotes = said.split("“")
        named = quotes[0] + "".join(f"{_quoted_tag(quote)}“{quote}" for quote in quotes[1:])
        entry.text = describe_tag(entry.key) + text_escaping.strip_tags(named)
        entry.prefix = INNER
    return Section(
        section.id,
        f"{OUTER}<withdrawn>",
        section.layer,
        section.entries,
        f"{OUTER}</withdrawn>",
    )


def _quoted_tag(quote: str) -> str:
    """Returns what the element that is quoted is called, with its id: "rule br-01 ", "" for none."""
    if not quote.startswith("<"):
        return ""
    opened = quote[1:].partition(">")[0]
    tag = opened.partition(" ")[0].rstrip(f"/{text_escaping.ELLIPSIS}”")
    identity, closed, _ = opened.partition(' id="')[2].partition('"')
    return f"{tag} {identity} " if closed else f"{tag} "


def describe_tag(heading: str) -> str:
    """Returns what a heading of a Chati.dev block opens, for people: ``<agent name="dev" …>`` is
    "agent dev"; "" without one.
    """
    opened = heading.strip().removeprefix("<").removesuffix(">")
    tag, _, attributes = opened.partition(" ")
    name = attributes.removeprefix('name="').partition('"')[0] if "name=" in attributes[:5] else ""
    return " ".join(filter(None, (tag, name)))
