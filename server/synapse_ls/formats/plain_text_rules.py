"""Parse plain text as rules: one per line, grouped by headings.

A line continues the one above only if visibly wrapped: indented below a list item or label, or the
one above is nearly as wide as the text and ends no sentence. Beyond CommonMark, ``=== TITLE ===``
and ``GUARDRAILS_RULES:`` are headings, and a label (``AUTH:``, ``Phase qa_review:``, ``Art. IV``)
begins a rule. A fenced block belongs to the rule above, or is a rule, each line as a code span; one
that is too long is reported.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple
from unicodedata import east_asian_width

from synapse_ls.formats.rule_file_lines import DECORATION, ContentLine, FencedBlock
from synapse_ls.formats.rule_syntax import BRACKETS
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

# A narrower line is never taken for one that was wrapped.
WRAP_COLUMNS = 60

# What opens a list item beside the marks of Markdown: bullets, dashes, and the numbers of Japanese.
LIST_MARK = lazy_pattern(
    r"(?:[•‣◦▪–][ \t]+|[・●○■◆①-⑳][ \t\u3000]*|[０-９]{1,9}[．.）)][ \t\u3000]*)(?=\S)"
)

_SENTENCE_ENDS = frozenset(".!?:;…。！？：；")
_CLOSING = ")]}\"'`*_»”’」』）"
_HARD_BREAKS = ("  ", "\\")


def column_count(text: str) -> int:
    """Return how many columns of an editor a line takes that may be wrapped; wide letters of East
    Asia take two.
    """
    if text.isascii():
        return len(text)
    return sum(2 if east_asian_width(letter) in "WF" else 1 for letter in text)


def ends_sentence(text: str) -> bool:
    """Return whether a line that may be wrapped ends as a sentence does."""
    return text.rstrip(_CLOSING)[-1:] in _SENTENCE_ENDS


def begins_sentence(text: str) -> bool:
    """Return whether a line behind one that may be wrapped begins as a sentence does: with a
    capital, in scripts that have them.
    """
    first = next(filter(str.isalpha, text), "")
    return first.isupper() or first.istitle()


def split_paragraph(lines: Sequence[str]) -> list[int]:
    """Return the places in a paragraph of wrapped lines at which a text of its own begins, 0 first.

    A paragraph is one text where it is wrapped throughout: each line but the last is wide, and one
    of them breaks a sentence off. Elsewhere a line goes on with the one above it only where it
    breaks a sentence off, too, and never where it has the mark of a list; whoever begins no line
    with a capital is understood only by wide lines. Two spaces or a backslash at the end of a line
    break it (CommonMark 6.7).
    """
    bare = [line.strip() for line in lines]
    small = not begins_sentence(bare[0])
    wide = [column_count(line) >= WRAP_COLUMNS for line in bare]
    goes_on = {
        number
        for number in range(1, len(bare))
        if not lines[number - 1].endswith(_HARD_BREAKS)
        and not ends_sentence(bare[number - 1])
        and not (begins_sentence(bare[number]) or LIST_MARK.match(bare[number]))
        and (wide[number - 1] or not small)
    }
    if goes_on and all(wide[:-1]):
        return [0]
    return [number for number in range(len(bare)) if number not in goes_on]


# Code points; a longer text explains rather than rules, and would cost 100 tokens a prompt.
LONGEST_RULE = 400

# Columns that a wrapped line may be narrower than the widest: the word that did not fit.
_WRAP_SLACK = 15

_GROUP = lazy_pattern(r"[A-Z][A-Z0-9_]*(?: [A-Z0-9_]+)*")
_MAX_HEADING = 300
_UNDERLINE = lazy_pattern(r"={3,}")
# What opens a list item, with the check box behind it.
_ITEM = lazy_pattern(
    r"(?:(?:[-*+]|[0-9]{1,9}[.)]|[a-z][.)])[ \t]+"
    rf"|{LIST_MARK.pattern})(?:\[[ xX]\][ \t]+)?(?=\S)"
)
# What opens a quoted line; not ``> 90 % coverage``.
_QUOTE = lazy_pattern(r"(?:>[ \t]+)+(?=[^\s\d>])")
_LABEL = lazy_pattern(
    r"[A-Z][A-Z0-9_]+(?: [A-Z0-9_]+)*:\s|[Pp]hase\s+[\w-]+\s*:"
    r"|A(?i:rt(?:\.|icle|igo)?)\s*(?:[IVXLC]+|[0-9]+)\b|[Ww]hen\s+(?:the\s+)?context\s+is\b"
    rf"|[^:]{{0,60}}\b(?:{'|'.join(BRACKETS)})\b[^:]{{0,40}}:"
    r"|\|"
)


class Passage(NamedTuple):
    """One of the rules of a plain text: its lines joined by a space, its place, the heading above
    it.
    """

    text: str
    group: str
    line: int
    span: Span
    text_span: Span


class PlainText(NamedTuple):
    """What a plain file says: its rules, and the fenced blocks that are too long to be told with
    one, each with the count of its code points.
    """

    passages: list[Passage]
    untold_blocks: list[tuple[FencedBlock, int]]


@dataclass(slots=True)
class _OpenPassage:
    """The passage that is being read: the text of its lines so far, and whether it is a list item.
    ``line_end`` is the end of its last line, ``end`` that of its text.
    """

    pieces: list[str]
    line: int
    line_start: int
    start: int
    is_item: bool
    line_end: int
    end: int


def find_passages(
    text: str,
    lines: Sequence[ContentLine],
    *,
    join_lines: bool = True,
    comment_lines: Collection[int] = (),
) -> PlainText:
    """Return the rules in ``lines`` of a plain ``text``.

    join_lines: without it every line is a rule of its own. comment_lines: the numbers of lines
    that were blanked and separate nothing.
    """
    if all(line.block for line in lines):  # a file that was pasted with its fence
        lines = [line._replace(block=None) for line in lines]
    reader = _PassageReader(text, lines, join_lines, comment_lines)
    # The code of each fenced block on one line, every line of it as a code span.
    codes = ((line.block, line.body.cut(text)) for line in lines if line.block is not None)
    spans = group_pairs((block, code if "`" in code else f"`{code}`") for block, code in codes)
    for line in lines:
        if line.block is None:
            reader.read_line(line)
        elif code_spans := spans.pop(line.block, None):
            reader.read_code(" ".join(code_spans), line.block)
    reader.close_passage()
    return reader.found


class _PassageReader:
    """A _PassageReader reads lines into ``found``; ``_current`` is the passage that is open, and
    ``_previous`` the line before, but for code.
    """

    def __init__(
        self, text: str, lines: Sequence[ContentLine], join_lines: bool, blanked: Collection[int]
    ) -> None:
        unfenced = [line for line in lines if not line.block]
        self.found = PlainText([], [])
        self._text = text
        self._joins_lines = join_lines
        self._blanked = blanked
        # The lines of blocks of two or more `# …` lines: a file's header, not headings.
        found: set[int] = set()
        before = -2
        for line in unfenced:
            if text[line.body.start] != "#" or _heading_level(line.body.cut(text)) > 1:
                continue
            if before == line.number - 1:
                found |= {before, line.number}
            before = line.number
        self._comments = found
        # The lines that look as if an editor broke them at its margin.
        widths = {
            line.number: width
            for line in (unfenced if join_lines else ())
            if (width := column_count(text[line.start : line.body.end])) >= WRAP_COLUMNS
            and not ends_sentence(line.body.cut(text))
        }
        least = max(widths.values(), default=0) - _WRAP_SLACK
        self._wrapped = frozenset(number for number, width in widths.items() if width >= least)
        self._group = ""
        self._current: _OpenPassage | None = None
        self._previous: ContentLine | None = None

    def close_passage(self) -> None:
        if (current := self._current) is not None:
            whole = Span(current.line_start, current.line_end)
            place = Span(current.start, current.end)
            text = " ".join(current.pieces)
            self.found.passages.append(Passage(text, self._group, current.line, whole, place))
        self._current = None

    def read_line(self, line: ContentLine) -> None:
        """Read a line that is no code."""
        body = line.body.cut(self._text)
        heading = _heading_title(body)
        if line.number in self._comments:
            self.close_passage()
        elif heading:
            self.close_passage()
            self._group = heading
        elif body[0] == "#" or DECORATION.fullmatch(body):
            # Ends the passage at a line without words, which may make a heading of it.
            current, previous = self._current, self._previous
            if (
                current
                and previous
                and self._joins_lines
                and _UNDERLINE.fullmatch(body)  # CommonMark 4.3, with `=` only
                and line.number == previous.number + 1
                and len(current.pieces) == 1
                and not current.is_item
            ):
                self._group, self._current = current.pieces[0], None
            self.close_passage()
        elif passage := self._continued_passage(line, body):
            passage.pieces.append(body[_quote_length(body) :])
            passage.line_end, passage.end = line.end, line.body.end
        else:
            self.close_passage()
            # The passage that a line begins, without the marks of a quotation and of a list.
            skip = _quote_length(body)
            item = _ITEM.match(body, skip)
            skip = item.end() if item else skip
            start = line.body.start + skip
            is_item = item is not None
            self._current = _OpenPassage(
                [body[skip:]], line.number, line.start, start, is_item, line.end, line.body.end
            )
        self._previous = line

    def read_code(self, code: str, block: FencedBlock) -> None:
        """Add a block to the passage above it, or open one; one that is too long is noted."""
        start = block.span.start
        passage = self._current or _OpenPassage([], block.line, start, start, False, start, start)
        if sum(map(len, passage.pieces)) + len(passage.pieces) + len(code) > LONGEST_RULE:
            self.found.untold_blocks.append((block, len(code)))
            return
        passage.pieces.append(code)
        passage.line_end = passage.end = block.span.end
        self._current = passage

    def _continued_passage(self, line: ContentLine, body: str) -> _OpenPassage | None:
        """Return the passage above that a line carries on: indented under an item or a label, or
        what a wrapped line left over.
        """
        current, previous = self._current, self._previous
        if current is None or previous is None or not self._joins_lines or _ITEM.match(body):
            return None
        if not all(n in self._blanked for n in range(previous.number + 1, line.number)):
            return None
        hangs = current.is_item or _is_labelled(current.pieces[0])
        is_rest = not _is_labelled(body) and not begins_sentence(body)
        if (hangs and line.body.start > line.start) or (
            previous.number in self._wrapped and is_rest
        ):
            return current
        return None


def _quote_length(body: str) -> int:
    """Return the length of the mark that opens a quoted line, 0 for any other line."""
    quote = _QUOTE.match(body)
    return quote.end() if quote else 0


def _heading_title(body: str) -> str:
    """Return the title, if the line is a heading, else ""."""
    title = ""
    if len(body) > _MAX_HEADING:
        return title
    if body[0] == "#":
        title = body.strip("# \t") if _heading_level(body) else ""
    elif body.startswith("==") and body.endswith("=="):
        title = body.strip("= \t")
    elif body[-1] == ":" and _GROUP.fullmatch(body, 0, len(body) - 1):
        title = body[:-1].removesuffix("_RULES")
    return title if any(map(str.isalnum, title)) else ""


def _heading_level(body: str) -> int:
    """Return how many ``#`` open a Markdown heading; 0 for ``#comment`` and all else."""
    signs = len(body) - len(body.lstrip("#"))
    return signs if signs <= 6 and body[signs : signs + 1].isspace() else 0


def _is_labelled(body: str) -> bool:
    return _LABEL.match(body, 0, _MAX_HEADING) is not None
