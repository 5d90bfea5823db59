"""Take a file of instructions for agents, Markdown, apart into rules.

Reads ``CLAUDE.md``, ``AGENTS.md``, Cursor's ``.mdc`` and files like them. What is no rule is listed
with its line, so that nothing is lost unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import NamedTuple

from synapse_ls.formats import domain_rules
from synapse_ls.formats.domain_rules import RulesDocument, forged_text_problems
from synapse_ls.formats.instruction_headings import (
    AGENT_IN_TITLE,
    GLOB_FIELDS,
    LONGEST_LEAD,
    POLARITY_WORDS,
    front_matter_fields,
    only_forbids_or_demands,
    says_whether,
    turns_round,
)
from synapse_ls.formats.instruction_paragraphs import (
    BOLD,
    ITALIC_LINE,
    RULER,
    Paragraph,
    TableRow,
    iter_paragraphs,
    join_label,
    join_lines,
    label_text,
    plain_text,
)
from synapse_ls.formats.markdown_outline import LABEL_LEVEL, Line, ListItem, Outline, parse_outline
from synapse_ls.formats.markdown_outline import Section as MarkdownSection
from synapse_ls.formats.name_normalization import to_slug
from synapse_ls.formats.plain_text_rules import LONGEST_RULE
from synapse_ls.formats.rule_syntax import RuleKey, build_rule
from synapse_ls.text.finding import ParseResult, sort_problems
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span

_EXCERPT = 60
_HEADING_INDENT = -2  # less than that of any paragraph or item
_LABEL_INDENT = -1  # that of a paragraph, which ends what a label introduces

COMMENT, OWN_BLOCK = "HTML comment", "written by Synapse"
OTHER_TOOL = "between the marks of another tool, whose text it is"
_WORD = re.compile(r"[^\W_]+")
_BEGINS, _ENDS = frozenset(("begin", "start")), frozenset(("end", "stop"))
_MOST_MARKS = 50  # of which an end is looked for
ALERT = re.compile(r"\s*(?:>\s*)+\[!\w+\]\s*")
LINK_TARGET = re.compile(r" {0,3}\[(?!\^)[^\[\]]+\]:\s*\S.*")
_OWN_BEGIN, _OWN_END = re.compile(r"<!--\s*synapse:begin\b"), re.compile(r"synapse:end\s*-->")
# What opens a comment, or code, in which there is none: a fence, or a span of code.
_COMMENT_OR_CODE = re.compile(
    r"<!--|^ {0,3}(?P<note>\[//\]: # \([^)\n]*\))|^[ \t>]*(?P<fence>`{3,}(?=[^`\n]*$)|~{3,})[^\n]*$|(?P<ticks>`+)",
    re.MULTILINE,
)
_PARAGRAPH_END = re.compile(r"\n[ \t\r>]*(?:\n|\Z|[-*+#|]|[0-9]+[.)]|<!--)")
_NOT_BREAK = re.compile(r"[^\r\n]")
_CODE = re.compile(r"`[^`]*`")
_IMPORT = re.compile(r"(?<![\w@./])@((?:~|\.{1,2})?/?[\w-][\w./-]*\.\w{1,5}|~/[\w./-]+)(?!\w)")
_IMPORT_LINE = re.compile(rf"[ \t]*(?:[-*+][ \t]+)?(?:@import[ \t]+(\S+)|{_IMPORT.pattern})[ \t]*")
_LINKS = re.compile(r"(?:!?\[(?:[^\[\]]|!\[[^\]]*\]\([^)]*\))*\]\([^)]*\)[\s·|,]*)+")
_NEGATION = re.compile(r"\b(?:not|never|avoid|no|without|except)\b|n['’]t\b", re.IGNORECASE)
_FULL_STOPS = frozenset(".!。！")
_ABOUT_ITSELF = re.compile(
    r"(?:this|the following) (?:file|document|guide|page)\b[^.]*?"
    r"\b(?:provides?|contains?|describes?|gives?|is|defines?|documents?|explains?|outlines?)\b"
    r"(?![^.]*\b(?:must|never|always|not)\b)"
    r"|(?:please )?read this(?: (?:file|document|guide|page))?(?: first| carefully)?"
    r"(?: (?:before|when)(?: you)? (?:work|start|begin|contribut|chang|writ|mak)[^.;:]*)?[.!]?$",
    re.IGNORECASE,
)
# The same in Portuguese, Spanish, French and German, whose verbs are as many as there are files.
_ABOUT_ITSELF_ELSEWHERE = re.compile(
    r"(?:este (?:arquivo|ficheiro|documento|guia|archivo)|esta (?:página|guía)"
    r"|ce (?:fichier|document|guide)|cette page|diese (?:datei|seite)|dieses dokument)\b"
    r"(?![^.]*\b(?:deve|devem|debe|deben|doit|doivent|muss|müssen|darf|dürfen"
    r"|nunca|sempre|siempre|jamais|toujours|nie|niemals|immer|não|pas|nicht)\b)",
    re.IGNORECASE,
)
_STRICT = re.compile(
    r"\b(?:must|never|(?<!as )always|do not|don['’]t|avoid|only|nunca|(?<!como )sempre|(?<!como )siempre"
    r"|jamais|niemals|(?<!wie )immer)\b",
    re.IGNORECASE,
)
_TAG_NAME = re.compile(r"<\s*(/?)\s*([\w-]+)")
_TO_DO = re.compile(r"(?:TODO|FIXME|TBD|XXX)\b")


@dataclass(frozen=True, slots=True)
class OmittedPart:
    """A part of a file of instructions that did not become a rule: where it begins (line from 1),
    and why not.
    """

    path: str
    line: int
    why: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class FileMention:
    """A mention of another file in a file of instructions (``@docs/style.md``). is_followed:
    whether clients that put the file in its place do so: not with a colon or a comma behind it.
    """

    path: str
    line: int
    target: str
    is_followed: bool = True


class SourceRule(NamedTuple):
    """The text of a rule in a file of instructions, as it is written there, the line (from 1) on
    which it begins, and the span of the words that it comes from. ``places`` are the spans of all
    that it is made of, with the text that introduces it. ``bare`` is the text without the heading
    that was put before it, "" where none was.
    """

    text: str
    line: int
    span: Span = Span(0, 0)
    places: tuple[Span, ...] = ()
    bare: str = ""


@dataclass(frozen=True, slots=True)
class RuleHeading:
    """A heading of a file of instructions (level 0 and no title: the beginning of the file) with
    the rules directly under it.
    """

    level: int
    title: str
    rules: tuple[SourceRule, ...]


@dataclass(frozen=True, slots=True)
class RuleSource:
    """A file of instructions taken apart; ``front`` holds its front matter, keys in lower case,
    values as lists.
    """

    path: str
    front: Mapping[str, tuple[str, ...]]
    headings: tuple[RuleHeading, ...]
    left_out: tuple[OmittedPart, ...]
    imports: tuple[FileMention, ...]

    @property
    def globs(self) -> tuple[str, ...]:
        """The files that its front matter keeps it for: `paths` of Claude, `globs` of Cursor,
        `applyTo` of Copilot, `fileMatchPattern` of Kiro; () for all.
        """
        return tuple(glob for key in GLOB_FIELDS for glob in self.front.get(key, ()))


def parse(text: str) -> ParseResult[RulesDocument]:
    """Parse a file of instructions as the linter sees it: rules of plain text. Its only problem is
    forged markup. Never raises.
    """
    source = read_source("", text)
    rules = tuple(
        build_rule(
            *("", RuleKey("plain", "", "", number), rule.text, "", heading.title, rule.line - 1),
            *(rule.span, Span(rule.span.start, rule.span.start), rule.span),
        )
        for heading in source.headings
        for number, rule in enumerate(heading.rules)
    )
    sections = parse_outline(text).sections
    places = [line.span for s in sections for line in s.lines if line.fence is None]
    effect = "clients tell it as it stands, and it passes for the block's own"
    problems = [
        problem
        for problem in forged_text_problems(text, places, effect)
        if not _is_mentioned_tag(text, problem.span)
    ]
    document = RulesDocument(text, "instructions", rules, {})
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
    reader = _RuleReader(path, LineIndex(text))
    # The text with HTML comments, and blocks that Synapse or another tool keeps, blanked out.
    pieces: list[str] = []
    done = 0
    for why, hidden in hidden_spans(text):
        reader.omit_part(why, hidden, hidden.cut(text))
        pieces += text[done : hidden.start], _NOT_BREAK.sub(" ", hidden.cut(text))
        done = hidden.end
    visible = "".join((*pieces, text[done:]))
    # The outline with bold lines that are sentences among the lines of the section above.
    sentence_parts = parse_outline(visible, underlined=True)
    index = LineIndex(sentence_parts.text)
    places: dict[int, int] = {-1: -1}
    sections: list[MarkdownSection] = []
    for section in sentence_parts.sections:
        if sections and _is_bold_sentence(section):
            above = sections[-1]
            span = index.line_span(index.line_of(section.title.span.start))
            lines = (*above.lines, Line(span, span.cut(sentence_parts.text)), *section.lines)
            sections[-1] = replace(above, lines=lines)
        else:
            places[section.index] = len(sections)
            parent = places[section.parent]
            sections.append(replace(section, index=len(sections), parent=parent))
    parts = replace(sentence_parts, sections=tuple(sections))
    for fence in parts.fences:
        opening = max(reader.lines.line_of(fence.body.start) - 1, 0)  # with nothing behind it
        before = opening - 1
        while before >= 0 and not reader.lines.line_span(before).cut(visible).strip():
            before -= 1
        is_indented = reader.lines.line_span(opening).cut(visible)[:1].isspace()
        reader.code_leads[before] = is_indented
    reader.signature = _signature_span(parts)
    headings = tuple(
        RuleHeading(section.level, _heading_title(section), tuple(reader.rules(parts, section)))
        for section in parts.sections
    )
    for fence in parts.fences:  # examples and commands, which no rule can hold
        place = Span(max(fence.body.start - 1, 0), fence.body.end)
        reader.omit_part("code block", place, fence.body.cut(visible).strip())
    return RuleSource(
        path,
        dict(front_matter_fields(parts)),
        headings,
        tuple(sorted(reader.left_out, key=lambda part: part.line)),
        tuple(reader.imports),
    )


def is_strict(text: str) -> bool:
    """Return whether a rule of instructions orders or forbids something in so many words, in the
    languages of `_STRICT`.
    """
    return _STRICT.search(text) is not None


@dataclass
class _Lead:
    """A text that the items nested in it cannot be understood without.

    A text that ends in a colon begins each of the rules below it (``rule`` is -1); an item that is
    a rule, the one at ``rule``, takes what is nested in it along.
    """

    text: str
    indent: int
    span: Span
    rule: int = -1
    is_used: bool = False
    is_title: bool = False
    # What of its beginning goes before no text that says itself whether it is to be done: "Never".
    polarity: str = ""


@dataclass
class _RuleReader:
    path: str
    lines: LineIndex
    left_out: list[OmittedPart] = field(default_factory=list)
    imports: list[FileMention] = field(default_factory=list)
    # The lines, from 0, before code, and whether it is nested in what they say.
    code_leads: dict[int, bool] = field(default_factory=dict)
    signature: Span | None = None

    def rules(self, parts: Outline, section: MarkdownSection) -> list[SourceRule]:
        """Return the rules directly under a heading."""
        rules: list[SourceRule] = []
        above = list(_title_leads(parts, section))
        listed = list(iter_paragraphs(self.lines_without_imports(section), self.lines))
        for block, follower in zip_longest(listed, listed[1:]):
            indent = _block_indent(block)
            self.close_leads(above, indent)
            text = join_lines(block.text)
            holder = above[-1] if above else None
            if self.leads_to_code(block, plain_text(text)):
                self.omit_part("introduction to a code block", block.span, text)
                continue
            if _introduces_items(block, plain_text(text), follower):
                sentence = _join_lead(holder, label_text(text))
                polarity = _lead_polarity(holder, sentence)
                above.append(_Lead(sentence, indent, block.span, polarity=polarity))
                continue
            rule, whole, place = _compose_rule(rules, holder, text)
            if self.signature and block.span.start >= self.signature.start:
                self.omit_part("signature", block.span, text)
                continue
            # Tells whether a text is a rule.
            prose = _CODE.sub("", text)
            self.imports += (
                FileMention(
                    self.path,
                    self.line_number(block.span),
                    match[1],
                    not prose.startswith((":", ","), match.end()),
                )
                for match in _IMPORT.finditer(prose)
            )
            if why := _omission_reason(rule, plain_text(text)):
                self.omit_part(why, block.span, text)
                continue
            for lead in above:
                lead.is_used = True
            if place >= 0:
                places = (*rules[place].places, block.span)
                rules[place] = rules[place]._replace(text=rule, places=places)
            else:
                place = len(rules)
                # What can go once the rule is told elsewhere: not the sentence above code
                # that stays.
                places = tuple(lead.span for lead in above if lead.rule < 0 and not lead.is_title)
                if not self.code_leads.get(self.lines.line_of(block.span.end)):
                    head = block.head if isinstance(block, TableRow) else None
                    places += (head, block.span) if head else (block.span,)
                rules.append(SourceRule(rule, self.line_number(block.span), block.span, places))
            if isinstance(block, ListItem):
                above.append(_Lead(_strip_end(whole), indent, block.span, place, is_used=True))
        self.close_leads(above)
        return rules

    def lines_without_imports(self, section: MarkdownSection) -> Iterator[Line]:
        """Yield the lines of a section; those that only import a file or say where a link leads are
        noted, and empty then, as is what opens an alert.
        """
        for line in section.lines:
            if line.fence is not None:
                yield line
            elif match := _IMPORT_LINE.fullmatch(line.text):
                target = match[1] or match[2]
                self.imports.append(FileMention(self.path, self.line_number(line.span), target))
                yield replace(line, text="")
            elif LINK_TARGET.fullmatch(line.text):
                self.omit_part("link or image", line.span, line.text)
                yield replace(line, text="")
            else:
                yield replace(line, text="") if ALERT.fullmatch(line.text) else line

    def leads_to_code(self, block: ListItem | Paragraph, text: str) -> bool:
        """Return whether a text goes on in a code block, so that nobody would understand it
        without: an item that is no sentence by itself, or what ends in a colon.
        """
        nested = self.code_leads.get(self.lines.line_of(block.span.end))
        if nested is None:
            return False
        if isinstance(block, ListItem) and nested:
            return text[-1:] not in _FULL_STOPS
        return text.endswith(":") and _is_short_lead(text)

    def close_leads(self, above: list[_Lead], indent: int = _HEADING_INDENT - 1) -> None:
        """Take the leads off that are indented by ``indent`` or more; note those that no rule
        followed: what they introduce was left out, too.
        """
        while above and above[-1].indent >= indent:
            lead = above.pop()
            if not lead.is_used:
                what = "introduction to something that is no rule"
                self.omit_part(what, lead.span, f"{lead.text}:")

    def omit_part(self, why: str, span: Span, text: str) -> None:
        self.left_out.append(
            OmittedPart(self.path, self.line_number(span), why, shorten_excerpt(text))
        )

    def line_number(self, span: Span) -> int:
        return self.lines.line_of(span.start) + 1


def _is_bold_sentence(section: MarkdownSection) -> bool:
    """Return whether a bold line is a sentence rather than a heading: it ends as one, or demands
    something with nothing below it.
    """
    title = section.title.value.strip()
    if section.level != LABEL_LEVEL or not title or title.endswith(":"):
        return False
    if title[-1] in "!。！" or (title[-1] == "." and not title.endswith("..")):
        return True
    return not any(line.text.strip() for line in section.lines) and bool(_STRICT.search(title))


def _signature_span(parts: Outline) -> Span | None:
    """Return the place of the lines in italics below a ruler that a text ends in: who wrote it, and
    which version it is. None where there are none, and where they demand anything.
    """
    lines = [line for line in parts.sections[-1].lines if line.text.strip()]
    last = len(lines)
    while lines and ITALIC_LINE.fullmatch(lines[-1].text.strip()):
        if lines[-1].fence is not None or _STRICT.search(lines.pop().text):
            return None
    if len(lines) in (0, last) or not RULER.fullmatch(lines[-1].text.strip()):
        return None
    return Span(lines[-1].span.end, len(parts.text))


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
    while match:
        end = match.end()
        if match["note"]:  # a link target that nobody sees, as some tools write comments
            yield COMMENT, Span(match.start("note"), end)
        elif match[0] != "<!--":
            end = _code_end(text, match)
        elif _OWN_BEGIN.match(text, match.start()) and (last := _OWN_END.search(text, end)):
            end = last.end()
            yield OWN_BLOCK, Span(match.start(), end)
        elif (mark := text.find("-->", end)) >= 0:
            end = mark + len("-->")
            yield COMMENT, Span(match.start(), end)
        else:
            return
        match = _COMMENT_OR_CODE.search(text, end)


def _code_end(text: str, opening: re.Match[str]) -> int:
    """Return where the code ends that a fence opens, which may be the end of the text, or that
    backticks open; their own end where nothing closes them in their paragraph.
    """
    if fence := opening["fence"]:
        closing = re.compile(rf"^[ \t>]*{fence[0]}{{{len(fence)},}}[ \t\r]*$", re.MULTILINE)
        last = closing.search(text, opening.end())
        return last.end() if last else len(text)
    end = _PARAGRAPH_END.search(text, opening.end())
    same = re.compile(rf"(?<!`){opening['ticks']}(?!`)")
    last = same.search(text, opening.end(), end.start() if end else len(text))
    return last.end() if last else opening.end()


def shorten_excerpt(text: str) -> str:
    """Return the beginning of a rule of instructions, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else f"{line[: _EXCERPT - 1]}…"


def _block_indent(block: ListItem | Paragraph | None) -> int:
    if isinstance(block, ListItem):
        return block.indent
    return 0 if isinstance(block, TableRow) else -1


def _title_leads(parts: Outline, section: MarkdownSection) -> Iterator[_Lead]:
    """Yield the headings without which the rules below them would say something else: under
    "Avoid", "global state" alone is one.

    A bold line that ends in a colon goes before the items below it, as it does in plain type.
    """
    above = ""
    is_bold = section.level == LABEL_LEVEL and bool(_heading_title(section))
    ends = section.title.value.rstrip().endswith(":")
    is_label = is_bold and (ends or parts.text.startswith("**:", section.title.span.end))
    titles = [section for section in parts.sections if section.level == 1]
    document_title = titles[0] if len(titles) == 1 else None
    for parent in (section, *parts.parents(section)):
        title = _heading_title(parent)
        plain = plain_text(title)
        if parent is document_title:
            decides = parent is section and says_whether(plain)
        else:
            names_agent = len(plain) <= LONGEST_LEAD and AGENT_IN_TITLE.search(plain) is not None
            decides = not (is_label and parent is section) and (names_agent or says_whether(plain))
        # Or it says nothing but that the rules below it are to be done, or not.
        if decides or POLARITY_WORDS.issuperset(to_slug(plain).split() or [""]):
            above = title
            polarity = _lead_polarity(None, title)
            span = parent.title.span
            yield _Lead(title, _HEADING_INDENT, span, -1, True, True, polarity)
            break
    title = _heading_title(section)
    if is_label and above != title:
        text = join_label(above, title) if above else title
        polarity = _lead_polarity(None, above) or _lead_polarity(None, text)
        yield _Lead(text, _LABEL_INDENT, section.title.span, -1, True, True, polarity)


def _lead_polarity(holder: _Lead | None, text: str) -> str:
    """Return what of a lead's text only says that what follows is to be done, or not; "" for
    nothing.
    """
    if holder is not None and holder.polarity and text.startswith(holder.polarity):
        return holder.polarity
    return text if only_forbids_or_demands(text) else ""


def _introduces_items(
    block: ListItem | Paragraph, text: str, follower: ListItem | Paragraph | None
) -> bool:
    """Return whether a text is a lead: a label of what is nested in it, or one with a colon."""
    if isinstance(block, TableRow):
        return False
    if BOLD.fullmatch(block.text.strip()) and _block_indent(follower) > max(
        _block_indent(block), 0
    ):
        return True
    return text.endswith(":") and _is_short_lead(text)


def _is_short_lead(text: str) -> bool:
    return len(text) <= LONGEST_LEAD or _NEGATION.search(text) is not None


def _compose_rule(found: list[SourceRule], holder: _Lead | None, text: str) -> tuple[str, str, int]:
    """Return the rule that a text makes, what is nested in it goes with, and the place of the rule
    that it is added to, -1 for none.
    """
    whole = _join_lead(holder, text)
    if holder is None or holder.rule < 0:
        return whole, whole, -1
    joined = f"{_strip_end(found[holder.rule].text)}; {text}"
    if len(joined) <= LONGEST_RULE:
        return joined, whole, holder.rule
    whole = whole if len(whole) <= LONGEST_RULE else text
    return whole, whole, -1


def _join_lead(above: _Lead | None, text: str) -> str:
    """Return a text with what it stands under before it."""
    if above is None:
        return text
    if above.polarity and above.rule < 0 and turns_round(above.polarity, plain_text(text)):
        rest = above.text.removeprefix(above.polarity).removeprefix(": ")
        return join_label(rest, text) if rest else text
    return f"{above.text}; {text}" if above.rule >= 0 else join_label(above.text, text)


def _strip_end(text: str) -> str:
    """Return a text that more can be added to."""
    return text.rstrip(".;,")


def _omission_reason(rule: str, text: str) -> str:
    if text.startswith("|"):
        return "table"
    if text.startswith("<"):
        return "HTML"
    if _LINKS.fullmatch(text):
        return "link or image"
    if _ABOUT_ITSELF.match(text) or _ABOUT_ITSELF_ELSEWHERE.match(text):
        return "about the file itself"
    if _TO_DO.match(text):
        return "note about work to do"
    if len(rule) > LONGEST_RULE:
        return f"prose of {len(rule)} characters"
    if not any(character.isalnum() for character in text):
        return "no words"
    problems = domain_rules.parse(f"RULE_RULE_0={rule}").problems
    return problems[0].message if problems else ""


def _heading_title(section: MarkdownSection) -> str:
    return label_text(section.title.value)


# Words from which on a rule says by itself what it is about; one with fewer gets its heading.
FEWEST_WORDS = 5

# "Article IV: ", "3. ", "Section 2 - ": where a heading stands, not what it is about.
_NUMBERING = re.compile(r"^(?:[A-Za-z]+ )?(?:[IVXLC]+|\d+(?:\.\d+)*)[.:)]?(?:\s+[-–—])?\s+")
# A heading of these words alone tells nothing about the rules below it.
_EMPTY_WORDS = """
additional and best other general guideline guidelines important info information instructions key misc
miscellaneous more note notes of our overview practices preamble principles project remember rule rules
section the tips your
"""
_EMPTY_SET = frozenset(_EMPTY_WORDS.split())


def strip_numbering(title: str) -> str:
    """Return the heading that gives a rule its context without where it stands: "Article IV:
    Payments" is "Payments".
    """
    return _NUMBERING.sub("", title)


def add_context(heading: RuleHeading) -> RuleHeading:
    """Add its context to rules of instructions: return a heading whose rules say what it says where
    they are too short to be understood without.
    """
    title = strip_numbering(heading.title)
    about = {word.casefold() for word in _WORD.findall(title)}
    if about <= _EMPTY_SET:
        return heading
    told = []
    for rule in heading.rules:
        words = [word.casefold() for word in _WORD.findall(rule.text)]
        clear = len(words) >= FEWEST_WORDS or not about.isdisjoint(words)
        clear = clear or turns_round(title, plain_text(rule.text))
        told.append(
            rule if clear else rule._replace(text=join_label(title, rule.text), bare=rule.text)
        )
    return replace(heading, rules=tuple(told))
