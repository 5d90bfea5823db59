"""Plan the repairs of a whole invalid YAML text, as the edits of one fix."""

from typing import Any, NamedTuple

from synapse_ls.formats.yaml_events import YamlFailure, parse_events
from synapse_ls.formats.yaml_repairs import Repair, list_sibling_keys, say_quoting
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits

_MOST_CHARS = 100_000  # of a text that is repaired
_MOST_REPAIRS = 100
_MOST_READ = 2_000_000  # characters that are read to find what else is refused


class RepairPlan(NamedTuple):
    """The edits, in the order of the text, that make a YAML text readable; none where they would
    not. ``remedy`` says what to do about all lines. ``more`` says how many lines are like the
    first, ``others`` which lines, counted from 1, are refused for another reason; ``is_complete``
    is whether these are all. ``left`` is the line that is refused when these are mended, 0 where
    none is known. ``is_searched`` is whether anything but the first mistake was looked for.
    """

    remedy: str
    more: int
    others: tuple[int, ...]
    is_complete: bool
    left: int
    title: str
    edits: tuple[TextEdit, ...]
    is_searched: bool = True

    def describe_lines(self) -> list[str]:
        """Return the sentences about the lines below the first."""
        sentences = []
        if not self.is_searched:
            sentences.append(
                "At least this line is wrong: of YAML so long, only the first mistake is shown."
            )
        more, count = self.more, len(self.others)
        first = self.others[0] if self.others else 0
        if more == 1:
            exact, least = (
                "The same is wrong on 1 more line.",
                "The same is wrong on at least 1 more line.",
            )
        else:
            exact = f"The same is wrong on {more} more lines."
            least = f"The same is wrong on at least {more} more lines."
        if more:
            sentences.append(exact if self.is_complete else least)
        exact = f"Other mistakes are on {count} lines, the first of them line {first}."
        least = f"Other mistakes are on at least {count} lines, the first of them line {first}."
        if count == 1:
            sentences.append(f"Another mistake is on line {first}.")
        elif count:
            sentences.append(exact if self.is_complete else least)
        if self.left:
            sentences.append(f"With that mended, it is refused again on line {self.left}.")
        return sentences


def plan_repairs(text: str, region: Span, failure: YamlFailure) -> RepairPlan:
    """Return what becomes of a region of a text when the failing line, and those after it of which
    it is known what they mean, are repaired one by one, until it can be read or something else is
    wrong.
    """
    if failure.repair is None or region.length > _MOST_CHARS:
        return RepairPlan("", 0, (), False, 0, "", (), is_searched=False)
    mended, by, sound = region.cut(text), region.start, 0
    most = min(_MOST_REPAIRS, _MOST_READ // max(1, region.length))
    done: list[Repair] = []
    edits: list[TextEdit] = []
    left: YamlFailure | None = failure
    can_skip = "\n%" not in mended  # what a directive says holds for all keys
    start = 0
    moves = _Moves()
    while left and left.repair and len(done) < most:
        edit = TextEdit(left.repair.edit.span.shift(start), left.repair.edit.new_text)
        moves.add(mended, start, left.repair, len(done))
        done.append(left.repair)
        edits.append(TextEdit(edit.span.shift(by), edit.new_text))
        mended = apply_edits(mended, (edit,))
        by -= len(edit.new_text) - edit.span.length
        start += sound if can_skip else 0
        left, sound = _find_failure(mended[start:])
        if left and left.offset + start < edit.span.start + len(edit.new_text):
            break
    stay = moves.repeated()
    done = [one.without_move() if number in stay else one for number, one in enumerate(done)]
    index = LineIndex(text)
    lines: dict[int, str] = {}
    for one, edit in zip(done, edits, strict=True):
        lines.setdefault(index.line_of(edit.span.start) + 1, one.reason)
    other_lines = tuple(line for line, reason in lines.items() if reason != done[0].reason)
    refused = 0
    if left and len(done) < most:  # no edit adds a line or takes one away
        below = LineIndex(mended).line_of(left.offset + start)
        refused = index.line_of(region.start) + below + 1
    # What to do about the lines that were repaired, each kind of mistake once.
    quoted = [one for one in done if one.marks]
    said: dict[str, str] = {}
    is_more = False
    for remedy_one in done:
        kind = "quote" if remedy_one.marks else remedy_one.title
        remedy = _say_quoting(quoted) if remedy_one.marks else remedy_one.remedy
        is_more |= said.setdefault(kind, remedy) != remedy
    return RepairPlan(
        " ".join((*said.values(), *(["Do likewise on the other lines."] if is_more else []))),
        len(lines) - len(other_lines) - 1,
        other_lines,
        left is None and not any(one.is_blank for one in done),
        refused,
        failure.repair.title,
        tuple(edits) if left is None and all(one.is_meant for one in done) else (),
    )


class _Moves:
    """A _Moves knows which keys are moved out of lists to where, so that none comes to
    stand twice.
    """

    def __init__(self) -> None:
        self._numbers: dict[tuple[int, str], list[int]] = {}
        self._taken: set[tuple[int, str]] = set()

    def add(self, text: str, start: int, repair: Repair, number: int) -> None:
        """Add a repair of the part of ``text`` from ``start`` on, if it moves a key."""
        if repair.home < 0:
            return
        siblings = list_sibling_keys(text, repair.home + start)
        place = (LineIndex(text).line_of(siblings[0][0]), repair.key)
        if place in self._numbers or any(name == repair.key for _, name in siblings):
            self._taken.add(place)
        self._numbers.setdefault(place, []).append(number)

    def repeated(self) -> set[int]:
        """Return the numbers of the repairs that would move a key to where it stands already."""
        return {number for place in self._taken for number in self._numbers[place]}


def _say_quoting(quoted: list[Repair]) -> str:
    """Return how the values have to be quoted, all of them."""
    marks = {one.marks for one in quoted}
    first = "single" if "single" in marks else "double"
    lists = [one for one in quoted if not one.is_meant]
    sentences = [say_quoting(first, is_list=len(lists) == len(quoted))]
    if lists and len(lists) < len(quoted):
        sentences.append(
            "Where nothing but commas is between texts, each may have a line of its own instead."
        )
    if len(marks) > 1:
        sentences.append("Take double ones where the value has `'` and no `\"`.")
    if any("''" in one.edit.new_text[1:-1] for one in quoted if one.marks == "single"):
        sentences.append("Inside single quotation marks, write `'` twice.")
    return " ".join(sentences)


def _find_failure(text: str) -> tuple[YamlFailure | None, int]:
    """Return why a text cannot be read, None where it can, and where the last key of its outermost
    mapping before that begins: what stands above it is well-formed, whatever follows.
    """
    opened: list[Any] = []
    key = 0
    try:
        for kind, event in parse_events(text):
            if kind in ("mapping", "sequence"):
                opened.append(event)
            elif kind == "end":
                opened.pop()
            elif len(opened) == 1 and not opened[0].flow_style and not event.start_mark.column:
                key = event.start_mark.index
    except YamlFailure as failure:
        if failure.unfinished and opened:
            brackets = [one.start_mark.index for one in opened if one.flow_style]
            end = max(0, len(text.rstrip()) - 1)
            failure = YamlFailure(brackets[-1] if brackets else end, failure.reason)
        return failure, key
    return None, key
