"""The sections of a Brainiac block, and the selection of its memories (Brainiac Context Ordering).

Identity and short-term memory are always included. A long-term memory is selected by the prompt or
by the work at hand (summary and structured data of the short-term memory); for the latter a match
in its body alone is not enough. The profile ``plain`` shares the sections that come from no file.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from math import log

from synapse_ls.engine import context_usage, supplementary_sections
from synapse_ls.engine.block_assembly import Assembly
from synapse_ls.engine.block_sections import Entry, Section, make_rule_entry
from synapse_ls.engine.compiled_plan import Plan, PlanDomain
from synapse_ls.engine.domain_selection import Selection, Verdict
from synapse_ls.engine.situation import Situation
from synapse_ls.engine.text_search import LEAST_RELEVANCE, WEIGHTS, question_terms, search_index
from synapse_ls.formats.brainiac.reserved_headings import neutralize_headings
from synapse_ls.formats.rule import Rule
from synapse_ls.text.digest import hash_text

SectionWriter = Callable[[Plan, Assembly, list[Section]], list[Section]]

MEMORY = "memory"
BEST_SHARE = 400  # thousandths of the best score from which on another is worth telling
WORK_SHARE = 500  # the same among memories of the work at hand
WORK_MEMORIES = 3  # of the work at hand at most
WORK_SCORE_DIVISOR = 16  # how much less a word of the work at hand counts than one of the prompt


@dataclass(slots=True)
class MemoryHit:
    """A Brainiac memory that was found.

    score: thousandths, that of the prompt, the work at hand and its reinforcement. work_score:
    that of the work at hand alone, 0 where it would not do. parts: what the score is made of.
    words: of the prompt. outcome: "memory", or the reason why it is left out.
    """

    score: int = 0
    work_score: int = 0
    parts: list[tuple[str, int]] = field(default_factory=list)
    words: tuple[str, ...] = ()
    outcome: str = MEMORY


def candidate_positions(plan: Plan, situation: Situation, selection: Selection) -> Iterable[int]:
    """Return the positions of the Brainiac files that could be retrieved."""
    hits = selection.decider_results[MEMORY] = _find_hits(plan, situation)
    return (*plan.always, *hits)


def decide_domain(
    plan: Plan, domain: PlanDomain, situation: Situation, selection: Selection
) -> Verdict:
    """Decide whether a Brainiac file, such as a memory, is retrieved for a text."""
    layer: str = plan.profile_table["takes"].get(domain.role, "")
    if not layer or layer not in selection.awake:
        return Verdict("", "not-in-process", (plan.profile.name,))
    if domain.role != MEMORY:
        return Verdict(layer, domain.role)
    hit: MemoryHit | None = selection.decider_results[MEMORY].get(domain.position)
    if hit is not None and hit.outcome == MEMORY:
        about = " + ".join(f"{field} {format_score(value)}" for field, value in hit.parts)
        if quoted := ", ".join(f'"{word}"' for word in hit.words[:5]):
            about += f"; the prompt says {quoted}"
        return Verdict(layer, MEMORY, (format_score(hit.score), about), recall=bool(hit.words))
    if domain.label in situation.recalled:
        code, detail = situation.recalled[domain.label]
        if code == MEMORY:
            return Verdict(layer, "recalled-memory", detail, recall=True)
    if hit is not None:
        return Verdict(
            "", hit.outcome, (format_score(hit.score), str(plan.profile_table["memories"]))
        )
    return Verdict("", "no-words")


def _find_hits(plan: Plan, situation: Situation) -> dict[int, MemoryHit]:
    """Return the memories with any word of the prompt or of the work at hand."""
    hits: dict[int, MemoryHit] = {}
    if MEMORY not in plan.profile_table["takes"]:
        return hits
    _add_work_scores(plan, hits)
    # Add the memories with a word of the prompt.
    query = question_terms(situation.prompt.folded) if plan.profile_table["prompts"] else {}
    matches = search_index(plan.extra["index"], query) if query else {}
    least = max((match.score for match in matches.values()), default=0) * BEST_SHARE
    for position, match in matches.items():
        hit = hits.setdefault(position, MemoryHit())
        hit.score += match.score
        matched_fields = ((field, match.parts[field]) for field in WEIGHTS if field in match.parts)
        hit.parts = [*matched_fields, *hit.parts]
        if match.relevance >= LEAST_RELEVANCE and match.score * 1000 >= least:
            hit.words = tuple(match.words)
    for position, hit in hits.items():
        if not (hit.words or hit.work_score):
            hit.outcome = "weak-memory"
        bonus: int = plan.extra["reinforced"].get(position, 0)
        if bonus:
            hit.score += bonus
            hit.parts.append(("reinforcement", bonus))
    good = [position for position, hit in hits.items() if hit.outcome == MEMORY]
    good.sort(key=lambda position: (-hits[position].score, position))
    for position in good[plan.profile_table["memories"] :]:
        hits[position].outcome = "memory-too-many"
    return hits


def _add_work_scores(plan: Plan, hits: dict[int, MemoryHit]) -> None:
    """Add the memories with a word of the work at hand."""
    standing = plan.extra["standing"]
    about = [
        (-score, position)
        for position, (score, parts) in standing.items()
        if any(field != "body" for field, _ in parts)
    ]
    about.sort()
    least = max((score for score, _ in standing.values()), default=0) * WORK_SHARE
    table = plan.profile_table
    # Where no prompt asks, as in a promotion, they are all that is told.
    most = WORK_MEMORIES if table["prompts"] else table["memories"]
    near = {position for score, position in about[:most] if -score * 1000 >= least}
    for position, (score, _) in standing.items():
        hit = hits[position] = MemoryHit()
        hit.work_score = score if position in near else 0
        hit.score = score // WORK_SCORE_DIVISOR
        hit.parts = [("the work at hand", hit.score)]


def format_score(thousandths: int) -> str:
    """Return a Brainiac memory's score as people read it."""
    return f"{thousandths / 1000:.2f}"


def reinforcement_bonus(count: int) -> int:
    """Return what a Brainiac memory's score gains by having proved useful ``count`` times, in
    thousandths: ever less for each time more.
    """

    return round(250 * log(1 + count))


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
        has_newest = plan.profile_table["newest"]
        rules = [rule for rule in domain.rules if has_newest or not _is_newest(plan, rule)]
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
    is_listed = False
    for rule in rules:
        is_event = rule.qualifier in ("event", "note")
        age = rule.index if rule.index is not None else 1 << 40
        in_list = is_listed
        is_listed = rule.qualifier == "event" and not rule.text.startswith("#")
        is_apart = bool(entries) and rule.qualifier in _PARAGRAPHS and rule.group in (group, "")
        entries.append(
            make_rule_entry(
                domain,
                rule,
                rank="EVENT" if is_event else "STM",
                prefix="\n" if is_apart and not (in_list and is_listed) else "",
                group=rule.group,
                weight=(age,) if is_event else (0,),
            )
        )
        group = rule.group
    return entries


def _is_newest(plan: Plan, rule: Rule) -> bool:
    return rule.qualifier == "event" and rule.index == plan.extra["newest"]


def new_event_sections(plan: Plan, situation: Situation, selection: Selection) -> list[Section]:
    """Return what a reflection is about, the newest event, which no budget cuts."""
    entries = [
        make_rule_entry(domain, rule, rank="STM")
        for domain, _ in selection.domains_of("STM")
        for rule in domain.rules
        if _is_newest(plan, rule)
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


def _with_markdown_headings(write_sections: SectionWriter) -> SectionWriter:
    """Return a part of the ``synapse`` block with headings of Markdown, its lines as a list."""

    def write_lists(plan: Plan, assembly: Assembly, sections: list[Section]) -> list[Section]:
        lists = write_sections(plan, assembly, sections)
        for section in lists:
            section.heading = plan.profile_table["headings"][section.id]
            for line in section.entries:
                line.prefix, line.group, line.rank = "- ", "", section.id
        return lists

    return write_lists


notice_section = _with_markdown_headings(supplementary_sections.notice_section)
answer_section = _with_markdown_headings(supplementary_sections.answer_section)
devmode_section = _with_markdown_headings(supplementary_sections.devmode_section)


def withdrawn_section(section: Section) -> Section:
    """Return what no longer holds of what was given before, each on a line of its own.

    A memory is quoted without its number, which counts within one reply only.
    """
    section.heading = "## Revoked"
    for line in section.entries:
        line.prefix = "- "
        first, *quotes = " ".join(line.text.split()).replace("“ ", "“").split("### Memory ")
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
        cost = context_usage.tokens_of_length(len(heading) + len(prompt) + 3)
        assembly.budget = max(0, assembly.budget - cost)
        return []
    text = neutralize_headings(prompt.strip("\r\n"), memories=True)
    entry = Entry(text, prefix="", rank="PROMPT", hash=hash_text(f"PROMPT{text}"), lifetime="turn")
    return [Section("PROMPT", heading, "PROMPT", [entry])]
