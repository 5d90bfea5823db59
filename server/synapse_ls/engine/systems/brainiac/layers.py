"""The sections of a Brainiac text (Brainiac Context Ordering); the profile ``plain`` shares those
that no file of the tree gives.
"""

from __future__ import annotations

from collections.abc import Iterable

from synapse_ls.engine import supplementary_sections
from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_sections import Entry, Section, make_rule_entry
from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.engine.context_usage import tokens_of_length
from synapse_ls.engine.domain_selection import Selection
from synapse_ls.engine.situation import Situation
from synapse_ls.engine.systems.brainiac.memory_retrieval import MEMORY
from synapse_ls.formats.brainiac.reserved_headings import neutralize_headings
from synapse_ls.formats.rule import Rule
from synapse_ls.text.digest import hash_text

_PARAGRAPHS = ("event", "other", "loose")  # parts that an empty line sets off
# What may go over the budget: long lists, of which the last lines count least.
_MAINTENANCE_RANKS = {"STRUCTURE": "LTM", "ACCESS": "EVENT"}


# Layers


def identity_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return the core identity as it is written, never cut by a budget; a client's hard limit takes
    its end first.
    """
    entries = [
        make_rule_entry(domain, rule, rank="IDENTITY", group=rule.group, weight=(-number,))
        for domain, _ in selection.domains_of("IDENTITY")
        for number, rule in enumerate(domain.rules)
    ]
    return [_headed_section(plan, "IDENTITY", entries)]


def short_term_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return the parts of the short-term memory in their order, whose oldest events may go; without
    the newest event where the process gives it by itself.
    """
    entries: list[Entry] = []
    for domain, _ in selection.domains_of("STM"):
        rules = domain.rules
        if not plan.profile_table["newest"]:
            rules = tuple(rule for rule in rules if rule.key != plan.extra["newest"])
        entries += _part_entries(domain, rules)
    return [_headed_section(plan, "STM", entries)]


def event_log_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return the events that a promotion takes from the short-term memory to the long-term one, of
    which the oldest may go.
    """
    entries: list[Entry] = []
    for domain, _ in selection.domains_of("LOG"):
        entries += _part_entries(
            domain, (rule for rule in domain.rules if rule.qualifier == "event")
        )
    for entry in entries:
        entry.group = ""
    return [_headed_section(plan, "LOG", entries)]


def _part_entries(domain: PlanDomain, rules: Iterable[Rule]) -> list[Entry]:
    """Return the entries of parts of the short-term memory; ``index`` of an event is its age, 0 for
    the oldest.
    """
    entries: list[Entry] = []
    group = ""
    for rule in rules:
        is_event = rule.qualifier in ("event", "note")
        age = rule.index if rule.index is not None else 1 << 40
        is_apart = bool(entries) and rule.qualifier in _PARAGRAPHS and rule.group in (group, "")
        entries.append(
            make_rule_entry(
                domain,
                rule,
                rank="EVENT" if is_event else "STM",
                prefix="\n" if is_apart else "",
                group=rule.group,
                weight=(age,) if is_event else (0,),
            )
        )
        group = rule.group
    return entries


def new_event_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return what a reflection is about, the newest event, which no budget cuts."""
    entries = [
        make_rule_entry(domain, rule, rank="STM")
        for domain, _ in selection.domains_of("STM")
        for rule in domain.rules
        if rule.key == plan.extra["newest"]
    ]
    return [_headed_section(plan, "EVENT", entries)]


def long_term_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return the memories that were retrieved, each under a number that it keeps when others are
    cut: the one with the least score goes first.

    Those of the work at hand come first, since they stay from one prompt to the next; those that
    only the prompt brings follow. What stands in two files has one number, since it is in the block
    once.
    """
    ranked = []
    for domain, verdict in selection.domains_of("LTM"):
        hit = selection.decider_results[MEMORY].get(domain.position)
        score, work_score = (
            (hit.score, hit.work_score) if hit is not None and hit.outcome == MEMORY else (0, 0)
        )
        ranked.append(((-work_score, -score, domain.position), domain, verdict))
    ranked.sort(key=lambda item: item[0])
    entries = []
    numbers: dict[str, int] = {}
    for (_, score, position), domain, verdict in ranked:
        for rule in domain.rules:
            number = numbers.setdefault(rule.hash, len(numbers) + 1)
            gap = "\n" if number > 1 else ""
            entries.append(
                make_rule_entry(
                    domain,
                    rule,
                    rank="LTM",
                    prefix=f"{gap}### Memory {number}\n",
                    group=rule.group,
                    weight=(-score, -position),
                    lifetime="recall" if verdict.recall else "state",
                )
            )
    return [_headed_section(plan, "LTM", entries)]


def maintenance_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return what was computed when the plan was made, since no prompt has a say in it, in the name
    of one layer: candidates, access patterns, structure, goals.
    """
    prepared = plan.extra["prepared"]
    shared = next(layer for layer, _ in plan.profile.layers if layer in prepared)
    sections = []
    for layer, lines in prepared.items():
        entries = [
            Entry(
                text,
                prefix="",
                rank=_MAINTENANCE_RANKS.get(layer, "STM"),
                hash=hash_text(f"{layer}{text}"),
                weight=(-number,),
                domain=layer,
                key=key,
                file=file,
                line=line,
            )
            for number, (text, key, file, line) in enumerate(lines)
        ]
        sections.append(_headed_section(plan, layer, entries, layer=shared))
    return sections


def _headed_section(plan: Plan, id: str, entries: list[Entry], *, layer: str = "") -> Section:
    """Return the section ``id`` under the heading that the process has for it."""
    return Section(id, plan.profile_table["headings"][id], layer or id, entries)


# What no file of the tree gives


def notice_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return which files could not be read."""
    notices = supplementary_sections.notice_section(plan, assembly, sections)
    return _use_markdown_headings(plan, notices)


def answer_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return what the ``*synapse …`` commands of this prompt say."""
    answers = supplementary_sections.answer_section(plan, assembly, sections)
    return _use_markdown_headings(plan, answers)


def devmode_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the debug view: the state behind the text."""
    view = supplementary_sections.devmode_section(plan, assembly, sections)
    return _use_markdown_headings(plan, view)


def _use_markdown_headings(plan: Plan, sections: list[Section]) -> list[Section]:
    """Return sections of the ``synapse`` block under headings of Markdown, their lines as a
    list.
    """
    for section in sections:
        section.heading = plan.profile_table["headings"][section.id]
        for line in section.entries:
            line.prefix = "- "
            line.group = ""
            line.rank = section.id
    return sections


def withdrawn_section(section: Section) -> Section:
    """Return what no longer holds of what was given before, each on a line of its own.

    A memory is quoted without its number, which counts within one reply only.
    """
    section.heading = "## Withdrawn"
    for line in section.entries:
        line.prefix = "- "
        text = " ".join(line.text.split()).replace("“ ", "“")
        first, *quotes = text.split("### Memory ")
        line.text = first + "".join(quote[quote.find("“") :] for quote in quotes)
    return section


def prompt_section(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
    """Return the prompt, which stands last. A client that adds it itself is not given it twice: it
    only costs.
    """
    prompt = assembly.situation.prompt.text
    if not prompt.strip() or not plan.profile_table["prompts"]:
        return []
    heading = plan.profile_table["headings"]["PROMPT"]
    if assembly.situation.hosted:
        cost = tokens_of_length(len(heading) + len(prompt) + 3)
        assembly.budget = max(0, assembly.budget - cost)
        return []
    text = neutralize_headings(prompt.strip("\r\n"), memories=True)
    entry = Entry(text, prefix="", rank="PROMPT", hash=hash_text(f"PROMPT{text}"), lifetime="turn")
    return [Section("PROMPT", heading, "PROMPT", [entry])]
