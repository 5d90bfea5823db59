"""Parse the outline of Markdown: sections, fences, lists and tables of tasks and stories.

Headings and fences follow CommonMark 0.31, but HTML comments hide nothing: published task files
have their definition inside one. For comparing two texts by sections, blank lines do not count, and
"Checkboxes" as a section allows changed marks anywhere.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.formats.name_normalization import fold_case, to_slug
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.text.finding import Text
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span

_HEADING = lazy_pattern(r" {0,3}(#{1,6})(?=[ \t]|$)")
_BOLD_LINE = lazy_pattern(r" {0,3}(?:[^\w\s*`|>#\\-]+ ?)?\*\*([^*]{1,120})\*\*:?[ \t]*$")
_FENCE = lazy_pattern(r"[ \t>]*(`{3,}|~{3,})[ \t]*([^\s`]*)")
_YAML_LINE = lazy_pattern(r"[\w\"'-][^:]{0,80}:(?=[ \t]|$)|- ")
_NUMBERING = lazy_pattern(r"^(?:[0-9]+ )+(?=[a-z])")
_ASIDE = lazy_pattern(r"\([^()]*\)|\[[^\[\]]*\]|(?::| [-–—]).*", re.DOTALL)

# The level of a section whose heading is a bold line, as in ``**New files:**``.
LABEL_LEVEL = 7


class Line(NamedTuple):
    """A line of a Markdown file's outline; ``fence`` is the language of the fenced block that holds
    it, ``None`` outside one.
    """

    span: Span
    text: str
    fence: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """The part of a Markdown outline from a heading up to the next heading of any level.

    What comes before the first heading is a section of level 0 without title; a line that is
    nothing but bold text counts as a heading below all others (`LABEL_LEVEL`). ``slug`` holds the
    title's words without emoji, numbering, brackets, and what follows a dash or a colon. ``parent``
    is the index of the section that this one is nested in, -1 for none.
    """

    index: int
    parent: int
    level: int
    title: Text
    slug: str
    lines: tuple[Line, ...]


class Fence(NamedTuple):
    """A fenced block in a Markdown outline: its language in lower case, and the place between its
    two marker lines.
    """

    language: str
    body: Span


class Outline(NamedTuple):
    """A Markdown text taken apart; ``front`` is the place of its YAML front matter, if it
    has any.
    """

    text: str
    front: Span | None
    sections: tuple[Section, ...]
    fences: tuple[Fence, ...]

    @property
    def title(self) -> Text | None:
        """The first heading of level 1, or None."""
        return next((section.title for section in self.sections if section.level == 1), None)

    def with_subsections(self, section: Section) -> tuple[Section, ...]:
        """Return the section and those nested below its heading, in text order."""
        end = section.index + 1
        while end < len(self.sections) and self.sections[end].level > section.level:
            end += 1
        return self.sections[section.index : end]

    def parents(self, section: Section) -> Iterator[Section]:
        """Yield the sections that this one is nested in, innermost first."""
        while section.parent >= 0:
            section = self.sections[section.parent]
            yield section


def title_slug(title: str) -> str:
    """Return the words of a title as `Section.slug` has them: ``"✅ 3. Acceptance Criteria (AC) -
    v2"`` -> ``"acceptance criteria"``; never only a number.
    """
    return _NUMBERING.sub("", to_slug(_ASIDE.sub(" ", title)) or to_slug(title))


def parse_clean_outline(text: str) -> Outline:
    """Parse a Markdown text into its outline, with blanks for suppression comments; see
    `parse_outline`.
    """
    return parse_outline(blank_directives(text, CommentStyle.MARKUP))


def parse_outline(text: str) -> Outline:
    """Parse a Markdown text into its outline, in which ``---`` below a line is a ruler. Never
    raises; time linear in the text.
    """
    lines = [Line(Span(start, end), text[start:end]) for start, end in iter_lines(text)]
    front, first = find_front_matter(lines)
    sections: list[Section] = []
    fences: list[Fence] = []
    nested: list[int] = []
    level, title, held_lines = 0, Text("", Span(0, 0)), list[Line]()
    fence, language, body = "", "", 0

    def close_section() -> None:
        while nested and sections[nested[-1]].level >= level:
            nested.pop()
        index, parent = len(sections), nested[-1] if nested else -1
        sections.append(
            Section(index, parent, level, title, title_slug(title.value), tuple(held_lines))
        )
        if level:
            nested.append(index)

    for line in lines[first:]:
        if fence:
            fence_text = line.text.strip(" \t>")
            if len(fence_text) >= len(fence) and not fence_text.strip(fence[0]):
                fences.append(Fence(language, Span(body, max(body, line.span.start))))
                fence = ""
            else:
                held_lines.append(Line(line.span, line.text, language))
        elif (opened := _FENCE.match(line.text)) and (
            opened[1][0] == "~" or "`" not in line.text[opened.end() :]
        ):
            fence, language = opened.group(1), opened.group(2).lower()
            body = min(line.span.end + 1, len(text))
        elif heading := _HEADING.match(line.text):
            close_section()
            level, held_lines = len(heading.group(1)), []
            title = _heading_title(line, heading.end())
        elif label := _BOLD_LINE.match(line.text):
            close_section()
            level, held_lines = LABEL_LEVEL, []
            title = Text(label.group(1), Span(*label.span(1)).shift(line.span.start))
        else:
            held_lines.append(line)
    if fence:
        fences.append(Fence(language, Span(body, len(text))))
    close_section()
    return Outline(text, front, tuple(sections), tuple(fences))


_FIRST_FENCE = lazy_pattern(r"^[ \t>]*(`{3,}(?=[^`\n]*$)|~{3,})[ \t]*([^\s`]*).*\n", re.MULTILINE)


def first_fence(text: str) -> Fence | None:
    """Return the first fenced block of a Markdown text without taking the whole of it apart; None
    where there is none, or it takes more than a look to know: front matter, carriage returns.
    """
    opened = (
        None if "\r" in text or text.startswith(("---", "\ufeff")) else _FIRST_FENCE.search(text)
    )
    if opened is None:
        return None
    closing = rf"^[ \t>]*{opened[1]}{opened[1][0]}*[ \t>]*$"
    closed = re.compile(closing, re.MULTILINE).search(text, opened.end())
    return Fence(opened[2].lower(), Span(opened.end(), closed.start())) if closed else None


def find_front_matter(lines: list[Line]) -> tuple[Span | None, int]:
    """Return the place of the front matter, and the number of the line after it."""
    if lines[0].text.lstrip("\ufeff").rstrip() != "---":
        return None, 0
    seen_field = False
    for number, line in enumerate(lines[1:], 1):
        text = line.text.rstrip()
        if text in ("---", "..."):
            return Span(lines[1].span.start, line.span.start), number + 1
        if text and not text[0].isspace() and not text.startswith("#"):
            # A rule (`---`) that opens the file is followed by prose, not by fields.
            if not _YAML_LINE.match(text) and not seen_field:
                return None, 0
            seen_field = True
    return None, 0


def _heading_title(line: Line, start: int) -> Text:
    title = line.text[start:].strip()
    shorter = title.rstrip("#")
    if shorter != title and (not shorter or shorter[-1] in " \t"):
        title = shorter.rstrip()
    begin = line.span.start + line.text.index(title, start)
    return Text(title, Span(begin, begin + len(title)))


_ITEM = lazy_pattern(
    r"([ \t]*)([-*+]|[0-9]{1,9}[.)])(?=[ \t]|$)[ \t]*(?:\\?\[([ xX~✓✔✅☑-]?)\\?\](?=[ \t]|$))?"
)
_PLACEHOLDER = lazy_pattern(
    r"(?:\{+[^{}]*\}+|<[^<>]*>|\[[^\[\]]*\]|[\s.…_-])*|tbd|todo|n/a|none|nenhum", re.IGNORECASE
)
_LABEL = lazy_pattern(r"(?:AC|Criterion|Criteria)?[ -]?[0-9.]*\**[:.)]?\**[ \t]*", re.IGNORECASE)
_CHECKED = frozenset("xX✓✔✅☑")
_TABLE_OR_QUOTE = ("|", ">")
# A line of tags alone, as they enclose parts of a prompt.
TAGS = lazy_pattern(r"(?:</?[A-Za-z][\w-]*>\s*)+")


class CheckItem(NamedTuple):
    """One condition or criterion in a Markdown list."""

    text: str
    checked: bool
    span: Span


class ListItem(NamedTuple):
    """An item of a Markdown list with the lines that continue it; ``checked`` is ``None`` without a
    check box.

    ``indent`` counts columns (a tab goes to the next multiple of four); ``body`` is the place of
    ``text``, without marker and check box.
    """

    indent: int
    numbered: bool
    checked: bool | None
    text: str
    span: Span
    body: Span

    def to_check_item(self) -> CheckItem:
        """Return the item as a condition."""
        return CheckItem(self.text, bool(self.checked), self.span)


def parse_list_item(line: Line) -> ListItem | None:
    """Return the item of a Markdown list that begins on a line, without the lines that may continue
    it; None for any other line.
    """
    if not (match := _ITEM.match(line.text)):
        return None
    indent, marker, box = match.groups()
    rest = line.text[match.end() :]
    start = line.span.start + match.end() + len(rest) - len(rest.lstrip())
    text = rest.strip()
    body = Span(start, start + len(text)) if text else Span(line.span.end, line.span.end)
    return ListItem(
        len(indent.expandtabs(4)),
        marker[0].isdigit(),
        None if box is None else box in _CHECKED,
        text,
        Span(line.span.start + len(indent), body.end),
        body,
    )


def parse_blocks(lines: Iterable[Line]) -> Iterator[ListItem | Line]:
    """Yield the items of Markdown lists with the lines that continue them; any other line that is
    not blank as it is.

    Fenced lines belong to no item.
    """
    item: ListItem | None = None
    more: list[Line] = []
    for line in lines:
        text = line.text.strip()
        begun = parse_list_item(line) if line.fence is None else None
        plain = bool(text) and line.fence is None and not begun
        if (
            item
            and plain
            and not (text.startswith(_TABLE_OR_QUOTE) or parse_field(text) or TAGS.fullmatch(text))
        ):
            more.append(line)
            continue
        if item:
            yield _join_lines(item, more)
        item, more = begun, []
        if text and not begun:
            yield line
    if item:
        yield _join_lines(item, more)


def _join_lines(item: ListItem, more: list[Line]) -> ListItem:
    if not more:
        return item
    text = " ".join([item.text, *(line.text.strip() for line in more)]).strip()
    end = more[-1].span.start + len(more[-1].text.rstrip())
    span, body = Span(item.span.start, end), Span(item.body.start, end)
    return ListItem(item.indent, item.numbered, item.checked, text, span, body)


def table_cells(line: Line) -> tuple[Text, ...]:
    """Return the cells of a row of a Markdown table; empty for any other line and for the row of
    dashes.
    """
    text = line.text.strip()
    if line.fence is not None or len(text) < 2 or text[0] != "|" or not text.strip("|-: \t"):
        return ()
    cells: list[Text] = []
    start = line.span.start + line.text.index("|") + 1
    for cell in text[1:].removesuffix("|").split("|"):
        begin = start + len(cell) - len(cell.lstrip())
        value = cell.strip()
        cells.append(Text(value, Span(begin, begin + len(value))))
        start += len(cell) + 1
    return tuple(cells)


def is_placeholder(text: str) -> bool:
    """Return whether a list item of a task or story is an unfilled gap of its template:
    ``{criterion}``, ``[Criterion 1]``, ``TBD`` …
    """
    bare = text.strip().strip("*`").strip()
    label = _LABEL.match(bare)
    return bool(_PLACEHOLDER.fullmatch(bare, label.end() if label else 0))


CHECKBOXES = frozenset({"checkboxes", "checkbox", "check boxes"})
_CHECKBOX = lazy_pattern(r"^([^\S\n]*(?:[-*+]|\d+[.)])\s+)\[[ xX]\]", re.MULTILINE)


def changes_outside(before: str, after: str, sections: Sequence[str]) -> bool:
    """Return whether anything changed in other sections of a Markdown file than those with these
    titles, or those nested in them.
    """
    slugs = frozenset(map(title_slug, sections))
    if slugs & CHECKBOXES:
        before, after = (_CHECKBOX.sub(r"\1[ ]", text) for text in (before, after))
    return list(_lines_outside(before, slugs)) != list(_lines_outside(after, slugs))


def _lines_outside(text: str, slugs: frozenset[str]) -> Iterator[str]:
    """Yield the lines that stand in none of the sections, but for blank ones."""
    text = text.replace("\r\n", "\n")
    outline = parse_outline(text)
    at = 0
    inside = False
    for section in outline.sections:
        start = text.rfind("\n", 0, section.title.span.start) + 1 if section.level else 0
        if not inside:
            yield from _filled_lines(text[at:start])
        at = start
        inside = section.slug in slugs or any(p.slug in slugs for p in outline.parents(section))
    if not inside:
        yield from _filled_lines(text[at:])


def _filled_lines(text: str) -> Iterator[str]:
    return (line.rstrip() for line in text.split("\n") if line.strip())


_FIELD = lazy_pattern(r"\*{0,2}([^\W\d][^:*#`\"'\[\]{}|]{0,60})\*{0,2}:\*{0,2}(?=[ \t]|$)")
_BLOCK_SCALAR = lazy_pattern(r"[|>][0-9+-]{0,2}")


def parse_field(line: str, start: int = 0) -> tuple[str, Text] | None:
    """Return the key and the value of a ``key: value`` or ``**Key:** value`` line, None for any
    other. The key is in folded snake case: ``"Pré-Condições"`` -> ``"pre_condicoes"``.

    ``start`` is the offset of the line. Quotes around the value and a comment after it are cut
    off.
    """
    if (match := _FIELD.match(line)) is None:
        return None
    key = fold_case(match[1].strip()).replace("-", "_").replace(" ", "_")
    return key, plain_value(line, match.end(), start)


def plain_value(line: str, begin: int, start: int = 0) -> Text:
    """Return the value of a field that stands behind its colon, from column ``begin`` on, without
    quotes and comment.
    """
    value = line[begin:]
    place = start + begin + len(value) - len(value.lstrip())
    value = value.strip()
    if value[:1] in ("'", '"') and (end := value.find(value[0], 1)) > 0:
        return Text(value[1:end], Span(place + 1, place + end))
    value = "" if value.startswith("#") else value.partition(" #")[0].rstrip()
    return Text(value, Span(place, place + len(value)))


def parse_fields(text: str, region: Span) -> dict[str, Text]:
    """Return the top-level ``key: value`` fields of a region; of repeated keys the first counts.

    The indented lines of a block scalar (``|``, ``>``) are joined by spaces.
    """
    fields: dict[str, Text] = {}
    block: list[str] = []
    block_key = ""

    def close_block(end: int) -> None:
        if block_key and block:
            fields[block_key] = Text(" ".join(block), Span(fields[block_key].span.start, end))

    end = region.start
    for first, last in iter_lines(region.cut(text)):
        start, before, end = region.start + first, end, region.start + last
        line = text[start:end]
        if line[:1] in (" ", "\t", ""):
            block += [line.strip()] if line.strip() else []
            continue
        close_block(before)
        block, block_key = [], ""
        if (pair := parse_field(line, start)) and pair[0] not in fields:
            key, value = pair
            if _BLOCK_SCALAR.fullmatch(value.value):
                block_key, value = key, Text("", Span(value.span.end, value.span.end))
            fields[key] = value
    close_block(end)
    return fields
