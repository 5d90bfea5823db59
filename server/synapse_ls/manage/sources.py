"""What a Markdown file for agents says, taken apart into rules. Pure.

Reads ``CLAUDE.md``, ``AGENTS.md``, Cursor's ``.mdc`` and files like them. What is no rule is listed
with its line, so that nothing is lost unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import NamedTuple

from synapse_ls.formats import rules
from synapse_ls.formats.lists import Item, blocks
from synapse_ls.formats.markdown import Line, Outline, outline
from synapse_ls.formats.markdown import Section as MarkdownSection
from synapse_ls.formats.names import slug
from synapse_ls.text.lines import LineIndex
from synapse_ls.text.span import Span

LONGEST_RULE = 400
"""Code points; a longer text explains rather than rules, and would cost 100 tokens a prompt."""

LONGEST_LEAD = 80
"""Code points of an introduction that is repeated with each rule below it; a longer one is a rule."""

_EXCERPT = 60

# What is not looked at, by its first and its last mark.
_HIDDEN = (
    ("written by Synapse", re.compile(r"<!--\s*synapse:begin\b"), re.compile(r"synapse:end\s*-->")),
    ("HTML comment", re.compile(r"<!--"), re.compile(r"-->")),
)
_NOT_BREAK = re.compile(r"[^\r\n]")
_BOLD = re.compile(r"(?:^|(?<=[\s(]))(\*\*|__)(?=\S)([^*_]+)(?<=\S)\1")
_CODE = re.compile(r"`[^`]*`")
_IMPORT = re.compile(r"(?<![\w@./])@((?:~|\.{1,2})?/?[\w-][\w./-]*\.\w{1,5}|~/[\w./-]+)(?!\w)")
_LINKS = re.compile(r"(?:!?\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*\]\([^)]*\)[\s·|,]*)+")
_RULER = re.compile(r"(?:[-*_=]\s*){2,}")
_TURNING = re.compile(r"\b(?:not|never|avoid|no|without|except)\b|n['’]t\b", re.IGNORECASE)
# A heading of these words alone decides what the rules below it mean.
_POLARITY_WORDS = """
allowed always and anti antipatterns any ask avoid bad be before dangerous do don dont donts dos first
forbidden good in mandatory mistakes must never no not ok optional or patterns please prefer preferred
prohibited required right s should t the these things this to use what wrong you
"""
_POLARITY = frozenset(_POLARITY_WORDS.split())
_QUOTE = re.compile(r"^(?:>\s?)+")
_ABOUT_ITSELF = re.compile(
    r"(?:this|the following) (?:file|document|guide|page)\b[^.]*?"
    r"\b(?:provides?|contains?|describes?|gives?|is|defines?|documents?|explains?|outlines?)\b"
    r"(?![^.]*\b(?:must|never|always|not)\b)",
    re.IGNORECASE,
)
_TO_DO = re.compile(r"(?:TODO|FIXME|TBD|XXX)\b")


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A part that did not become a rule: where it begins (line from 1), and why not."""

    path: str
    line: int
    why: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class Import:
    """A mention of another file (``@docs/style.md``), whose content is not taken over."""

    path: str
    line: int
    target: str


class Found(NamedTuple):
    """The text of a rule, and the line (from 1) on which it begins."""

    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading (level 0 and no title: the beginning of the file) with the rules directly under it."""

    level: int
    title: str
    rules: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A file taken apart; ``front`` holds its front matter, keys in lower case, values as lists."""

    path: str
    front: Mapping[str, tuple[str, ...]]
    headings: tuple[Heading, ...]
    left_out: tuple[LeftOut, ...]
    imports: tuple[Import, ...]


def read_source(path: str, text: str) -> Source:
    """Take a file apart. Never raises."""
    reader = _Reader(path, LineIndex(text))
    visible = reader.without_comments(text)
    parts = outline(visible)
    headings = tuple(
        Heading(section.level, _title(section), tuple(reader.rules(parts, section)))
        for section in parts.sections
    )
    reader.fences(parts)
    return Source(
        path,
        dict(_front_matter(parts)),
        headings,
        tuple(sorted(reader.left_out, key=lambda part: part.line)),
        tuple(reader.imports),
    )


@dataclass
class _Above:
    """What the items nested in it cannot be understood without.

    A text that ends in a colon begins each of the rules below it (``rule`` is -1); an item that is
    a rule, the one at ``rule``, takes what is nested in it along.
    """

    text: str
    indent: int
    span: Span
    rule: int = -1
    used: bool = False


@dataclass
class _Reader:
    path: str
    lines: LineIndex
    left_out: list[LeftOut] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)

    def without_comments(self, text: str) -> str:
        """The text with HTML comments and Synapse's own blocks blanked out, offsets unchanged."""
        for why, first, last in _HIDDEN:
            shown: list[str] = []
            done = 0
            for span in _enclosed(text, first, last):
                self.leave(why, span, span.cut(text))
                shown += text[done : span.start], _NOT_BREAK.sub(" ", span.cut(text))
                done = span.end
            text = "".join((*shown, text[done:]))
        return text

    def rules(self, parts: Outline, section: MarkdownSection) -> list[Found]:
        """The rules directly under a heading."""
        found: list[Found] = []
        above: list[_Above] = []
        for parent in (section, *parts.parents(section)):
            if _POLARITY.issuperset(slug(_title(parent)).split() or [""]):
                # Under "Avoid", "global state" alone would say the opposite.
                above.append(_Above(_title(parent), -2, parent.title.span, used=True))
                break
        listed = list(_paragraphs(section.lines, self.lines))
        for block, follower in zip_longest(listed, listed[1:]):
            indent = _indent(block)
            while above and above[-1].indent >= indent:
                self.close(above.pop())
            text = _plain(block.text)
            holder = above[-1] if above else None
            whole = _under(holder, text)
            label = _BOLD.fullmatch(block.text.strip()) and _indent(follower) > max(indent, 0)
            if label or (
                text.endswith(":") and (len(text) <= LONGEST_LEAD or _TURNING.search(text))
            ):
                above.append(_Above(whole.removesuffix(":"), indent, block.span))
                continue
            place = holder.rule if holder else -1
            joined = f"{_open(found[place].text)}; {text}" if place >= 0 else ""
            joins = bool(joined) and len(joined) <= LONGEST_RULE
            if not joins and place >= 0 and len(whole) > LONGEST_RULE:
                whole = text
            if not self.accept(joined if joins else whole, text, block.span):
                continue
            for lead in above:
                lead.used = True
            if joins:
                found[place] = Found(joined, found[place].line)
            else:
                place = len(found)
                found.append(Found(whole, self.line(block.span)))
            if isinstance(block, Item):
                above.append(_Above(_open(whole), indent, block.span, place, used=True))
        while above:
            self.close(above.pop())
        return found

    def accept(self, rule: str, text: str, span: Span) -> bool:
        """Whether a text is a rule; what is not is noted."""
        found = [match[1] for match in _IMPORT.finditer(_CODE.sub("", text))]
        self.imports += (Import(self.path, self.line(span), target) for target in found)
        if found and not _IMPORT.sub("", text).strip("- "):
            return False
        why = _why_not(rule, text)
        if why:
            self.leave(why, span, text)
        return not why

    def fences(self, parts: Outline) -> None:
        """Note the fenced blocks: examples and commands, which no rule can hold."""
        for fence in parts.fences:
            body = fence.body.cut(parts.text).strip()
            self.leave("code block", Span(max(fence.body.start - 1, 0), fence.body.end), body)

    def close(self, lead: _Above) -> None:
        """Note a lead that no rule followed: what it introduces was left out, too."""
        if not lead.used:
            self.leave("introduction to something that is no rule", lead.span, f"{lead.text}:")

    def leave(self, why: str, span: Span, text: str) -> None:
        self.left_out.append(LeftOut(self.path, self.line(span), why, excerpt(text)))

    def line(self, span: Span) -> int:
        return self.lines.line_of(span.start) + 1


def _enclosed(text: str, first: re.Pattern[str], last: re.Pattern[str]) -> Iterator[Span]:
    """The parts of a text from one mark to another, both included."""
    begin = first.search(text)
    while begin and (end := last.search(text, begin.end())):
        yield Span(begin.start(), end.end())
        begin = first.search(text, end.end())


def excerpt(text: str) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else f"{line[: _EXCERPT - 1]}…"


def _indent(block: Item | _Paragraph | None) -> int:
    return block.indent if isinstance(block, Item) else -1


def _under(above: _Above | None, text: str) -> str:
    """A text with what it stands under before it."""
    if above is None:
        return text
    return f"{above.text}{'; ' if above.rule >= 0 else ': '}{text}"


def _open(text: str) -> str:
    """A text that more can be added to."""
    return text.rstrip(".;,")


def _why_not(rule: str, text: str) -> str:
    if text.startswith("|"):
        return "table"
    if text.startswith("<"):
        return "HTML"
    if _LINKS.fullmatch(text):
        return "link or image"
    if _ABOUT_ITSELF.match(text):
        return "about the file itself"
    if _TO_DO.match(text):
        return "note about work to do"
    if len(rule) > LONGEST_RULE:
        return f"prose of {len(rule)} characters"
    if not any(character.isalnum() for character in text):
        return "no words"
    problems = rules.parse(f"RULE_RULE_0={rule}").problems
    return problems[0].message if problems else ""


@dataclass(frozen=True, slots=True)
class _Paragraph:
    text: str
    span: Span


def _paragraphs(lines: Iterable[Line], index: LineIndex) -> Iterator[Item | _Paragraph]:
    """List items, and the lines between them joined to paragraphs; fences and rulers are left out."""
    prose = (
        replace(line, text="") if _RULER.fullmatch(line.text.strip()) else line
        for line in lines
        if line.fence is None
    )
    held: list[Line] = []
    for block in blocks(prose):
        near = held and index.line_of(block.span.start) == index.line_of(held[-1].span.start) + 1
        if held and not (near and isinstance(block, Line)):
            yield _join(held)
            held = []
        if isinstance(block, Line):
            held.append(block)
        else:
            yield block
    if held:
        yield _join(held)


def _join(lines: list[Line]) -> _Paragraph:
    text = " ".join(_QUOTE.sub("", line.text.strip()) for line in lines)
    return _Paragraph(text, Span(lines[0].span.start, lines[-1].span.end))


def _title(section: MarkdownSection) -> str:
    return _plain(section.title.value).rstrip(":")


def _plain(text: str) -> str:
    """A text on one line, without the marks of bold type, which cost tokens and say nothing."""
    return _BOLD.sub(r"\2", " ".join(text.split()))


def _front_matter(parts: Outline) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The front matter's fields. Read by lines: Cursor's ``globs: **/*.ts`` is no valid YAML."""
    key, values = "", list[str]()
    for raw in parts.front.cut(parts.text).splitlines() if parts.front else ():
        line = raw.strip()
        if line.startswith("- "):
            values.append(_unquoted(line[2:]))
        elif ":" in line and not raw[:1].isspace():
            if key:
                yield key, tuple(filter(None, values))
            key, _, value = line.partition(":")
            key = key.strip().lower()
            value = value.strip().removeprefix("[").removesuffix("]")
            values = [_unquoted(item) for item in split_globs(value)]
    if key:
        yield key, tuple(filter(None, values))


def _unquoted(value: str) -> str:
    return value.strip().strip("\"'").strip()


def split_globs(value: str) -> list[str]:
    """A comma list whose items may hold commas in braces: ``*.{ts,tsx},*.js`` are two."""
    items, depth = [""], 0
    for character in value:
        depth += (character == "{") - (character == "}")
        if character == "," and depth <= 0:
            items.append("")
        else:
            items[-1] += character
    return items
