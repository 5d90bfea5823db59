"""Parse and render the managed block that ``synapse sync`` keeps in an instruction file.

``<!-- synapse:begin KIND STAMP … -->`` and ``<!-- synapse:end -->`` are lines of their own. The
stamp is a digest that tells edits of the block from changes of the rules; it ignores the kind of
line breaks, which version control may change. In a file that is entirely ours it covers the front
matter.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.text import digest, line_index
from synapse_ls.text.finding import ParseResult
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

BEGIN_MARK = "<!-- synapse:begin"
END_MARK = "<!-- synapse:end -->"
MARKS_REMEDY = (
    f"Put the marks right (`{END_MARK}` is the last), or delete them with all that is between them."
)
# Kinds: the rules themselves, or the line that says that the hook brings them.
RULES, HOOK = "rules", "hook"

_BEGIN = lazy_pattern(r"<!-- synapse:begin(?: (\w+) ([0-9a-f]{12})\b)?[^\r\n]*-->[ \t]*")
_FENCE = lazy_pattern(r" {0,3}(`{3,}|~{3,})([^\r\n]*)")
_BREAKS = lazy_pattern(r"\r\n?")


class ManagedBlock(NamedTuple):
    """The block of an instruction file that ``synapse sync`` keeps.

    ``span`` is from the first mark to the last one, without the line break after it; ``body`` what
    is in between, ``begin`` the first mark. ``defect`` says what is wrong with the marks, "" where
    nothing is: then, ``span`` is the mark that is too much or alone.
    """

    text: str
    span: Span
    begin: Span
    body: Span
    kind: str = ""
    stamp: str = ""
    defect: str = ""

    def is_edited(self, *, whole: bool) -> bool:
        """Return whether something else stands here than what was written; ``whole``: in all of the
        file.
        """
        around = (self.text[: self.span.start], self.text[self.span.end :]) if whole else ("", "")
        return self.stamp != block_stamp(self.body.cut(self.text), *around)


def parse(text: str) -> ParseResult[ManagedBlock | None]:
    """Parse the managed block in ``text``, None where there is none; mark in fenced code are
    examples.
    """
    if not (BEGIN_MARK in text or END_MARK in text):
        return ParseResult(None, ())
    begin: tuple[Span, re.Match[str]] | None = None
    managed_block: ManagedBlock | None = None
    for start, end in _lines_outside_code(text):
        line = text[start:end]
        if opening := _BEGIN.fullmatch(line):
            if begin or managed_block:
                return _broken_block(text, Span(start, end), "begins a second time")
            begin = Span(start, end), opening
        elif line.rstrip() == END_MARK:
            if begin is None:
                return _broken_block(text, Span(start, end), "ends without a beginning")
            opened, mark = begin
            whole, body = Span(opened.start, start + len(END_MARK)), Span(opened.end, start)
            kind, stamp = mark[1] or "", mark[2] or ""
            managed_block = ManagedBlock(text, whole, opened, body, kind, stamp)
            begin = None
    if begin is not None:
        return _broken_block(text, begin[0], "begins and does not end")
    return ParseResult(managed_block, ())


def _lines_outside_code(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines that are not in fenced code. A fence that nothing closes hides nothing: what
    is put after it has to be found again.
    """
    lines = list(line_index.iter_lines(text))
    marks = {i: mark for i, (a, b) in enumerate(lines) if (mark := _FENCE.fullmatch(text, a, b))}
    longest = dict.fromkeys("`~", 0)  # closing fences after a line
    closed: set[int] = set()
    for i in sorted(marks, reverse=True):
        fence, said = marks[i].groups()
        if longest[fence[0]] >= len(fence):
            closed.add(i)
        if not said.strip():
            longest[fence[0]] = max(longest[fence[0]], len(fence))
    inside = ""
    for i, line in enumerate(lines):
        if i in marks:
            fence, said = marks[i].groups()
            if inside:
                inside = "" if fence.startswith(inside) and not said.strip() else inside
                continue
            inside = fence if i in closed else ""
        elif not inside:
            yield line


def _broken_block(text: str, place: Span, what: str) -> ParseResult[ManagedBlock | None]:
    defect = f"the part that `synapse sync` keeps {what}"
    return ParseResult(
        ManagedBlock(text, place, place, Span(place.end, place.end), defect=defect), ()
    )


def block_stamp(body: str, before: str = "", after: str = "") -> str:
    """Return the fingerprint of a managed block, and of what is around it in a file of ours."""
    texts = (_BREAKS.sub("\n", text).strip("\n") for text in (before, body, after))
    return digest.hex_digest("\0".join(texts).encode("utf-8", "surrogatepass"), 6)


def render_managed_block(kind: str, body: str, before: str = "") -> str:
    """Return the managed block: the marks with ``body`` in between, without a line break at the
    end.
    """
    clause = f'{BEGIN_MARK} {kind} {block_stamp(body, before)} kept by "synapse sync" -->'
    return f"{clause}\n\n{body}\n\n{END_MARK}"
