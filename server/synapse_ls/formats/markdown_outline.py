"""This module parses the outline of a Markdown file: front matter, sections and fenced blocks.

Only what task, story and agent files are made of (headings and fences as CommonMark 0.31 has them).
HTML comments hide nothing: published task files keep their definition inside one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from synapse_ls.formats.name_normalization import to_slug
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span

_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t]|$)")
_BOLD_LINE = re.compile(r" {0,3}(?:[^\w\s*`|>#\\-]+ ?)?\*\*([^*]{1,120})\*\*:?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(?:=+|-{2,})[ \t]*")
_NO_TITLE = re.compile(r"[-*+>|<#=]|[0-9]{1,9}[.)]|\*\*")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})[ \t]*([^\s`]*)")
_YAML_LINE = re.compile(r"[\w\"'-][^:]{0,80}:(?=[ \t]|$)|- ")
_NUMBERING = re.compile(r"^(?:[0-9]+ )+(?=[a-z])")
_ASIDE = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|(?::| [-–—]).*", re.DOTALL)

LABEL_LEVEL = 7
"""The level of a section whose heading is a bold line, as in ``**New files:**``."""


@dataclass(frozen=True, slots=True)
class Line:
    """A Line is a line of a Markdown file's outline; ``fence`` is the language of the fenced block
    that holds it, ``None`` outside one.
    """

    span: Span
    text: str
    fence: str | None = None


@dataclass(frozen=True, slots=True)
class Section:
    """A Section is the part of a Markdown outline from a heading up to the next heading of any
    level.

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


@dataclass(frozen=True, slots=True)
class Fence:
    """A Fence is a fenced block in a Markdown outline: its language in lower case, and the place
    between its two marker lines.
    """

    language: str
    body: Span


@dataclass(frozen=True, slots=True)
class Outline:
    """An Outline is a Markdown text taken apart; ``front`` is the place of its YAML front matter,
    if it has any.
    """

    text: str
    front: Span | None
    sections: tuple[Section, ...]
    fences: tuple[Fence, ...]

    @property
    def title(self) -> Text | None:
        """Returns the first heading of level 1, or None."""
        return next((section.title for section in self.sections if section.level == 1), None)

    def with_subsections(self, section: Section) -> tuple[Section, ...]:
        """Returns the section and those nested below its heading, in text order."""
        end = section.index + 1
        while end < len(self.sections) and self.sections[end].level > section.level:
            end += 1
        return self.sections[section.index : end]

    def parents(self, section: Section) -> Iterator[Section]:
        """Yields the sections that this one is nested in, innermost first."""
        while section.parent >= 0:
            section = self.sections[section.parent]
            yield section


def title_slug(title: str) -> str:
    """Returns the words of a title as `Section.slug` has them: ``"✅ 3. Acceptance Criteria (AC) -
    v2"`` -> ``"acceptance criteria"``; never only a number.
    """
    words = to_slug(_ASIDE.sub(" ", title)) or to_slug(title)
    return _NUMBERING.sub("", words)


def parse_outline(text: str, *, underlined: bool = False) -> Outline:
    """Parses a Markdown text into its outline. Never raises; time linear in the text.

    underlined: whether a line below which there is one of ``=`` or ``-`` is a heading (CommonMark
    4.3). In task files and the like, ``---`` there is a ruler.
    """
    lines = [Line(Span(start, end), text[start:end]) for start, end in iter_lines(text)]
    front, first = _find_front_matter(lines)
    sections: list[Section] = []
    fences: list[Fence] = []
    nested: list[int] = []
    level, title, held = 0, Text("", Span(0, 0)), list[Line]()
    fence, language, body = "", "", 0

    def close_section() -> None:
        while nested and sections[nested[-1]].level >= level:
            nested.pop()
        index, parent = len(sections), nested[-1] if nested else -1
        sections.append(Section(index, parent, level, title, title_slug(title.value), tuple(held)))
        if level:
            nested.append(index)

    for line in lines[first:]:
        if fence:
            if _closes_fence(fence, line.text):
                fences.append(Fence(language, Span(body, max(body, line.span.start))))
                fence = ""
            else:
                held.append(Line(line.span, line.text, language))
        elif (opened := _FENCE.match(line.text)) and _is_fence_opening(opened, line.text):
            fence, language = opened.group(1), opened.group(2).lower()
            body = min(line.span.end + 1, len(text))
        elif heading := _HEADING.match(line.text):
            close_section()
            level, held = len(heading.group(1)), []
            title = _heading_title(line, heading.end())
        elif underlined and is_underline(held, line):
            title_line = held.pop()
            close_section()
            level, held = 1 if "=" in line.text else 2, []
            title = _heading_title(title_line, 0)
        elif label := _BOLD_LINE.match(line.text):
            close_section()
            level, held = LABEL_LEVEL, []
            title = Text(label.group(1), Span(*label.span(1)).shift(line.span.start))
        else:
            held.append(line)
    if fence:
        fences.append(Fence(language, Span(body, len(text))))
    close_section()
    return Outline(text, front, tuple(sections), tuple(fences))


def is_underline(above: Sequence[Line], line: Line) -> bool:
    """Tells whether a line makes a heading of the one ``above`` it, a paragraph of one line that
    does not end as a sentence.
    """
    if not (above and _UNDERLINE.fullmatch(line.text)) or above[-1].fence is not None:
        return False
    title = above[-1].text.strip()
    begins = len(above) == 1 or not above[-2].text.strip()
    near = line.span.start - above[-1].span.end <= len("\r\n")
    return near and begins and bool(title) and not _NO_TITLE.match(title) and title[-1] not in ".!;"


def _find_front_matter(lines: list[Line]) -> tuple[Span | None, int]:
    """Returns the place of the front matter, and the number of the line after it."""
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


def _is_fence_opening(opened: re.Match[str], text: str) -> bool:
    return opened.group(1)[0] == "~" or "`" not in text[opened.end() :]


def _closes_fence(fence: str, text: str) -> bool:
    text = text.strip(" \t>")
    return len(text) >= len(fence) and not text.strip(fence[0])


def _heading_title(line: Line, start: int) -> Text:
    title = line.text[start:].strip()
    shorter = title.rstrip("#")
    if shorter != title and (not shorter or shorter[-1] in " \t"):
        title = shorter.rstrip()
    begin = line.span.start + line.text.index(title, start)
    return Text(title, Span(begin, begin + len(title)))
