r"""Parse the headings of Markdown memories, and escape those reserved for the assembled text.

A memory with ``## User Prompt`` would pass for the user's words, so it is written as ``\#\# User
Prompt``, which Markdown renders as the same characters. Tags in which clients speak to the model
are escaped, too (``\<system-reminder>``).
"""

import html
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from synapse_ls.formats.name_normalization import fold_case
from synapse_ls.text import block_markup, line_index
from synapse_ls.text.finding import Finding
from synapse_ls.text.phrases import visible_text
from synapse_ls.text.span import Span

# What the sections of the four processes are called (Brainiac Context Ordering).
SECTIONS = (
    *("Core Identity", "Short-Term Memory", "Relevant Long-Term Memory", "User Prompt"),
    *("Current STM", "New Event", "STM Event Log", "Existing LTM", "Promotion Candidates"),
    *("Access Patterns", "Current LTM Structure", "Reorganization Goals", "DEVMODE Status"),
)

_TITLE_MARKS = "*_`:\\[]() \t"
_MARKUP = dict.fromkeys(map(ord, "*`[]"))  # which parts no word
_NO_LETTERS = re.compile(r"[\W_]+")
# What numbers a heading: `4.`, `1a`, `II.`, `Step 1:`.
_NUMBERING = re.compile(
    r"(?:[\W_]*(?:[^\W\d_]{0,10}\s?\d+[a-z]?|[ivxlcdm]{1,7}|\w|\w{1,10}(?=[.:)]))"
    r"\b[\W_]*(?=\w|\Z))+",
    re.IGNORECASE,
)
# Where text begins in a line of a paragraph: behind the marks of quotations and lists.
_BEGINNING = re.compile(r"(?:[ \t]*(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t])))*[ \t]*")
_HTML_HEADING = re.compile(r"<h[1-6][\s/>]", re.IGNORECASE)
_END_OF_HEADING = re.compile(r"</?(?=h[1-6]\b)", re.IGNORECASE)
# HTML, and where links lead.
_UNREAD = re.compile(r"<!--.*?-->|<[^<>]*>|\]\([^()]*\)", re.DOTALL)
_UNREAD_END = re.compile(r"<!--.*|<[^<>]*|\]\([^()]*", re.DOTALL)  # cut off
_DASHES = dict.fromkeys(map(ord, "-\u2010\u2011\u2012\u2013\u2014_"), " ")
_MAX_NAME = 80  # code points of a line among which the name of a section is looked for
_MAX_MARKUP = 500  # the same with HTML and links; what is longer is cut off


class MarkdownLine(NamedTuple):
    """A line of a Markdown memory with what it is: a heading, an underline, or part of a fenced
    block.

    ``level`` is that of the heading that the line is, 0 for none; a line above a row of ``=`` or
    ``-`` has level 1 or 2, and the row is its ``underline``. ``fenced`` lines belong to a fenced
    block, its first and last one included; ``fence`` is the mark of the one that is open behind the
    line, "" for none.
    """

    number: int
    span: Span
    text: str
    level: int = 0
    title: str = ""
    underline: bool = False
    fenced: bool = False
    fence: str = ""

    @property
    def may_be_title(self) -> bool:
        """Whether a row of ``=`` or ``-`` below the line makes a heading of it."""
        text = self.text.strip()
        other = self.fenced or self.level or self.underline or self.text.startswith("    ")
        return bool(text) and not other and not text.startswith(("- ", "* ", "+ ", ">", "#"))


def parse_lines(text: str) -> list[MarkdownLine]:
    """Return the lines of a Markdown memory with its headings and fences (CommonMark 0.31). Linear
    time.
    """
    lines: list[MarkdownLine] = []
    fence = ""
    for number, (start, end) in enumerate(line_index.iter_lines(text)):
        written, span = text[start:end], Span(start, end)
        bare = written.strip(" \t")
        if fence:
            if len(bare) >= len(fence) and not bare.strip(fence[0]):
                fence = ""
            lines.append(MarkdownLine(number, span, written, fenced=True, fence=fence))
        elif fence := _opening_fence(written):
            lines.append(MarkdownLine(number, span, written, fenced=True, fence=fence))
        else:
            level, title = _parse_heading(written)
            is_row = not level and bare[:1] in ("=", "-") and not bare.strip(bare[0])
            if is_row := is_row and bool(lines) and lines[-1].may_be_title:
                above = lines[-1]
                lines[-1] = above._replace(level=1 + (bare[0] == "-"), title=above.text.strip())
            lines.append(MarkdownLine(number, span, written, level, title, underline=is_row))
    return lines


def _opening_fence(line: str) -> str:
    """Return the mark that opens a fenced block on this line, or ""."""
    bare = line.lstrip(" ")
    if len(line) - len(bare) > 3 or bare[:3] not in ("```", "~~~"):
        return ""
    mark = bare[: len(bare) - len(bare.lstrip(bare[0]))]
    return "" if mark[0] == "`" and "`" in bare[len(mark) :] else mark


def _parse_heading(line: str) -> tuple[int, str]:
    """Return level and title of a heading with number signs; (0, "") for any other line."""
    bare = line.lstrip(" ")
    if bare[:1] != "#" or len(line) - len(bare) > 3:
        return 0, ""
    rest = bare.lstrip("#")
    level = len(bare) - len(rest)
    if level > 6 or (rest and rest[0] not in " \t"):
        return 0, ""
    title = rest.strip()
    shorter = title.rstrip("#")
    if shorter != title and (not shorter or shorter[-1] in " \t"):
        title = shorter.rstrip()
    return level, title


def normalize_title(title: str) -> str:
    """Return the title of a heading as it is compared with others: without case, accents, emphasis
    and invisible characters.
    """
    short = len(title) <= _MAX_NAME
    return (_normalize_short_title if short else _normalize_short_title.__wrapped__)(title)


@lru_cache(maxsize=4096)
def _normalize_short_title(title: str) -> str:
    folded = fold_case(title.translate(_DASHES))
    folded = "".join(c for c in folded if c.isspace() or not block_markup.is_blank(c))
    return " ".join(folded.strip(_TITLE_MARKS + "#").split())


_RESERVED = tuple(f"{normalize_title(name).replace('-', ' ')} " for name in SECTIONS)
# The program's own, whose names are those of ordinary subjects, too: reserved where they
# stand alone.
_RESERVED_ALONE = ("notice", "synapse", "revoked")
_BEGINNINGS = (*_RESERVED, *_RESERVED_ALONE, "memory ")


def _begins_with_reserved_name(text: str, *, with_memories: bool) -> bool:
    """Return whether a title begins with such a name, or may do so behind where it is cut off."""
    is_cut = len(text) > _MAX_MARKUP
    bare = _UNREAD.sub("", text[:_MAX_MARKUP])
    bare = html.unescape(_UNREAD_END.sub("", bare) if is_cut else bare).translate(_MARKUP)
    titles = _spellings(bare)
    # A name that is reserved alone may end with its line.
    first_line = next(filter(any, map(_spellings, bare.split("\n"))), titles)
    if is_cut and any(name.startswith(title) for name in _BEGINNINGS for title in titles):
        return True
    if any(title in _RESERVED_ALONE for title in (*titles, *first_line)):
        return True
    if any(f"{title} ".startswith(_RESERVED) for title in titles):
        return True
    word, _, number = titles[0].partition(" ")
    return with_memories and word == "memory" and number[:1].isdecimal()


def _spellings(bare: str) -> list[str]:
    """Return the letters of a title as it is compared with names, with a number and without."""
    bare = bare[:_MAX_NAME]
    if not bare.isascii():
        bare = "".join(" " if c.isnumeric() and not c.isdecimal() else c for c in bare)
    bare = normalize_title(bare)
    titles = [_NO_LETTERS.sub(" ", bare).strip()]
    if numbering := _NUMBERING.match(bare):
        titles.append(_NO_LETTERS.sub(" ", bare[numbering.end() :]).strip())
    return titles


def _forged_spans(line: MarkdownLine, *, with_memories: bool) -> list[Span]:
    """Return the runs of number signs in a line, in code points of it, that stand before such a
    name.
    """
    spans: list[Span] = []
    end = 0
    while (start := line.text.find("#", end)) >= 0:
        end = start
        if line.text[start - 1 : start] == "\\":
            start += 1  # escaped already, but not what follows it
        while line.text[end : end + 1] == "#":
            end += 1
        if start < end and _begins_with_reserved_name(
            line.text[end : end + _MAX_MARKUP + 1], with_memories=with_memories
        ):
            spans.append(Span(start, end))
    return spans


def _tag_starts(text: str, following: str, *, is_part: bool = False) -> Iterator[int]:
    """Yield where a client's tag begins in a line, or one of a block or of such a heading, that is
    not escaped; following: what comes behind the line. In a part, what the next part may end counts
    as well.
    """
    whole = f"{text}\n{following}"
    at = text.find("<")
    while at >= 0:
        first = at
        while text[first - 1 : first] == "\\":
            first -= 1
        if (at - first) % 2 == 0:
            is_forged = _HTML_HEADING.match(whole, at) and (
                is_part
                or _begins_with_reserved_name(
                    _END_OF_HEADING.sub(r"\n\g<0>", whole[at : at + _MAX_MARKUP + 1]),
                    with_memories=True,
                )
            )
            is_open = is_part and whole.find("<", at + 1) < 0
            if (
                is_forged
                or block_markup.tag_name_end(whole, at + 1) >= 0
                or (is_open and block_markup.may_begin_tag(whole[at + 1 :]))
            ):
                yield at
        at = text.find("<", at + 1)


class _HeadingLine(NamedTuple):
    """A line with what makes it a heading. is_title: whether it is the title of the file: the first
    heading, of level 1. mark_end: where its text begins, behind the marks of quotations and lists.
    above: what it makes a heading of if it is a row of ``=`` or ``-``: the paragraph above it, and
    that one's last line.
    """

    line: MarkdownLine
    is_title: bool
    mark_end: int
    above: tuple[str, str] = ("", "")

    def underlines_reserved_name(self, *, with_memories: bool) -> bool:
        return any(
            _begins_with_reserved_name(text, with_memories=with_memories)
            for text in filter(None, self.above)
        )


def _heading_lines(
    text: str, title: str, *, with_memories: bool, is_part: bool = False
) -> Iterator[_HeadingLine]:
    is_first = True
    nothing = ("", "")
    above = (SECTIONS[0], "") if is_part else nothing  # a part may continue any paragraph
    for line in parse_lines(text):
        is_heading = line.level > 0 and not line.fenced
        is_title = is_heading and is_first and line.level == 1
        is_title = is_title and normalize_title(line.title) == normalize_title(title)
        is_first = is_first and not is_heading
        mark = _BEGINNING.match(line.text)
        mark_end = mark.end() if mark else 0
        bare = line.text[mark_end:].rstrip(" \t")
        if bare[:1] in ("=", "-") and not bare.strip(bare[0]):
            underline = _HeadingLine(line, is_title, mark_end, above)
            yield underline
            # An escaped row does not end the paragraph.
            if not underline.underlines_reserved_name(with_memories=with_memories):
                above = nothing
            continue
        yield _HeadingLine(line, is_title, mark_end)
        begins = bool(line.text[:mark_end].strip(" \t>"))
        if is_title or not bare or bare.startswith(("#", "```", "~~~")):
            above = nothing
        else:
            start = "" if begins else above[0][:_MAX_MARKUP]
            bare = bare[: _MAX_MARKUP + 1]
            above = (f"{start} {bare}", bare)


def find_forgeries(text: str, *, title: str = "", memories: bool = False) -> Iterator[Span]:
    """Yield the places in ``text`` that would pass for a reserved heading, one of the assembled
    text, or for a client's tag.

    title: what the file may be called in its first heading, if that is of level 1. memories:
    ``### Memory 1`` is such a heading, too. Fenced blocks are no exception: where one of a list
    ends, not all readers agree.
    """
    above = Span(0, 0)
    for heading in _heading_lines(text, title, with_memories=memories):
        line = heading.line
        if heading.underlines_reserved_name(with_memories=memories):
            yield above
        elif not heading.is_title and _forged_spans(line, with_memories=memories):
            yield line.span
        else:
            following = text[line.span.end : line.span.end + _MAX_MARKUP]
            for start in islice(_tag_starts(line.text, following), 1):
                end = line.text.find(">", start) + 1 or len(line.text)
                yield Span(start, end).shift(line.span.start)
        above = line.span


def neutralize_headings(
    text: str, *, title: str = "", memories: bool = False, is_part: bool = False
) -> str:
    """Return ``text`` as it may stand in a section: none of its lines is a heading of the assembled
    text.

    ``title`` and ``memories`` are as in `find_forgeries`. A part is joined with others, whichever
    they are, and forges nothing together with them. Lines end in a line feed, and a fence
    that nothing closes is closed, for it would take in what follows. Separators that other programs
    take for line breaks become spaces, and invisible or unpaired characters visible.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not (text.isascii() and text.isprintable()):
        text = "\n".join(
            "\t".join(map(visible_text, line.split("\t"))) for line in text.split("\n")
        )
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    shown_texts: list[str] = []
    fence = ""
    for heading in _heading_lines(text, title, with_memories=memories, is_part=is_part):
        line = heading.line
        fence, shown_text, start = line.fence, line.text, heading.mark_end
        if heading.underlines_reserved_name(with_memories=memories):
            shown_text = f"{shown_text[:start]}\\{shown_text[start:]}"
        elif not heading.is_title:
            for start, end in reversed(_forged_spans(line, with_memories=memories)):
                shown_text = shown_text[:start] + "\\#" * (end - start) + shown_text[end:]
        following = text[line.span.end : line.span.end + _MAX_MARKUP]
        for start in reversed([*_tag_starts(shown_text, following, is_part=is_part)]):
            shown_text = f"{shown_text[:start]}\\{shown_text[start:]}"
        shown_texts.append(shown_text)
    return "\n".join((*shown_texts, fence)) if fence else "\n".join(shown_texts)


def split_paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yield the paragraphs of a Markdown memory under its headings, each with its line and with the
    empty lines above it.

    A fenced block is never divided. Joined by line feeds they are the text, whose lines end in
    those.
    """
    texts: list[str] = []
    first = -1
    for line in parse_lines(text):
        empty = not line.fenced and not line.text.strip()
        if empty and first >= 0:
            yield first, "\n".join(texts)
            texts, first = [], -1
        texts.append(line.text)
        if not empty and first < 0:
            first = line.number
    if first >= 0:
        yield first, "\n".join(texts)


def demote_headings(text: str, levels: int) -> str:
    """Return ``text`` with its headings ``levels`` further down, as deep as Markdown goes."""
    if levels <= 0 or ("#" not in text and "=" not in text and "-" not in text):
        return text
    told: list[str] = []
    for line in parse_lines(text):
        if line.fenced or not (line.level or line.underline):
            told.append(line.text)
        elif line.level and line.text.lstrip(" ").startswith("#"):
            told.append("#" * min(levels, 6 - line.level) + line.text.lstrip(" "))
        elif line.level:
            told.append(f"{'#' * min(line.level + levels, 6)} {line.title}")
    return "\n".join(told)


def escape_structure(text: str) -> str:
    """Return ``text`` without headings, rules, labels in bold and open fences: it stays inside what
    holds it.
    """
    told: list[str] = []
    fence = ""
    for line in parse_lines(text.replace("\r\n", "\n").replace("\r", "\n")):
        fence, bare = line.fence, line.text.lstrip(" \t")
        begins = line.level and bare[:1] == "#"
        rules = bare[:1] in ("-", "=") and not bare.strip("-= \t")
        labels = bare.lstrip("-*+ \t") != bare and bare.lstrip("-+ \t").startswith("**")
        escaped = not line.fenced and (begins or rules or labels)
        told.append(f"\\{bare}" if escaped else line.text)
    return "\n".join((*told, fence)) if fence else "\n".join(told)


def find_open_fence(text: str) -> str:
    """Return the mark that closes the fenced block in which a memory ends before the next reserved
    heading, "" where it ends in none.
    """
    lines = parse_lines(text)
    return lines[-1].fence if lines else ""


def forged_heading_problems(places: Iterable[Span], text: str) -> Iterator[Finding]:
    """Return a problem for each heading reserved for the assembled text, and for each tag of
    clients, that a file's own text would forge.
    """
    for place in places:
        shown = " ".join(place.cut(text).split())[:60]
        tag = shown.startswith("<") and not _HTML_HEADING.match(shown)
        what = "tag in which clients speak to the model" if tag else "heading of the assembled text"
        how = "with its number signs escaped" if "#" in shown else "escaped"
        yield Finding(
            place,
            f"`{shown}` is a {what}, so it is injected {how}.",
            "Write it without its angle brackets." if tag else "Give it another name.",
            kind="forged-heading",
        )
