"""The one assembler: plan + situation -> block.

Measure, bracket, activate, load, memory, triggers, fit, render, report: hover, command line,
language server, MCP and hook all come through here, so that for the same inputs they give the
same bytes.
"""

from __future__ import annotations

from synapse_ls.engine.delivery import difference
from synapse_ls.engine.fit import fit
from synapse_ls.engine.render import block_text
from synapse_ls.engine.selection import select
from synapse_ls.engine.tokens import CHARS_PER_TOKEN, estimate
from synapse_ls.text.lazy import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from synapse_ls.engine.delivery import Stands
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.section import Entry, Section
    from synapse_ls.engine.selection import Selection
    from synapse_ls.engine.situation import Situation

    Contribute = Callable[[Plan, Situation, Selection], list[Section]]
    Part = Callable[[Plan, "Assembly", list[Section]], list[Section]]

UNLIMITED = 4_000_000  # code points: more than any context window


class Assembly:
    """An assembled block and everything that can be said about it.

    wanted: sections before the fit. sent: sections in ``text``. cut: entries the budget removed,
    limited: those a client's hard limit removed. duplicates: (copy left out, copy that stays).
    degraded: layers that could not contribute, with the reason. over_budget: protected content
    alone is larger than the budget.
    """

    __slots__ = (
        "budget",
        "cut",
        "degraded",
        "duplicates",
        "limited",
        "over_budget",
        "selection",
        "sent",
        "situation",
        "text",
        "tokens",
        "wanted",
    )

    def __init__(self, situation: Situation, selection: Selection, budget: int) -> None:
        self.situation = situation
        self.selection = selection
        self.budget = budget
        self.wanted: list[Section] = []
        self.sent: list[Section] = []
        self.cut: list[Entry] = []
        self.limited: list[Entry] = []
        self.duplicates: list[tuple[Entry, Entry]] = []
        self.degraded: dict[str, str] = {}
        self.over_budget = False
        self.text = ""
        self.tokens = 0


def assemble(
    plan: Plan,
    situation: Situation,
    *,
    stands: Stands | None = None,
    maybe: Stands | None = None,
    repeat: bool = False,
    limit: int = 0,
    whole: bool = False,
) -> Assembly:
    """The block for ``situation``.

    stands: what the agent's window holds already; the block is then the difference, and empty
    where there is none. maybe: what it may hold. repeat: tell rules again though they stand.
    limit: a client's hard limit in code points, 0 for none. whole: only that limit counts, because
    there will be no other prompt that could bring what the budget leaves over.
    """
    if situation.task_facts is not None and not situation.executor:
        situation.executor = situation.task_facts.executor
    selection = select(plan, situation)
    assembly = Assembly(situation, selection, situation.bracket.budget)
    sections: list[Section] = []
    for layer, module in plan.profile.layers:
        if layer not in selection.awake:
            continue
        try:
            contribute: Contribute = load(f"synapse_ls.engine.layers.{module}").contribute
            sections += contribute(plan, situation, selection)
        except Exception as error:  # one broken layer never takes the others with it
            assembly.degraded[layer] = f"{type(error).__name__}: {error}"
    _add(plan, assembly, sections, plan.profile.parts)
    sections = [section for section in sections if section.entries]
    sections.sort(key=lambda section: plan.profile.order[section.id])
    sections, assembly.duplicates = _without_duplicates(plan, sections)
    _add(plan, assembly, sections, plan.profile.closing)
    assembly.wanted = sections
    new = difference(sections, stands or {}, maybe, repeat=repeat)
    if new and new[0].id == "WITHDRAWN" and plan.profile.withdrawn:
        new[0] = _function(plan.profile.withdrawn)(new[0])
    _finish(plan, assembly, new, limit, whole)
    return assembly


def _add(plan: Plan, assembly: Assembly, sections: list[Section], parts: tuple[str, ...]) -> None:
    """What no layer of the tree gives: each part sees the sections that are there before it."""
    for name in parts:
        try:
            part: Part = _function(name)
            sections += part(plan, assembly, sections)
        except Exception as error:  # as with layers
            assembly.degraded[name] = f"{type(error).__name__}: {error}"


def _function(name: str) -> Any:
    """The function ``module.function`` below ``engine/parts/``."""
    module, _, function = name.rpartition(".")
    return getattr(load(f"synapse_ls.engine.parts.{module}"), function)


def _without_duplicates(
    plan: Plan, sections: list[Section]
) -> tuple[list[Section], list[tuple[Entry, Entry]]]:
    """Each text once: the copy that would be dropped last stays."""
    rank = plan.profile.rank
    best: dict[str, Entry] = {}
    pairs: list[tuple[Entry, Entry]] = []
    for section in sections:
        for entry in section.entries:
            rival = best.get(entry.hash)
            if rival is None:
                best[entry.hash] = entry
            elif (rank[entry.rank], entry.weight) > (rank[rival.rank], rival.weight):
                best[entry.hash] = entry
                pairs.append((rival, entry))
            else:
                pairs.append((entry, rival))
    if not pairs:
        return sections, pairs
    gone = {id(loser) for loser, _ in pairs}
    kept = [s.with_entries([e for e in s.entries if id(e) not in gone]) for s in sections]
    return [s for s in kept if s.entries], [(loser, best[loser.hash]) for loser, _ in pairs]


def _finish(
    plan: Plan, assembly: Assembly, sections: list[Section], limit: int, whole: bool
) -> None:
    """Fit, render and count."""
    if all(section.aside for section in sections):
        return
    profile = plan.profile
    layout = profile.layout_in(assembly.situation.bracket.name)
    if whole:
        assembly.budget = (limit or UNLIMITED) // CHARS_PER_TOKEN
    fitted = fit(profile, layout, sections, assembly.budget * CHARS_PER_TOKEN)
    assembly.cut, assembly.over_budget = fitted.cut, fitted.over
    text = block_text(layout, fitted.sections, fitted.lines)
    if limit and len(text) > limit:
        outer = fit(profile, layout, sections, limit, protect=False)
        inner = {id(entry) for entry in fitted.cut}
        assembly.limited = [entry for entry in outer.cut if id(entry) not in inner]
        assembly.cut = [entry for entry in outer.cut if id(entry) in inner]
        fitted = outer
        text = block_text(layout, fitted.sections, fitted.lines)
    assembly.sent, assembly.text, assembly.tokens = fitted.sections, text, estimate(text)
