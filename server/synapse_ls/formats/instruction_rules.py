"""Split a file of instructions for agents (``CLAUDE.md``, ``AGENTS.md``, ``.mdc`` …) into rules.

A rule is a slice of its file: a paragraph, a list item with its nested items, a table, or what a
text ending in a colon introduces. Headings and labels of lists are the context of the rules below.
The rest is returned with its lines, so that nothing is lost silently.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import itemgetter
from typing import NamedTuple

from synapse_ls.formats import domain_file, instruction_scopes, plain_text_rules
from synapse_ls.formats.instruction_markdown import FILLER, Block, blank_out, parse_blocks
from synapse_ls.formats.markdown_outline import LABEL_LEVEL
from synapse_ls.formats.rule_syntax import RuleKey, build_rule
from synapse_ls.text.finding import Finding, ParseResult, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.phrases import shorten_text
from synapse_ls.text.span import Span

NOWHERE = Span(0, 0)

COMMENT, OWN_BLOCK = "HTML comment", "written by Synapse"
OTHER_TOOL = "text between the marks of another tool"

_WORD = lazy_pattern(r"[^\W_]+")
_BEGINS, _ENDS = frozenset(("begin", "start")), frozenset(("end", "stop"))
_MOST_MARKS = 50  # of which an end is looked for
_OWN_BEGIN, _OWN_END = lazy_pattern(r"<!--\s*synapse:begin\b"), lazy_pattern(r"synapse:end\s*-->")
# What opens a comment, or code, in which there is none: a fence, or a span of code.
_COMMENT_OR_CODE = lazy_pattern(
    r"<!--|^ {0,3}(?P<note>\[//\]: # \([^)\n]*\))"
    r"|^[ \t>]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$|(?P<ticks>`+)",
    re.MULTILINE,
)
_PARAGRAPH_END = lazy_pattern(r"\n[ \t\r>]*(?:\n|\Z|[-*+#|]|[0-9]+[.)]|<!--)")

_EXCERPT = 60
# Lines that are read: the largest file of 77 public repositories has 3,000, and a prompt may wait.
MAX_LINES = 20_000
_UNREAD = f"behind line {MAX_LINES:,}, the last one that is read"
# Code points up to which what is nested in an item, or code behind a text, is a part of its rule.
_LONGEST_PART = 1000

# White space to Python, and NUL, which CommonMark takes for other characters.
_NO_WHITE_SPACE = lazy_pattern(r"[^\S \t\r\n]|\0")
_CODE = lazy_pattern(r"(?<!`)(`{1,9})(?!`).{0,4000}?(?<!`)\1(?!`)", re.DOTALL)
_IMPORT = lazy_pattern(r"(?<![\w@./])@((?:~|\.{1,2})?/?[\w-][\w./-]*\.\w{1,5}|~/[\w./-]+)(?!\w)")
# Behind a path that is imported: white space, a fragment, or the mark that ends bold type.
_ENDS_PATH = lazy_pattern(r"\s|#|[*_\]]+(?:\s|$)|$")
_IMPORT_LINE = lazy_pattern(rf"(?:@import[ \t]+(\S+)|{_IMPORT.pattern})[ \t]*")
_ALERT = lazy_pattern(r"\[!\w+\]")
_LINK_TARGET = lazy_pattern(r"\[(?!\^)[^\[\]]+\]:\s*\S.*")
_CHECKBOX = lazy_pattern(r"\\?\[[ xX~✓✔✅☑-]?\\?\][ \t]+")
_QUOTE_MARK = lazy_pattern(r"(?:>[ \t]?)+")
_BOLD_LINE = lazy_pattern(r"(?:[^\w\s*`|>#\\-]+ ?)?(\*\*|__)((?:(?!\1).){1,120})\1:?")
_LABELLED_LINE = lazy_pattern(r"(?:\*\*|__)(?=\S)[^*_]{1,80}(?::(?:\*\*|__)|(?:\*\*|__):)")
_COLON = lazy_pattern(r"[:：](?:\*\*|__|\*|_)?$")
_SENTENCE_END = lazy_pattern(r"[!.;。！](?:\*\*|__)?$")
_LONGEST_LINKS = 4_000  # characters; a longer paragraph has words
# What has no words of its own: links, images and tags.
_LINK_OR_TAG = lazy_pattern(
    r"!?\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*\]\([^)]*\)|<a\b[^>]*>.*?</a>|<!?/?[A-Za-z][^<>]*>",
    re.DOTALL | re.IGNORECASE,
)
_OPENING_TAG = lazy_pattern(r"<([A-Za-z][\w:.-]*)([^<>]*)>")
_CLOSING_TAG = lazy_pattern(r"</([A-Za-z][\w:.-]*)\s*>")
_HTML_NAMES = """
a abbr article aside b blockquote br center code dd details div dl dt em figure font footer form h1
h2 h3 h4 h5 h6 header hr i img input kbd li link main nav ol p picture pre s script section small
source span strong sub summary sup svg table tbody td th thead tr u ul video
"""
_HTML = frozenset(_HTML_NAMES.split())
_ABOUT_ITSELF = lazy_pattern(
    r"(?:this|the following) (?:file|document|guide|page)\b[^.]*?"
    r"\b(?:provides?|contains?|describes?|gives?|is|defines?|documents?|explains?|outlines?)\b"
    r"(?![^.]*\b(?:must|never|always|not)\b)"
    r"|(?:please )?read this(?: (?:file|document|guide|page))?(?: first| carefully)?"
    r"(?: (?:before|when)(?: you)? (?:work|start|begin|contribut|chang|writ|mak)[^.;:]*)?[.!]?$",
    re.IGNORECASE,
)
# The same in Portuguese, Spanish, French and German, whose verbs are as many as there are files.
_ABOUT_ITSELF_ELSEWHERE = lazy_pattern(
    r"(?:este (?:arquivo|ficheiro|documento|guia|archivo)|esta (?:página|guía)"
    r"|ce (?:fichier|document|guide)|cette page|diese (?:datei|seite)|dieses dokument)\b"
    r"(?![^.]*\b(?:deve|devem|debe|deben|doit|doivent|muss|müssen|darf|dürfen"
    r"|nunca|sempre|siempre|jamais|toujours|nie|niemals|immer|não|pas|nicht)\b)",
    re.IGNORECASE,
)
_STRICT = lazy_pattern(
    r"\b(?:must|never|(?<!as )always|do not|don['’]t|avoid|only|nunca|(?<!como )sempre"
    r"|(?<!como )siempre|jamais|niemals|(?<!wie )immer)\b",
    re.IGNORECASE,
)
_TAG_NAME = lazy_pattern(r"<\s*(/?)\s*([\w-]+)")
# Also what git writes in the place of a link where a system has none.
_PATH_ALONE = lazy_pattern(r"\.{1,2}/[\w./-]+\.(?:mdc?|txt)")
_TO_DO = lazy_pattern(r"(?:TODO|FIXME|TBD|XXX)\b")


class OmittedPart(NamedTuple):
    """A part of a file of instructions that did not become a rule: where it begins (line from 1),
    and why not.
    """

    path: str
    line: int
    why: str
    excerpt: str
    span: Span = NOWHERE


class FileMention(NamedTuple):
    """A mention of another file in a file of instructions (``@docs/style.md``), the place of its
    path, and the line, from 1. is_followed: whether clients that put the file in its place do so:
    they take for its path all that stands between white space (Claude Code 2.1.330).
    """

    path: str
    line: int
    target: str
    is_followed: bool = True
    span: Span = NOWHERE


class SourceRule(NamedTuple):
    """The text of a rule in a file of instructions, a slice of it, the line (from 1) on which it
    begins, and its place.
    """

    text: str
    line: int
    span: Span = NOWHERE


class RuleHeading(NamedTuple):
    """A heading or a label of a list in a file of instructions, with the rules directly under it,
    or with more of them, behind a part with a heading of its own.

    level: 0 and no title for the beginning of the file, `LABEL_LEVEL` for labels and what follows
    them. path: the titles from the outermost to its own. lines: the first and the last line, from
    1, of the part with all that is nested in it. group: what a block says above the rules: all
    titles but that of the whole file.
    """

    level: int
    title: str
    rules: tuple[SourceRule, ...]
    path: tuple[str, ...] = ()
    lines: tuple[int, int] = (1, 1)
    group: str = ""


class RuleSource(NamedTuple):
    """A file of instructions taken apart; ``front`` holds its front matter, keys in lower case,
    values as lists.
    """

    path: str
    front: Mapping[str, tuple[str, ...]]
    headings: tuple[RuleHeading, ...]
    left_out: tuple[OmittedPart, ...]
    imports: tuple[FileMention, ...]

    @property
    def scope(self) -> instruction_scopes.Scope:
        """When its client applies it."""
        return instruction_scopes.read_scope(self.path, self.front)


def parse(text: str) -> ParseResult[domain_file.RulesDocument]:
    """Parse a file of instructions as the linter sees it: rules of plain text. Its only problem is
    forged markup. Never raises.
    """
    reader = _read("", text)
    # Rules under one heading stand together in a block, so they are numbered together.
    groups: dict[str, list[SourceRule]] = {}
    for heading in reader.sections():  # one without rules of its own has its place, too
        groups.setdefault(heading.group, []).extend(heading.rules)
    grouped = [(group, rule) for group, rules in groups.items() for rule in rules]
    numbered = (
        build_rule(
            *("", RuleKey("plain", "", "", number), rule.text, "", group, rule.line - 1),
            *(rule.span, Span(rule.span.start, rule.span.start), rule.span),
        )
        for number, (group, rule) in enumerate(grouped)
    )
    effect = "clients inject it as it is, and it passes for the block's own"
    problems = [
        problem
        for problem in domain_file.forged_text_problems(text, reader.prose, effect)
        if not _is_mentioned_tag(text, problem.span)
    ]
    if unread := [part.span for part in reader.left_out if part.why == _UNREAD]:
        message = f"Only the first {MAX_LINES:,} lines are read: the rules below them are unknown."
        problems.append(Finding(unread[0], message, "Split the file.", kind="too-large"))
    by_place = tuple(sorted(numbered, key=lambda rule: rule.span))
    document = domain_file.RulesDocument(text, "instructions", by_place, {})
    return ParseResult(document, sort_problems(problems))


def _is_mentioned_tag(text: str, span: Span) -> bool:
    """Return whether a sentence only speaks of a tag, as CARL's own section of `CLAUDE.md` does:
    words stand before it on its line, and nothing in the file opens or closes it.
    """
    name = _TAG_NAME.match(text, span.start)
    line = text[text.rfind("\n", 0, span.start) + 1 : span.start]
    if name is None or not any(char.isalnum() for char in line):
        return False
    counterpart = re.escape(name[2]) if name[1] else f"/[ \\t]*{re.escape(name[2])}"
    return not re.search(rf"<{counterpart}[\s>]", text, re.IGNORECASE)


def read_source(path: str, text: str) -> RuleSource:
    """Take a file of instructions apart into headings and rules. Never raises."""
    reader = _read(path, text)
    return RuleSource(
        path,
        instruction_scopes.front_matter(text),
        tuple(reader.sections()),
        tuple(sorted(reader.left_out, key=lambda part: part.span)),
        tuple(reader.imports),
    )


def _read(path: str, text: str) -> _RuleReader:
    index = LineIndex(text)
    end = index.line_span(MAX_LINES).start if index.line_of(len(text)) >= MAX_LINES else len(text)
    hidden = list(hidden_spans(text[:end]))
    if end < len(text):
        hidden.append((_UNREAD, Span(end, len(text))))
    front = Span(0, instruction_scopes.front_matter_span(text).end)
    visible = blank_out(
        text, sorted([front, *(span for _, span in hidden if span.start >= front.end)])
    )
    visible = _NO_WHITE_SPACE.sub("\ufffd", visible.replace("\ufeff", " ", 1))
    reader = _RuleReader(path, text, visible, index, [span for _, span in hidden])
    for why, span in hidden:
        if span.start >= front.end:
            reader.omit_part(why, span)
    reader.read_blocks(parse_blocks(visible[:end]))
    return reader


def is_strict(text: str) -> bool:
    """Return whether a rule of instructions orders or forbids something in so many words, in the
    languages of `_STRICT`.
    """
    return _STRICT.search(text) is not None


def label_text(text: str) -> str:
    """Return what a heading or label says: without a colon at its end, and without the marks of
    bold type around all of it.
    """
    text = " ".join(text.replace(FILLER, "").split()).rstrip(":：")
    whole = _BOLD_LINE.fullmatch(text)
    return whole[2].rstrip(":：") if whole and text.startswith(whole[1]) else text


class _Context(NamedTuple):
    """A heading, label or tag that rules stand under. level: 0 for a tag."""

    level: int
    title: str


class _Part(NamedTuple):
    """The rules below one heading. goes_on: whether the part of a heading above goes on with it,
    behind another one that was nested in it.
    """

    heading: RuleHeading
    rules: list[SourceRule]
    span: Span
    goes_on: bool


@dataclass
class _RuleReader:
    """What is read of a file. visible: its text without what is ``hidden``; prose: the places that
    are no code.
    """

    path: str
    text: str
    visible: str
    index: LineIndex
    hidden: Sequence[Span]
    left_out: list[OmittedPart] = field(default_factory=list)
    imports: list[FileMention] = field(default_factory=list)
    prose: list[Span] = field(default_factory=list)
    _context: list[_Context] = field(default_factory=list)
    _parts: list[_Part] = field(
        default_factory=lambda: [_Part(RuleHeading(0, "", ()), [], NOWHERE, goes_on=False)]
    )

    def sections(self) -> Iterator[RuleHeading]:
        """Yield the headings with their rules, in text order."""
        titles = [part.heading.title for part in self._parts if part.heading.level == 1]
        line_count = self.index.line_count - self.text.endswith(("\n", "\r"))
        # The last line of each part with all that is nested in it, and whether that has rules.
        ends = [line_count] * len(self._parts)
        is_empty = [not part.rules for part in self._parts]
        open_parts: list[int] = []
        for number, part in enumerate(self._parts):
            path = part.heading.path
            while open_parts:
                above = self._parts[open_parts[-1]].heading.path
                if path[: len(above)] == above and (part.goes_on or len(path) > len(above)):
                    break
                ends[open_parts.pop()] = self.index.line_of(part.span.start)
            if part.rules:
                for above_number in open_parts:
                    is_empty[above_number] = False
            open_parts.append(number)
        for number, (heading, rules, span, _) in enumerate(self._parts):
            lines = (self.line_number(span), ends[number])
            if is_empty[number] and is_strict(heading.title):
                # A heading with nothing below it that forbids or demands is a rule.
                pieces = self._visible_pieces(span)
                rules[:] = [SourceRule(piece.cut(self.text), lines[0], piece) for piece in pieces]
            has_file_title = len(heading.path) > 1 and titles == [heading.path[0]]
            group = " > ".join(heading.path[has_file_title:])
            yield heading._replace(rules=tuple(rules), lines=lines, group=group)

    def read_blocks(
        self, blocks: Sequence[Block], behind: Block | None = None, *, is_nested: bool = False
    ) -> int:
        """Read blocks that follow each other; return 1 if the block ``behind`` them, which a list
        may introduce without indenting it, belongs to their last rule.
        """
        number = 0
        while number < len(blocks):
            block = blocks[number]
            follower = blocks[number + 1] if number + 1 < len(blocks) else behind
            number += 1
            if block.kind == "paragraph":
                number += self._read_paragraph(block, follower, is_nested=is_nested)
            elif block.kind == "heading":
                # One that is underlined and no title by its form has a ruler below it instead.
                if block.level < 0 and (
                    len(block.lines) > 1 or _SENTENCE_END.search(block.lines[0].cut(self.visible))
                ):
                    number += self._read_paragraph(block, follower, is_nested=False)
                elif block.lines:
                    self.prose += block.lines
                    self._open_heading(abs(block.level), block.lines[0])
            elif block.kind == "tag":
                self._read_tags(block.span)
            elif block.kind == "code" and not self._is_below_title(block.span):
                self.omit_part("code block", block.span)
            elif block.kind in ("table", "code"):
                self._add_rule(block.span)
            elif block.kind == "item":
                number += self._read_item(block, follower)
            elif block.parts:
                is_open = block.kind == "list" and _COLON.search(block.span.cut(self.visible))
                number += self.read_blocks(
                    block.parts, follower if is_open else None, is_nested=True
                )
            elif block.kind in ("list", "quote"):
                self._add_rule(block.span)
        return number - len(blocks)

    def _open_heading(self, level: int, span: Span) -> None:
        title = label_text(span.cut(self.visible))
        while self._context and self._context[-1].level >= max(level, 1):
            self._context.pop()
        self._context.append(_Context(level, title))
        self._open_part(level, span)

    def _open_part(self, level: int, span: Span, *, goes_on: bool = False) -> None:
        path = tuple(context.title for context in self._context)
        heading = RuleHeading(level, path[-1] if path else "", (), path)
        self._parts.append(_Part(heading, [], span, goes_on))

    @contextmanager
    def _labelled(self, span: Span) -> Iterator[None]:
        """Put what is read meanwhile under a label."""
        size = len(self._context)
        self._context.append(_Context(LABEL_LEVEL, label_text(span.cut(self.visible))))
        self._open_part(LABEL_LEVEL, span)
        yield
        del self._context[size:]

    def _is_below_title(self, span: Span) -> bool:
        """Return whether nothing stands between a heading and a block."""
        heading, rules, title, _ = self._parts[-1]
        return bool(heading.level and not rules) and not self.visible[title.end : span.start].strip(
            " #*:=-\r\n\t"
        )

    def _read_tags(self, span: Span) -> None:
        """Read a line of tags alone. One that says what the text up to its counterpart is about
        (``<critical_rules>``) is a heading.
        """
        line = span.cut(self.visible)
        self.prose.append(span)
        opening, closing = _OPENING_TAG.fullmatch(line), _CLOSING_TAG.fullmatch(line)
        if opening and opening[1].lower() not in _HTML:
            if self.visible.find(f"</{opening[1]}", span.end) >= 0:
                self._context.append(_Context(0, (opening[1] + opening[2]).strip()))
                self._open_part(LABEL_LEVEL, span)
                return
        elif closing:
            for number in reversed(range(len(self._context))):
                context = self._context[number]
                if context.level == 0 and context.title.split(None, 1)[0] == closing[1]:
                    del self._context[number:]
                    return
        self.omit_part("HTML", span)

    def _read_paragraph(self, block: Block, follower: Block | None, *, is_nested: bool) -> int:
        """Read a paragraph; return how many of the blocks behind it belong to it."""
        if not (lines := self._text_lines(block.lines)):
            return 0
        if len(lines) == 1 and not is_nested and self._is_title(lines[0], follower):
            self._open_heading(LABEL_LEVEL, lines[0])
            return 0
        texts = [line.cut(self.visible) for line in lines]
        parted = set(plain_text_rules.split_paragraph(texts))
        starts = [
            number
            for number in range(len(lines))
            if number in parted or _LABELLED_LINE.match(texts[number])
        ]
        pieces = [
            Span(lines[start].start, lines[end - 1].end)
            for start, end in zip(starts, (*starts[1:], len(lines)), strict=True)
        ]
        for piece in pieces[:-1]:
            self._add_rule(piece)
        return self._read_with_follower(pieces[-1], follower)

    def _read_with_follower(self, span: Span, follower: Block | None) -> int:
        """Read a text that may introduce the block behind it, and that block; return 1 if it
        does.
        """
        belongs = False
        if follower and _COLON.search(span.cut(self.visible)):
            if follower.kind == "list" and follower.parts:
                with self._labelled(span):
                    self.read_blocks(follower.parts, is_nested=True)
                return 1
            belongs = follower.kind in ("code", "table", "quote", "list")
        elif follower:  # code directly behind a text is what it speaks of
            belongs = follower.kind == "code" and follower.span.length <= _LONGEST_PART
        self._add_rule(Span(span.start, follower.span.end) if follower and belongs else span)
        return int(belongs)

    def _text_lines(self, lines: Sequence[Span]) -> list[Span]:
        """Return the lines of a paragraph that are text; what only imports a file, says where a
        link leads or opens an alert is noted.
        """
        text_lines = []
        for line in lines:
            text = line.cut(self.visible)
            if match := _IMPORT_LINE.fullmatch(text):
                group = 1 if match[1] else 2
                span = Span(*match.span(group)).shift(line.start)
                number = self.line_number(line)
                self.imports.append(FileMention(self.path, number, match[group], span=span))
            elif _LINK_TARGET.fullmatch(text):
                self.omit_part("link or image", line)
            elif not _ALERT.fullmatch(text):
                text_lines.append(line)
        self.prose += text_lines
        return text_lines

    def _is_title(self, line: Span, follower: Block | None) -> bool:
        """Return whether a line in bold type is a heading rather than a sentence, or the label of
        what is directly below it.
        """
        text = line.cut(self.visible)
        if not _BOLD_LINE.fullmatch(text) or _SENTENCE_END.search(text):
            return False
        if follower is None or follower.kind in ("heading", "ruler"):
            return not is_strict(text)
        return not (_COLON.search(text) and follower.kind in ("list", "code", "table", "quote"))

    def _read_item(self, block: Block, follower: Block | None) -> int:
        """Read an item of a list; return 1 if the block behind it belongs to it."""
        first = block.parts[0] if block.parts else None
        if first is None or first.kind != "paragraph":
            return self.read_blocks(block.parts, follower, is_nested=True)
        if not (lines := self._text_lines(first.lines)):
            return self.read_blocks(block.parts[1:], follower, is_nested=True)
        start, end = lines[0].start, lines[-1].end
        box = _CHECKBOX.match(self.visible, start, end)
        span = Span(box.end() if box else start, end)
        rest = block.parts[1:]
        lists = [part for part in rest if part.kind == "list"]
        text = span.cut(self.visible)
        if not rest:
            return self._read_with_follower(span, follower)
        if rest[0] in lists and (_COLON.search(text) or _BOLD_LINE.fullmatch(text)):
            with self._labelled(span):
                behind = follower if len(rest) == 1 else None
                used = self.read_blocks(rest[:1], behind, is_nested=True)
            return used or self.read_blocks(rest[1:], follower, is_nested=True)
        if not lists or block.span.length <= _LONGEST_PART:
            return self._read_with_follower(Span(span.start, block.span.end), follower)
        begun = self._read_with_follower(span, rest[0])
        return self.read_blocks(rest[begun:], follower, is_nested=True)

    def _add_rule(self, span: Span) -> None:
        """Add a rule, or note why a text is none. One with a hidden part within becomes several."""
        for piece in self._visible_pieces(span):
            self._add_slice(piece)

    def _visible_pieces(self, span: Span) -> Iterator[Span]:
        """Yield the parts of a text around what is hidden, without white space and the mark of a
        quotation or item before them.
        """
        start = span.start
        first = bisect_right(self.hidden, start, key=itemgetter(1))
        last = bisect_right(self.hidden, span.end, key=itemgetter(0))
        for hidden in (*self.hidden[first:last], Span(span.end, span.end)):
            if hidden.end <= start:
                continue
            piece = self.text[start : hidden.start]
            for mark in (_QUOTE_MARK, plain_text_rules.LIST_MARK):
                piece = piece.lstrip()
                if match := mark.match(piece):
                    piece = piece[match.end() :]
            piece = piece.lstrip()
            if piece:
                start = hidden.start - len(piece)
                yield Span(start, start + len(piece.rstrip()))
            start = hidden.end

    def _add_slice(self, span: Span) -> None:
        if why := _omission_reason(span.cut(self.text)):
            self.omit_part(why, span)
            return
        prose = _CODE.sub(lambda code: " " * len(code[0]), span.cut(self.text))
        for match in _IMPORT.finditer(prose):
            line = self.index.line_of(span.start + match.start()) + 1
            is_followed = bool(_ENDS_PATH.match(prose, match.end()))
            is_followed &= not prose[: match.start()].endswith(("(", '"', "'"))
            place = Span(*match.span(1)).shift(span.start)
            self.imports.append(FileMention(self.path, line, match[1], is_followed, place))
        path = tuple(context.title for context in self._context)
        if self._parts[-1].heading.path != path:
            self._open_part(LABEL_LEVEL, span, goes_on=True)
        self._parts[-1].rules.append(SourceRule(span.cut(self.text), self.line_number(span), span))

    def omit_part(self, why: str, span: Span) -> None:
        excerpt = shorten_text(" ".join(span.cut(self.text).split()), _EXCERPT)
        self.left_out.append(OmittedPart(self.path, self.line_number(span), why, excerpt, span))

    def line_number(self, span: Span) -> int:
        """Return the line, from 1, on which a place begins."""
        return self.index.line_of(span.start) + 1


def _omission_reason(text: str) -> str:
    plain = text.lstrip("*_")
    if not is_strict(text) and (_ABOUT_ITSELF.match(plain) or _ABOUT_ITSELF_ELSEWHERE.match(plain)):
        return "about the file itself"
    if _TO_DO.match(plain):
        return "note about work to do"
    if _PATH_ALONE.fullmatch(text):
        return "path of another file"
    if not any(map(str.isalnum, _LINK_OR_TAG.sub("", text[:_LONGEST_LINKS]))):
        if not any(map(str.isalnum, text)):
            return "no words"
        return "HTML" if text.startswith("<") else "link or image"
    return ""


def hidden_spans(text: str) -> Iterator[tuple[str, Span]]:
    """Yield what is not looked at in a file of instructions, and why: HTML comments, and what
    stands between marks that are comments, as another tool keeps it. What stands in code is
    neither.
    """
    comment_spans = list(_comment_spans(text))
    blocks = _marked_blocks(text, [span for why, span in comment_spans if why == COMMENT])
    parts = [*comment_spans, *((OTHER_TOOL, block) for block in blocks)]
    end = 0
    for why, span in sorted(parts, key=lambda part: (part[1].start, -part[1].end)):
        if span.start >= end:
            end = span.end
            yield why, span


def _marked_blocks(text: str, comments: Iterable[Span]) -> Iterator[Span]:
    """Yield the parts between two comments of which one says that something of a name begins and
    the other that it ends: ``<!-- BEGIN:x -->`` to ``<!-- END:x -->``.
    """
    open_marks: list[tuple[list[str], int, bool]] = []
    for span in comments:
        words = _WORD.findall(span.cut(text).lower())
        name = [word for word in words if word not in _BEGINS and word not in _ENDS]
        begins, ends = not _BEGINS.isdisjoint(words), not _ENDS.isdisjoint(words)
        if "ignore" in name:  # what a formatter is to leave alone is a person's
            continue
        if begins or not ends:
            open_marks.append((name, span.start, begins))
            continue
        for place, (opened, start, is_begin) in reversed(list(enumerate(open_marks))):
            if opened[: len(name)] == name and (name or is_begin):
                yield Span(start, span.end)
                del open_marks[place:]
                break
        del open_marks[:-_MOST_MARKS]


def _comment_spans(text: str) -> Iterator[tuple[str, Span]]:
    """Yield the HTML comments and Synapse's own blocks, which are one each."""
    match = _COMMENT_OR_CODE.search(text)
    paragraph_end = 0
    while match:
        end = match.end()
        if match["note"]:  # a link target that nobody sees, as some tools write comments
            yield COMMENT, Span(match.start("note"), end)
        elif match[0] != "<!--":
            if end > paragraph_end:
                match_end = _PARAGRAPH_END.search(text, end)
                paragraph_end = match_end.start() if match_end else len(text)
            end = _code_end(text, match, paragraph_end)
        elif _OWN_BEGIN.match(text, match.start()) and (last := _OWN_END.search(text, end)):
            end = last.end()
            yield OWN_BLOCK, Span(match.start(), end)
        elif (mark := text.find("-->", end)) >= 0:
            end = mark + len("-->")
            yield COMMENT, Span(match.start(), end)
        else:
            return
        match = _COMMENT_OR_CODE.search(text, end)


def _code_end(text: str, opening: re.Match[str], paragraph_end: int) -> int:
    """Return where the code ends that a fence opens, which may be the end of the text, or that
    backticks open; their own end where nothing closes them in their paragraph.
    """
    if fence := opening["fence"]:
        closing = re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[ \t\r]*$", re.MULTILINE)
        last = closing.search(text, opening.end())
        return last.end() if last else len(text)
    same = re.compile(rf"(?<!`){opening['ticks']}(?!`)")
    last = same.search(text, opening.end(), paragraph_end)
    return last.end() if last else opening.end()
