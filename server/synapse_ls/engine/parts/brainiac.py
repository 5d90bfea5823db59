"""What no file of a Brainiac tree gives: notices, answers, the debug view, and the prompt."""

from __future__ import annotations

from synapse_ls.engine.hashing import text_hash
from synapse_ls.engine.parts import standard
from synapse_ls.engine.section import Entry, Section
from synapse_ls.engine.tokens import tokens_of
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.run import Assembly


def notice(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Which files could not be read."""
    return _under(plan, standard.notice(plan, assembly, sections))


def answers(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """What the ``*synapse …`` commands of this prompt say."""
    return _under(plan, standard.answers(plan, assembly, sections))


def devmode(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """The state behind the text."""
    return _under(plan, standard.devmode(plan, assembly, sections))


def withdrawn(section: Section) -> Section:
    """What no longer holds of what was told before, each on a line of its own."""
    section.heading = "## Withdrawn"
    for line in section.entries:
        line.prefix = "- "
        line.text = " ".join(line.text.split())
    return section


def prompt(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """The prompt, last. A client that adds it itself is not given it twice: it only costs."""
    text = assembly.situation.prompt.text
    if not text.strip() or not plan.profile_table["prompts"]:
        return []
    heading = plan.profile_table["headings"]["PROMPT"]
    if assembly.situation.hosted:
        assembly.budget = max(0, assembly.budget - tokens_of(len(heading) + len(text) + 3))
        return []
    text = load("synapse_ls.formats.brainiac.headings").neutral(text.strip("\r\n"), memories=True)
    made = Entry(text, prefix="", rank="PROMPT", hash=text_hash(f"PROMPT{text}"), lifetime="turn")
    return [Section("PROMPT", heading, "PROMPT", [made])]


def _under(plan: Plan, sections: list[Section]) -> list[Section]:
    """Sections of the ``synapse`` block under headings of Markdown, their lines as a list."""
    for one in sections:
        one.heading = plan.profile_table["headings"][one.id]
        for line in one.entries:
            line.prefix = "- "
            line.group = ""
            line.rank = one.id
    return sections
