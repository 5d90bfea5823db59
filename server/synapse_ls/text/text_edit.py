"""Changes to a text as data: apply them, move spans along, and show them as a unified diff."""

from collections.abc import Callable, Iterable, Sequence
from difflib import unified_diff
from typing import NamedTuple

from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span


class TextEdit(NamedTuple):
    """A TextEdit puts ``new_text`` where ``span`` is. An empty span inserts, an empty
    text deletes.
    """

    span: Span
    new_text: str


def minimal_edit(old: str, new: str) -> TextEdit:
    """Return the one edit that turns ``old`` into ``new``: it replaces what is between their common
    beginning and end.
    """
    head = _common_length(min(len(old), len(new)), lambda a, b: old[a:b] == new[a:b])
    rest = min(len(old), len(new)) - head
    tail = _common_length(
        rest, lambda a, b: old[len(old) - b : len(old) - a] == new[len(new) - b : len(new) - a]
    )
    return TextEdit(Span(head, len(old) - tail), new[head : len(new) - tail])


def shift_span(span: Span, edit: TextEdit) -> Span | None:
    """Return where a span is after an edit of its text; None where nothing of it is left.

    A span does not grow by what is written at its edges.
    """
    start, end = edit.span
    added = len(edit.new_text)
    by = added - (end - start)
    if span.end <= start:
        return span
    if span.start >= end:
        return span.shift(by)
    if span.start < start:
        left = Span(span.start, span.end + by if span.end >= end else start)
    else:
        left = Span(start + added, span.end + by) if span.end > end else Span(start, start)
    return left if left.length else None


def _common_length(limit: int, same: Callable[[int, int], bool]) -> int:
    """Return how much of ``limit`` characters is alike from the beginning on, by comparing ever
    smaller pieces.
    """
    low = 0
    while low < limit:
        middle = (low + limit + 1) // 2
        if same(low, middle):
            low = middle
        else:
            limit = middle - 1
    return low


def apply_edits(text: str, edits: Iterable[TextEdit]) -> str:
    """Return ``text`` after ``edits``, whose spans all refer to the text before any of them.

    The edits may come in any order; insertions at one place keep the order in which they came
    (LSP 3.18, ``TextEdit[]``). Raises ``ValueError`` where two overlap or one leaves the text.
    """
    pieces: list[str] = []
    done = 0
    for edit in sorted(edits, key=lambda edit: edit.span):
        start, end = edit.span
        if not 0 <= start <= end <= len(text):
            raise ValueError(f"edit {start}..{end} is not inside a text of {len(text)} characters")
        if start < done:
            raise ValueError(f"edit {start}..{end} overlaps one that ends at {done}")
        pieces += text[done:start], edit.new_text
        done = end
    pieces.append(text[done:])
    return "".join(pieces)


def text_diff(before: str, after: str, old_name: str, new_name: str) -> str:
    """Return the difference of two texts as a unified diff, "" where there is none."""
    lines = unified_diff(_split_lines(before), _split_lines(after), old_name, new_name)
    missing = "\n\\ No newline at end of file\n"
    return "".join(line if line.endswith("\n") else line + missing for line in lines)


def _split_lines(text: str) -> list[str]:
    """Return the lines of a text with their breaks: at LF only, as diff and patch see them."""
    lines = [f"{line}\n" for line in text.split("\n")]
    last = lines.pop().removesuffix("\n")
    return [*lines, last] if last else lines


_BREAK = lazy_pattern(r"\r\n|\r|\n")


def insert_line_after(text: str, offset: int, line: str, *, apart: bool = False) -> TextEdit:
    """Return the edit that puts ``line`` as a line of its own behind the one that holds ``offset``;
    ``apart`` leaves a blank line between.
    """
    end = _line_span_at(text, offset).end
    return TextEdit(Span(end, end), line_break_at(text, end) * (1 + apart) + line)


def insert_line_before(text: str, offset: int, line: str) -> TextEdit:
    """Return the edit that puts ``line`` as a line of its own before the one that holds
    ``offset``.
    """
    start, end = _line_span_at(text, offset)
    return TextEdit(Span(start, start), line + line_break_at(text, end))


def append_lines(text: str, lines: Sequence[str], *, apart: bool = False) -> TextEdit:
    """Return the edit that adds ``lines`` at the end of a text; ``apart`` leaves a blank line
    before them.
    """
    newline = line_break_at(text, len(text))
    before = "" if not text or text.endswith(("\n", "\r")) else newline
    if apart and text.strip() and not text.endswith(newline * 2):
        before += newline
    return TextEdit(Span(len(text), len(text)), before + newline.join(lines) + newline)


def delete_lines(text: str, span: Span) -> TextEdit:
    """Return the edit that deletes the lines that ``span`` is on; of blank lines on both sides one
    goes too.
    """
    lines = LineIndex(text)
    first, last = lines.line_of(span.start), lines.line_of(span.end)

    def is_blank(line: int) -> bool:
        return not lines.line_span(line).cut(text).strip()

    if last + 1 == lines.line_count:
        return TextEdit(Span(lines.line_span(first - 1).end if first else 0, len(text)), "")
    behind = last + 1
    if behind + 1 < lines.line_count and is_blank(behind) and (first == 0 or is_blank(first - 1)):
        behind += 1
    return TextEdit(Span(lines.offset(first, 0), lines.offset(behind, 0)), "")


def with_line_break(text: str, span: Span) -> Span:
    """Return the span of whole lines with the break behind them, so that no gap is left of them."""
    behind = _BREAK.match(text, span.end)
    return Span(span.start, behind.end() if behind else span.end)


def line_break_at(text: str, end: int) -> str:
    """Return the line break that an edit of lines uses at ``end``; where there is none, the last
    one before it, else LF.
    """
    if (here := _BREAK.match(text, end)) is not None:
        return here[0]
    return next(reversed(_BREAK.findall(text, 0, end)), "\n")


def _line_span_at(text: str, offset: int) -> Span:
    lines = LineIndex(text)
    return lines.line_span(lines.line_of(offset))
