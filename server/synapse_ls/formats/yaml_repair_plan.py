"""This module repairs one by one the lines of a YAML text that are refused and of which it is known what
they mean, as the edits of one fix.
"""

from __future__ import annotations

from typing import NamedTuple

from synapse_ls.formats.yaml_events import YamlFailure, parse_events
from synapse_ls.formats.yaml_repairs import Repair
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits

_MOST_REPAIRS = 20  # lines like the one that cannot be read, which are looked for
_MOST_CHARS = 100_000  # of a text in which they are


class RepairPlan(NamedTuple):
    """A RepairPlan has the edits, in the order of the text, that make a YAML text readable; none where
    they would not. ``more`` says how many lines are like the first, ``others`` which lines, counted from 1,
    are refused for another reason; ``has_apostrophe`` is whether one of them has an apostrophe that
    has to be written twice.
    """

    more: int
    others: tuple[int, ...]
    has_apostrophe: bool
    title: str
    edits: tuple[TextEdit, ...]

    def describe_lines(self) -> list[str]:
        """Returns the sentences about the lines below the first."""
        sentences = []
        if self.more == 1:
            sentences.append("The same is wrong on 1 more line.")
        elif self.more:
            sentences.append(f"The same is wrong on {self.more} more lines.")
        if len(self.others) == 1:
            sentences.append(f"Another mistake is on line {self.others[0]}.")
        elif self.others:
            count, first = len(self.others), self.others[0]
            sentences.append(
                f"Other mistakes are on {count} lines, the first of them line {first}."
            )
        return sentences

    def to_data(self) -> tuple[tuple[str, str], ...]:
        """Returns the edits as the data of a problem: title and ``start end new_text`` for each."""
        if not self.edits:
            return ()
        edits = (("edit", f"{e.span.start} {e.span.end} {e.new_text}") for e in self.edits)
        return (("title", self.title), *edits)


def plan_repairs(text: str, region: Span, failure: YamlFailure) -> RepairPlan:
    """Returns what becomes of a region of a text when the failing line, and those after it of which it
    is known what they mean, are repaired one by one, until it can be read or something else is wrong.
    """
    if failure.repair is None or region.length > _MOST_CHARS:
        return RepairPlan(0, (), False, "", ())
    mended, by, end = region.cut(text), region.start, 0
    done: list[Repair] = []
    edits: list[TextEdit] = []
    left: YamlFailure | None = failure
    while left and left.repair and left.offset >= end and len(done) <= _MOST_REPAIRS:
        edit = left.repair.edit
        done.append(left.repair)
        edits.append(TextEdit(edit.span.shift(by), edit.new_text))
        mended = apply_edits(mended, (edit,))
        by -= len(edit.new_text) - edit.span.length
        end = edit.span.start + len(edit.new_text)
        left = _find_failure(mended)
    index = LineIndex(text)
    lines: dict[int, str] = {}
    for one, edit in zip(done, edits, strict=True):
        lines.setdefault(index.line_of(edit.span.start) + 1, one.reason)
    others = tuple(line for line, reason in lines.items() if reason != done[0].reason)
    has_apostrophe = any(
        one.edit.new_text.startswith("'") and "''" in one.edit.new_text[1:-1] for one in done
    )
    is_sure = left is None and all(one.is_meant for one in done)
    more = len(lines) - len(others) - 1
    kept = tuple(edits) if is_sure else ()
    return RepairPlan(more, others, has_apostrophe, failure.repair.title, kept)


def _find_failure(text: str) -> YamlFailure | None:
    """Returns why a text cannot be read, None where it can."""
    try:
        for _ in parse_events(text):
            pass
    except YamlFailure as failure:
        return failure
    return None
