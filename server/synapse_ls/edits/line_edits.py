"""Text edits that add or take whole lines, with the line breaks used at that place."""

from collections.abc import Sequence

from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit

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
        start = lines.line_span(first - 1).end if first else 0
        return TextEdit(Span(start, len(text)), "")
    behind = last + 1
    if behind + 1 < lines.line_count and is_blank(behind) and (first == 0 or is_blank(first - 1)):
        behind += 1
    return TextEdit(Span(lines.offset(first, 0), lines.offset(behind, 0)), "")


def line_break_at(text: str, end: int) -> str:
    """Return the line break that an edit of lines uses at ``end``; where there is none, the last
    one before it, else LF.
    """
    here = _BREAK.match(text, end)
    if here is not None:
        return here[0]
    return next(reversed(_BREAK.findall(text, 0, end)), "\n")


def _line_span_at(text: str, offset: int) -> Span:
    lines = LineIndex(text)
    return lines.line_span(lines.line_of(offset))
