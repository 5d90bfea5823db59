"""Assemble the block of a plan and a situation.

Hover, command line, language server, MCP and hook all use it, so the same inputs give the same
bytes.
"""

from __future__ import annotations

from synapse_ls.engine.block_renderer import count_needed_tokens, fit_sections, render_block
from synapse_ls.engine.compiled_plan import Plan, Profile, load_function
from synapse_ls.engine.context_usage import CHARS_PER_TOKEN, estimate_tokens
from synapse_ls.engine.delivery_difference import StandingReview, merge_standing, new_sections
from synapse_ls.engine.domain_selection import Selection, select_domains
from synapse_ls.engine.text_escaping import neutralise_tag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from synapse_ls.engine.block_sections import Entry, Section
    from synapse_ls.engine.situation import Situation
    from synapse_ls.formats.window_state import StandingEntries

_SUMMING = ("DEVMODE", "LOADED", "SUMMARY")  # sections that count the rules of the others
UNLIMITED = 4_000_000  # code points: more than any context window


class Assembly:
    """An assembled block and everything that can be said about it.

    wanted_sections: sections before the fit. new_sections: those of them that the window lacks, or
    what of them it lacks. sent_sections: sections in ``text``. cut_entries: entries the budget
    removed. limited_entries: those a client's hard limit removed; our own summary is in neither.
    follows: both come with a later reply. has_window: a window is asked about, not the first block
    of any. duplicates: (copy left out, copy that stays). degraded_layers: layers that could not
    contribute, with the reason. is_over_budget: protected content alone is larger than the budget.
    is_unbounded: the budget of its bracket does not bound it. names_cuts: lines of it name what was
    cut.
    standing: what stood in the window before. review: what of it still holds.
    """

    def __init__(self, situation: Situation, selection: Selection, budget: int) -> None:
        self.situation = situation
        self.selection = selection
        self.budget = budget
        self.wanted_sections: list[Section] = []
        self.new_sections: list[Section] = []
        self.sent_sections: list[Section] = []
        self.cut_entries: list[Entry] = []
        self.limited_entries: list[Entry] = []
        self.duplicates: list[tuple[Entry, Entry]] = []
        self.degraded_layers: dict[str, str] = {}
        self.is_over_budget = self.is_unbounded = self.names_cuts = False
        self.follows = False
        self.has_window = False
        self.standing: StandingEntries = {}
        self.review: StandingReview | None = None
        self.text = ""
        self.tokens = 0

    def rule_files(self) -> set[str]:
        """Return the rule files that the answer rests on: of domains that take part, and of rules
        that stand in the window.
        """
        return self.selection.rule_files() | (self.review.files if self.review else set())


def assemble_block(
    plan: Plan,
    situation: Situation,
    *,
    standing: StandingEntries | None = None,
    doubtful: StandingEntries | None = None,
    repeat: str = "",
    told_bracket: str = "",
    limit: int = 0,
    ignore_budget: bool = False,
    is_partial: bool = False,
    follows: bool = False,
) -> Assembly:
    """Assemble the block for ``situation``.

    standing: what the agent's window holds already; the block is then the difference, and empty
    where there is none. doubtful: what it may hold. repeat: which rules are sent again though they
    stand (`delivery_difference`). told_bracket: name of the bracket that the agent was told last;
    where a block names its bracket, another one is told though nothing else is new. is_partial: the
    plan lacks sources that were late. follows: what is cut is told with a later reply. limit: a
    client's hard limit in code points, 0 for none. ignore_budget: only that limit counts, because
    there will be no other prompt that could bring what the budget leaves over. Where the profile's
    budgets do not bound the first block of a window, they bound no reply either that brings rules
    of an adopted file: its own client takes such a file in as a whole.
    """
    if situation.task_facts is not None and not situation.executor:
        situation.executor = situation.task_facts.executor
    profile = plan.profile
    is_bound = not profile.whole_first_block or plan.settings["injection"] == "always"
    selection = select_domains(plan, situation)
    assembly = Assembly(situation, selection, situation.bracket.budget)
    assembly.standing, assembly.follows = standing or {}, follows
    assembly.has_window = standing is not None
    sections: list[Section] = []
    for layer, name in profile.layers:
        if layer in selection.awake:
            try:
                sections += load_function(name)(plan, situation, selection)
            except Exception as error:  # one broken layer never takes the others with it
                assembly.degraded_layers[layer] = f"{type(error).__name__}: {error}"
    _add_supplements(plan, assembly, sections, profile.parts)
    sections = [section for section in sections if section.entries]
    sections.sort(key=lambda section: profile.order[section.id])
    sections, assembly.duplicates = _remove_duplicates(profile, sections)
    _add_supplements(plan, assembly, sections, profile.closing)
    sections.sort(key=lambda section: profile.order[section.id])
    # A tree's own profile has its own headings, and its tag is escaped in the texts.
    if profile.headings or profile.tag:
        for section in sections:
            section.rename(profile.headings.get(section.id, ""))
            for entry in section.entries:
                if profile.tag and "<" in entry.text:
                    entry.text = neutralise_tag(entry.text, profile.tag)
    assembly.wanted_sections = sections
    review = StandingReview(
        plan,
        situation,
        selection,
        sections,
        is_partial=is_partial,
        degraded=assembly.degraded_layers,
    )
    assembly.review = review.review(merge_standing(standing or {}, doubtful or {}))
    new = new_sections(sections, standing or {}, situation, review, doubtful, repeat=repeat)
    # Give what the prompt asks for its own class in the removal order, where that is later.
    if rank := profile.asked[bool(standing)]:
        for section in new:
            for entry in section.entries:
                if entry.is_asked and profile.rank[entry.rank] < profile.rank[rank]:
                    entry.rank = rank
    if new and new[0].id == "WITHDRAWN" and profile.withdrawn:
        new[0] = load_function(profile.withdrawn)(new[0])
    assembly.new_sections = new
    if all(section.is_aside for section in new):
        # The frame alone, where it says another thing than that of the bracket told before.
        layout = profile.layout_in(situation.bracket.name)
        if told_bracket and layout.open != profile.layout_in(told_bracket).open:
            assembly.text = layout.open.rstrip("\n") + layout.close
        assembly.tokens = estimate_tokens(assembly.text)
    else:
        if not is_bound:
            adopted = plan.settings.get("adopted", ())
            ignore_budget = ignore_budget or not standing
            if adopted and not ignore_budget:
                ignore_budget = any(entry.file in adopted for s in new for entry in s.entries)
        _fit_and_render(plan, assembly, new, limit, ignore_budget)
    return assembly


def _add_supplements(
    plan: Plan, assembly: Assembly, sections: list[Section], parts: tuple[str, ...]
) -> None:
    """Add what no layer of the tree gives: each part sees the sections that are there before it."""
    for name in parts:
        try:
            sections += load_function(name)(plan, assembly, sections)
        except Exception as error:  # as with layers
            assembly.degraded_layers[name] = f"{type(error).__name__}: {error}"


def _remove_duplicates(
    profile: Profile, sections: list[Section]
) -> tuple[list[Section], list[tuple[Entry, Entry]]]:
    """Return the sections with each text once (the copy that would be dropped last stays), and the
    pairs of copies.
    """
    rank = profile.rank
    best: dict[str, Entry] = {}
    pairs: list[tuple[Entry, Entry]] = []
    for section in sections:
        for entry in section.entries:
            rival = best.setdefault(entry.hash, entry)
            if rival is entry:
                continue
            if (rank[entry.rank], entry.weight) > (rank[rival.rank], rival.weight):
                best[entry.hash] = entry
                pairs.append((rival, entry))
            else:
                pairs.append((entry, rival))
    if not pairs:
        return sections, []
    losers = {id(loser) for loser, _ in pairs}
    unique = [s.with_entries([e for e in s.entries if id(e) not in losers]) for s in sections]
    return [s for s in unique if s.entries], [(loser, best[loser.hash]) for loser, _ in pairs]


def _fit_and_render(
    plan: Plan, assembly: Assembly, sections: list[Section], limit: int, ignore_budget: bool
) -> None:
    profile, follows = plan.profile, assembly.follows
    layout = profile.layout_in(assembly.situation.bracket.name)
    bound = limit or UNLIMITED if ignore_budget else assembly.budget * CHARS_PER_TOKEN
    fitted = fit_sections(profile, layout, sections, bound, follows=follows)
    # What only sums up the rest is no loss to anybody.
    summaries = {id(entry) for section in sections if section.is_aside for entry in section.entries}
    assembly.cut_entries = [entry for entry in fitted.cut if id(entry) not in summaries]
    assembly.is_over_budget = fitted.is_over
    text = render_block(layout, fitted.sections, fitted.cut_lines)
    if limit and len(text) > limit:
        outer = fit_sections(profile, layout, sections, limit, protect=False, follows=follows)
        inner = {id(entry) for entry in fitted.cut}
        lost = [entry for entry in outer.cut if id(entry) not in summaries]
        assembly.limited_entries = [entry for entry in lost if id(entry) not in inner]
        assembly.cut_entries = [entry for entry in lost if id(entry) in inner]
        fitted = outer
        text = render_block(layout, fitted.sections, fitted.cut_lines)
    if fitted.cut:
        # The sections that sum up the others leave out what was cut; none becomes longer.
        hashes = {entry.hash for entry in fitted.cut}
        others = [section for section in assembly.wanted_sections if section.id not in _SUMMING]
        rest = [s.with_entries([e for e in s.entries if e.hash not in hashes]) for s in others]
        entries: dict[str, list[Entry]] = {}
        for name in profile.closing:
            summing = load_function(name)(plan, assembly, rest)
            entries.update((section.id, section.entries) for section in summing)
        for section in fitted.sections:
            if section.id in _SUMMING:
                section.entries = entries.get(section.id, section.entries)
        text = render_block(layout, fitted.sections, fitted.cut_lines)
    assembly.sent_sections, assembly.text = fitted.sections, text
    assembly.names_cuts = bool(fitted.cut_lines)
    assembly.tokens = estimate_tokens(text)
    if ignore_budget:
        assembly.is_unbounded = not limit
        largest = max(assembly.budget, assembly.tokens)
        assembly.budget = limit // CHARS_PER_TOKEN if limit else largest


def count_missing_tokens(plan: Plan, assembly: Assembly, is_needed: Callable[[Entry], bool]) -> int:
    """Return how many tokens the budget of an assembled block lacks until it cuts no entry for
    which ``is_needed``; 0 where none is missing.
    """
    layout = plan.profile.layout_in(assembly.situation.bracket.name)
    needed = count_needed_tokens(plan.profile, layout, assembly.new_sections, is_needed)
    return max(0, needed - assembly.budget)
