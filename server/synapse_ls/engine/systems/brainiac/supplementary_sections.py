"""This module adds the supplementary sections of a Brainiac text, which no file of the tree gives:
notices, answers, the debug view, and the prompt.

The profile ``plain`` uses it too.
"""

from __future__ import annotations

from synapse_ls.engine import supplementary_sections
from synapse_ls.engine.block_sections import Entry, Section
from synapse_ls.engine.context_usage import tokens_of_length
from synapse_ls.text.digest import hash_text
from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.block_assembly import Assembly
    from synapse_ls.engine.compiled_plan import Plan


def notice_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the notice of a Brainiac text: which files could not be read."""
    return _use_markdown_headings(
        plan, supplementary_sections.notice_section(plan, assembly, sections)
    )


def answer_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the section of a Brainiac text with what the ``*synapse …`` commands of this prompt
    say.
    """
    return _use_markdown_headings(
        plan, supplementary_sections.answer_section(plan, assembly, sections)
    )


def devmode_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the debug view of a Brainiac text: the state behind it."""
    return _use_markdown_headings(
        plan, supplementary_sections.devmode_section(plan, assembly, sections)
    )


def withdrawn_section(section: Section) -> Section:
    """Returns the section of a Brainiac text with what no longer holds of what was given before,
    each on a line of its own.

    A memory is quoted without its number, which counts within one reply only.
    """
    section.heading = "## Withdrawn"
    for line in section.entries:
        line.prefix = "- "
        said = " ".join(line.text.split()).replace("“ ", "“")
        first, *quotes = said.split("### Memory ")
        line.text = first + "".join(quote[quote.find("“") :] for quote in quotes)
    return section


def prompt_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Returns the section of a Brainiac text with the prompt, which stands last. A client that adds
    it itself is not given it twice: it only costs.
    """
    text = assembly.situation.prompt.text
    if not text.strip() or not plan.profile_table["prompts"]:
        return []
    heading = plan.profile_table["headings"]["PROMPT"]
    if assembly.situation.hosted:
        assembly.budget = max(0, assembly.budget - tokens_of_length(len(heading) + len(text) + 3))
        return []
    text = load_module("synapse_ls.formats.brainiac.reserved_headings").neutralize_headings(
        text.strip("\r\n"), memories=True
    )
    made = Entry(text, prefix="", rank="PROMPT", hash=hash_text(f"PROMPT{text}"), lifetime="turn")
    return [Section("PROMPT", heading, "PROMPT", [made])]


def _use_markdown_headings(plan: Plan, sections: list[Section]) -> list[Section]:
    """Returns sections of the ``synapse`` block under headings of Markdown, their lines as a list."""
    for one in sections:
        one.heading = plan.profile_table["headings"][one.id]
        for line in one.entries:
            line.prefix = "- "
            line.group = ""
            line.rank = one.id
    return sections
