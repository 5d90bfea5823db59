"""Fit sections into the token budget, and render them as the text of a block.

Entries are removed whole, in one total order that does not depend on the budget, so a smaller
budget keeps a subset. A section that lost entries says so in a line, which is itself removed before
anything that the prompt asked for.
"""

from __future__ import annotations

from synapse_ls.engine.context_usage import tokens_of_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from synapse_ls.engine.block_sections import Entry, Section
    from synapse_ls.engine.compiled_plan import Layout, Profile


def render_section(section: Section, cut_line: str = "", indent: str = "  ") -> str:
    """Render one section: heading, entries under their groups, and the line that names what was
    cut.
    """
    lines = section.lines(indent)
    if cut_line:
        lines.append(indent + cut_line)
    if section.closing:
        lines.append(section.closing)
    return "\n".join(lines)


def render_block(layout: Layout, sections: Iterable[Section], cut_lines: Mapping[int, str]) -> str:
    """Render the whole block, without a trailing newline; ``cut_lines`` are by position of the
    section.
    """
    bodies = [
        render_section(section, cut_lines.get(position, ""), layout.indent)
        for position, section in enumerate(sections)
    ]
    return layout.open + layout.between.join(bodies) + layout.close


def summarize_keys(keys: Iterable[str]) -> str:
    """Render rule keys as the cut line of a block names them: runs of indices as ranges, at most
    three runs by name.

    >>> summarize_keys(["GLOBAL_RULE_5", "GLOBAL_RULE_6", "GLOBAL_RULE_7", "DEV_RULE_0"])
    'DEV_RULE_0, GLOBAL_RULE_5–7'
    """
    families: dict[str, set[int]] = {}
    for key in keys:
        stem, _, number = key.rpartition("_")
        if stem and number.isdecimal():
            families.setdefault(f"{stem}_", set()).add(int(number))
        else:
            families.setdefault(key, set())
    runs: list[str] = []
    for stem in sorted(families):
        if not families[stem]:
            runs.append(stem)
        for first in sorted(families[stem]):
            if first - 1 in families[stem]:
                continue
            last = first
            while last + 1 in families[stem]:
                last += 1
            runs.append(f"{stem}{first}" if last == first else f"{stem}{first}–{last}")
    return f"{', '.join(runs[:3])} and others" if len(runs) > 3 else ", ".join(runs)


class FitResult:
    """Which entries fit into the budget, and which were cut.

    cut: entries that were removed, in order. cut_lines: position of a section that stays -> the
    line that names its cuts. is_over: whether it is still larger than the budget.
    """

    def __init__(self, cut: list[Entry], tokens: int, *, is_over: bool) -> None:
        self.sections: list[Section] = []
        self.cut = cut
        self.cut_lines: dict[int, str] = {}
        self.tokens = tokens
        self.is_over = is_over


def fit_sections(
    profile: Profile,
    layout: Layout,
    sections: list[Section],
    budget: int,
    *,
    protect: bool = True,
    follows: bool = False,
) -> FitResult:
    """Return ``sections`` cut to ``budget`` code points when they are laid out. follows: whether a
    later reply tells what is cut.

    With ``protect`` the profile's protected entries stay, even over the budget; without it (a
    client's hard limit) they too go, last, and every cut is named as long as that is possible.
    """
    removal = _Removal(profile, layout, sections, protect=protect, follows=follows)
    total, is_named = removal.measure(is_named=False), True
    for bare, is_named in removal.states():
        # The sum without cut lines is a lower bound: only near the budget is it worth writing them.
        needs_lines = is_named and removal.cut and bare <= budget
        total = removal.measure(is_named=True) if needs_lines else bare
        if total <= budget:
            break
    result = FitResult(removal.cut, tokens_of_length(total), is_over=total > budget)
    removed = {id(entry) for entry in removal.cut}
    for size in removal.sizes:
        if not size.measure(is_named=is_named):
            continue
        section = size.section
        if size.cut:
            if is_named and not section.is_aside:
                result.cut_lines[len(result.sections)] = size.cut_line
            section = section.with_entries([e for e in section.entries if id(e) not in removed])
        result.sections.append(section)
    return result


def count_needed_tokens(
    profile: Profile, layout: Layout, sections: list[Section], is_needed: Callable[[Entry], bool]
) -> int:
    """Return the least budget, in tokens, to which `fit_sections` cuts ``sections`` without taking
    an entry for which ``is_needed``.

    It is found on one walk in the order of removal, since a block ends at the first state that
    fits: the least of all states before the first needed entry goes.
    """
    removal = _Removal(profile, layout, sections, protect=True)
    least, count = removal.measure(is_named=False), 0
    for bare, is_named in removal.states():
        if any(map(is_needed, removal.cut[count:])):
            break
        count = len(removal.cut)
        if bare < least:
            least = min(least, removal.measure(is_named=True) if is_named else bare)
    return tokens_of_length(least)


def removal_order(profile: Profile, sections: list[Section]) -> Iterator[tuple[int, Entry]]:
    """Yield (section position, entry) in the order in which the budget removes them, the first to
    go first; a summary goes whole.
    """
    classes: dict[str, list[tuple[int, Entry]]] = {}
    for position, section in enumerate(sections):
        for entry in section.entries:
            classes.setdefault(entry.rank, []).append((position, entry))

    def removal_key(item: tuple[int, Entry]) -> tuple[bool, tuple[Any, ...]]:
        position, entry = item
        is_whole = sections[position].is_aside
        return not is_whole, (position,) if is_whole else entry.weight

    # Most often it is over before the last classes are reached, which are the largest.
    for rank in sorted(classes, key=profile.rank.__getitem__):
        yield from sorted(classes[rank], key=removal_key)


class _Removal:
    """Entries that leave sections in order. cut: those that are out."""

    def __init__(
        self,
        profile: Profile,
        layout: Layout,
        sections: list[Section],
        *,
        protect: bool,
        follows: bool = False,
    ) -> None:
        self._profile = profile
        self._protect = protect
        self._frame_length = layout.frame_length
        self.sizes = [_SectionSize(s, layout, follows) for s in sections if s.entries]
        # A debug view or an answer that the budget hides is useless; each has a cap of its own.
        self._within = [
            size for size in self.sizes if size.section.id not in profile.unbudgeted or not protect
        ]
        self.cut: list[Entry] = []

    def measure(self, *, is_named: bool) -> int:
        """Return the code points of what is left; is_named: with the lines that name what is
        out.
        """
        return self._frame_length + sum(size.measure(is_named=is_named) for size in self._within)

    def states(self) -> Iterator[tuple[int, bool]]:
        """Yield each state in which a block may be left, and take entries out in between: (code
        points without the lines that name cuts, whether there are such lines).
        """
        rank_of = self._profile.rank
        last_rank = len(self._profile.drop) if self._protect else len(rank_of)
        is_named = True
        bare = self.measure(is_named=False)
        yield bare, is_named
        for position, entry in removal_order(self._profile, [s.section for s in self.sizes]):
            size, rank = self.sizes[position], rank_of[entry.rank]
            if rank >= last_rank:
                break
            if is_named and self._protect and rank > rank_of["CUT_LINES"]:
                is_named = False
                yield bare, is_named
            if size not in self._within:
                continue
            bare -= size.remove(entry)
            self.cut.append(entry)
            if size.section.is_aside and len(size.cut) < len(size.section.entries):
                continue  # a part of a summary would say of the block what is not so
            yield bare, is_named
        if is_named:
            yield bare, True
            yield bare, False


class _SectionSize:
    """The code points of one section as entries leave it."""

    def __init__(self, section: Section, layout: Layout, follows: bool) -> None:
        self.section = section
        self._follows = follows
        self.cut: list[Entry] = []
        self.cut_line = ""
        # A line break stands between two lines: one less than there are lines.
        self._count = len(layout.between) - 1 + section.length(layout.indent)
        self._groups: dict[str, int] = {}  # how many entries are left in each
        self._indent = len(layout.indent)

    def remove(self, entry: Entry) -> int:
        """Remove an entry; return by how many code points the block is shorter without it, if no
        cut is named.
        """
        before = self._count
        self._count -= 1 + len(entry.prefix) + len(entry.text)
        if entry.group:
            if not self._groups:
                for other in self.section.entries:
                    self._groups[other.group] = self._groups.get(other.group, 0) + 1
            self._groups[entry.group] -= 1
            if not self._groups[entry.group]:
                self._count -= 1 + self._indent + len(entry.group)
        self.cut.append(entry)
        self.cut_line = ""
        return before - self.measure(is_named=False)

    def measure(self, *, is_named: bool) -> int:
        """Return the code points of the section with its separator; 0 once it has nothing to
        say.
        """
        is_aside = self.section.is_aside
        if len(self.cut) == len(self.section.entries) and (is_aside or not is_named):
            return 0
        if not self.cut or not is_named or is_aside:
            return self._count
        if not self.cut_line:
            more = f"{len(self.cut)} more"
            if self._follows:
                more += " follows" if len(self.cut) == 1 else " follow"
            self.cut_line = f"… {more}: {summarize_keys(entry.name for entry in self.cut)}"
        return self._count + 1 + self._indent + len(self.cut_line)
