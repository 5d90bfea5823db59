"""This module renders the block as text: sections in order, separated as the layout says, no
trailing newline.

This module fits a block into its token budget: it removes entries in one total order until
the rest fits.

The order does not depend on the budget, so a smaller budget always keeps a subset. Entries
go whole. A section that lost entries says so in one line; those lines are themselves an
item of the order: they go before anything the user asked for in this very prompt does.
"""

from __future__ import annotations

from synapse_ls.engine.context_usage import tokens_of_length

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from synapse_ls.engine.block_sections import Entry, Section
    from synapse_ls.engine.profile_model import Layout, Profile


def render_section(section: Section, cut_line: str = "", indent: str = "  ") -> str:
    """Renders one section of the block: heading, entries under their groups, and the line that
    names what was cut.
    """
    lines = [*section.lines(indent)]
    if cut_line:
        lines.append(indent + cut_line)
    if section.closing:
        lines.append(section.closing)
    return "\n".join(lines)


def render_block(layout: Layout, sections: Iterable[Section], cut_lines: Mapping[int, str]) -> str:
    """Renders the whole block as text; ``cut_lines`` are by position of the section."""
    bodies = [
        render_section(s, cut_lines.get(i, ""), layout.indent) for i, s in enumerate(sections)
    ]
    return layout.open + layout.between.join(bodies) + layout.close


def summarize_keys(keys: Iterable[str]) -> str:
    """Renders rule keys as the cut line of a block names them: runs of indices as ranges, at most
    three runs by name.

    >>> summarize_keys(["GLOBAL_RULE_5", "GLOBAL_RULE_6", "GLOBAL_RULE_7", "DEV_RULE_0"])
    'DEV_RULE_0, GLOBAL_RULE_5–7'
    """
    families: dict[str, list[int]] = {}
    for key in keys:
        stem, _, number = key.rpartition("_")
        if stem and number.isdecimal():
            families.setdefault(stem + "_", []).append(int(number))
        else:
            families.setdefault(key, [])
    runs: list[str] = []
    for stem in sorted(families):
        numbers = sorted(set(families[stem]))
        gaps = [i for i in range(1, len(numbers)) if numbers[i] != numbers[i - 1] + 1]
        for start, end in zip((0, *gaps), (*gaps, len(numbers)), strict=True):
            if not numbers:
                runs.append(stem)
            elif end - start > 1:
                runs.append(f"{stem}{numbers[start]}–{numbers[end - 1]}")
            else:
                runs.append(f"{stem}{numbers[start]}")
    if len(runs) > 3:
        return f"{', '.join(runs[:3])} and others"
    return ", ".join(runs)


class FitResult:
    """A FitResult says which entries fit into the budget, and which were cut.

    ``cut``: entries that were removed, in order. ``lines``: position of a kept section -> the
    line that names its cuts. ``over``: whether it is still larger than the budget.
    """

    __slots__ = ("cut", "cut_lines", "is_over", "sections", "tokens")

    def __init__(
        self,
        sections: list[Section],
        cut: list[Entry],
        lines: dict[int, str],
        tokens: int,
        over: bool,
    ) -> None:
        self.sections = sections
        self.cut = cut
        self.cut_lines = lines
        self.tokens = tokens
        self.is_over = over


class _SectionSize:
    """A _SectionSize counts the code points of one section as entries leave it."""

    __slots__ = ("_count", "_follows", "_groups", "_indent", "cut", "line", "section")

    def __init__(self, section: Section, layout: Layout, follows: bool) -> None:
        self.section = section
        self._follows = follows
        self.cut: list[Entry] = []
        self.line = ""
        # A line break stands between two lines: one less than there are lines.
        self._count = len(layout.between) - 1 + section.length(layout.indent)
        self._groups: dict[str, int] | None = None  # how many entries are left in each
        self._indent = len(layout.indent)

    def remove(self, entry: Entry) -> int:
        """Removes an entry; returns by how many code points the block is shorter without it, if no
        cut is named.
        """
        before = self._count
        self._count -= 1 + len(entry.prefix) + len(entry.text)
        if entry.group:
            if self._groups is None:
                self._groups = self._count_groups()
            self._groups[entry.group] -= 1
            if not self._groups[entry.group]:
                self._count -= 1 + self._indent + len(entry.group)
        self.cut.append(entry)
        self.line = ""
        return before - self.char_count(lines=False)

    def _count_groups(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for entry in self.section.entries:
            counts[entry.group] = counts.get(entry.group, 0) + 1
        return counts

    @property
    def is_silent(self) -> bool:
        """Tells whether the section goes without a word: a summary says nothing of its own."""
        return self.section.is_aside

    def char_count(self, *, lines: bool) -> int:
        """Returns the code points of the section with its separator; 0 once it has nothing to say."""
        empty = len(self.cut) == len(self.section.entries)
        if not self.section.entries or (empty and (self.is_silent or not lines)):
            return 0
        total = self._count
        if self.cut and lines and not self.is_silent:
            if not self.line:
                self.line = render_cut_line(self.cut, follows=self._follows)
            total += 1 + self._indent + len(self.line)
        return total


def render_cut_line(cut: list[Entry], *, follows: bool = False) -> str:
    """Returns the line that names what the budget cut from a section; follows: whether a later
    reply tells it.
    """
    more = (
        f"{len(cut)} more {'follows' if len(cut) == 1 else 'follow'}"
        if follows
        else f"{len(cut)} more"
    )
    return f"… {more}: {summarize_keys(entry.name for entry in cut)}"


def removal_order(profile: Profile, sections: list[Section]) -> Iterator[tuple[int, Entry]]:
    """Yields (section position, entry) in the order in which the budget removes them, the first to
    go first; a summary goes whole.
    """
    classes: dict[str, list[tuple[int, Sequence[Entry]]]] = {}
    for position, section in enumerate(sections):
        for rank, entries in section.entries_by_rank().items():
            classes.setdefault(rank, []).append((position, entries))

    def removal_key(item: tuple[int, Entry]) -> tuple[bool, tuple[Any, ...]]:
        position, entry = item
        whole = sections[position].is_aside
        return not whole, (position,) if whole else entry.weight

    # Most often it is over before the last classes are reached, which are the largest.
    for rank in sorted(classes, key=profile.rank.__getitem__):
        items = [(position, entry) for position, entries in classes[rank] for entry in entries]
        if len(classes[rank]) > 1:
            items.sort(key=removal_key)
        yield from items


def fit_sections(
    profile: Profile,
    layout: Layout,
    sections: list[Section],
    budget: int,
    *,
    protect: bool = True,
    follows: bool = False,
) -> FitResult:
    """Returns ``sections`` cut to ``budget`` code points when they are laid out. follows: whether a
    later reply tells what is cut.

    With ``protect`` the profile's protected entries stay, even over the budget; without it (a
    client's hard limit) they too go, last, and every cut is named as long as that is possible.
    """
    counted = [s for s in sections if s.entries]
    removal = _Removal(profile, layout, counted, protect=protect, follows=follows)
    total, lines = removal.total, True
    for bare, lines in removal.states():
        # The sum without cut lines is a lower bound: only near the budget is it worth writing them.
        total = removal.measure_named() if lines and removal.cut and bare <= budget else bare
        if total <= budget:
            break
    gone = {id(entry) for entry in removal.cut}
    kept: list[Section] = []
    cut_lines: dict[int, str] = {}
    for size in removal.sizes:
        if not size.char_count(lines=lines):
            continue
        if size.cut and lines and not size.is_silent:
            cut_lines[len(kept)] = size.line
        if size.cut:
            remaining = [e for e in size.section.entries if id(e) not in gone]
            kept.append(size.section.with_entries(remaining))
        else:
            kept.append(size.section)
    return FitResult(kept, removal.cut, cut_lines, tokens_of_length(total), total > budget)


def count_needed_tokens(
    profile: Profile,
    layout: Layout,
    sections: list[Section],
    is_needed: Callable[[Entry], bool],
) -> int:
    """Returns the least budget, in tokens, to which `fit_sections` cuts ``sections`` without taking
    an entry for which ``is_needed``.

    It is found on one walk in the order of removal, since a block ends at the first state that
    fits: the least of all states before the first needed entry goes.
    """
    removal = _Removal(profile, layout, [s for s in sections if s.entries], protect=True)
    least, looked_at = removal.total, 0
    for bare, lines in removal.states():
        if any(map(is_needed, removal.cut[looked_at:])):
            break
        looked_at = len(removal.cut)
        if bare < least:
            least = min(least, removal.measure_named() if lines else bare)
    return tokens_of_length(least)


class _Removal:
    """A _Removal takes entries out of sections in order. cut: those that are gone. total: the code
    points of the whole.
    """

    __slots__ = (
        "_profile",
        "_protect",
        "_sections",
        "_within",
        "_wrapper",
        "cut",
        "sizes",
        "total",
    )

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
        self._sections = sections
        self._wrapper = layout.frame_length
        self.sizes = [_SectionSize(section, layout, follows) for section in sections]
        # A debug view or an answer that the budget hides is useless; each has a cap of its own.
        self._within = [
            s for s in self.sizes if s.section.id not in profile.unbudgeted or not protect
        ]
        self.cut: list[Entry] = []
        self.total = self._measure(lines=False)

    def measure_named(self) -> int:
        """Returns the code points of what is left with the lines that name what is gone."""
        return self._measure(lines=True)

    def _measure(self, *, lines: bool) -> int:
        return self._wrapper + sum(size.char_count(lines=lines) for size in self._within)

    def states(self) -> Iterator[tuple[int, bool]]:
        """Yields each state in which a block may be left, and takes entries out in between: (code
        points without the lines that name cuts, whether there are such lines).
        """
        profile, protect = self._profile, self._protect
        last_rank = len(profile.drop) if protect else len(profile.rank)
        lines_rank = profile.rank["CUT_LINES"]
        lines = True
        bare = self.total
        yield bare, lines
        for position, entry in removal_order(profile, self._sections):
            rank = profile.rank[entry.rank]
            if rank >= last_rank:
                break
            if lines and protect and rank > lines_rank:
                lines = False
                yield bare, lines
            size = self.sizes[position]
            if size not in self._within:
                continue
            bare -= size.remove(entry)
            self.cut.append(entry)
            if size.is_silent and len(size.cut) < len(size.section.entries):
                continue  # a part of a summary would say of the block what is not so
            yield bare, lines
        if lines:
            yield bare, lines
            yield bare, False
