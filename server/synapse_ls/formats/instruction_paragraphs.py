"""Split the lines of a file of instructions into paragraphs, list items and table rows: each is a
text that may become a rule.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, zip_longest

from synapse_ls.formats.markdown_outline import Line, ListItem, parse_blocks
from synapse_ls.formats.plain_text_rules import LIST_MARK, LONGEST_RULE, split_paragraph
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span

BOLD = re.compile(r"(?:^|(?<=[\s(]))(\*\*|__)(?=\S)([^*_]+)(?<=\S)\1")
_TABLE_RULE = re.compile(r"\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?")
_CELL_BORDER = re.compile(r"(?<!\\)\|")
RULER = re.compile(r"(?:[-*_=]\s*){2,}")
_CODE_OR_SPACE = re.compile(r"(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|\s+", re.DOTALL)
_NOT_BLANK_SPACE = re.compile(r"[^\S \t]+")
_QUOTE = re.compile(r"^(?:>\s?)+")
_LABELLED_LINE = re.compile(r"(?:\*\*|__)(?=\S)[^*_]{1,80}(?::(?:\*\*|__)|(?:\*\*|__):)")
ITALIC_LINE = re.compile(r"(\*|_)(?=[^\s*_])[^*_]*(?<=\S)\1")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """The text of lines of a file of instructions that belong together, with its place."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class TableRow(Paragraph):
    """A row of a table in a file of instructions as a sentence: each cell behind the heading of its
    column. ``head`` is the place of the headings, None where they have to stay.
    """

    head: Span | None = None


def iter_paragraphs(lines: Iterable[Line], index: LineIndex) -> Iterator[ListItem | Paragraph]:
    """Yield list items, the rows of tables, and the lines between them joined to paragraphs; fences
    and rulers are left out.
    """
    prose = (
        replace(line, text="") if RULER.fullmatch(line.text.strip()) else line
        for line in lines
        if line.fence is None
    )
    paragraphs: list[Line] = []
    for block in _join_continuations(parse_blocks(prose), index):
        if paragraphs:
            # A line that opens with a bold label (`**Inputs:** …`) begins a paragraph of its own.
            text = block.text.strip()
            above = paragraphs[-1]
            near = index.line_of(block.span.start) == index.line_of(above.span.start) + 1
            same = text.startswith("|") == above.text.strip().startswith("|")
            is_line = isinstance(block, Line) and not _LABELLED_LINE.match(text)
            if not (is_line and near and same):
                yield from _join_lines(paragraphs)
                paragraphs = []
        if isinstance(block, Line):
            paragraphs.append(block)
        else:
            yield block
    if paragraphs:
        yield from _join_lines(paragraphs)


def _join_continuations(
    blocks: Iterable[ListItem | Line], index: LineIndex
) -> Iterator[ListItem | Line]:
    """Yield the blocks; a line with a colon in it goes on an item that it is indented below, and is
    no field of its own.
    """
    item: ListItem | None = None
    for block in blocks:
        if isinstance(block, Line) and item is not None:
            columns = block.text.expandtabs(4)
            is_deeper = len(columns) - len(columns.lstrip()) > item.indent
            follows = index.line_of(block.span.start) == index.line_of(item.span.end) + 1
            if follows and is_deeper and not columns.lstrip().startswith(("|", ">", "<")):
                text = f"{item.text} {block.text.strip()}"
                item = replace(item, text=text, span=Span(item.span.start, block.span.end))
                continue
        if item is not None:
            yield item
        item = block if isinstance(block, ListItem) else None
        if isinstance(block, Line):
            yield block
    if item is not None:
        yield item


def _join_lines(lines: list[Line]) -> Iterator[Paragraph]:
    """Yield the lines as paragraphs, those that nobody wrapped one by one, or those of a table row
    by row.
    """
    rule = lines[1].text.strip() if len(lines) > 2 and "|" in lines[0].text else ""
    if "|" in rule and _TABLE_RULE.fullmatch(rule):
        # The rows of a table.
        titles = _split_cells(lines[0].text)
        texts = [_row_text(titles, _split_cells(line.text)) for line in lines[2:]]
        row_whole = all(texts) and all(len(text) <= LONGEST_RULE for text in texts)
        head = Span(lines[0].span.start, lines[1].span.end) if row_whole else None
        for line, row_text in zip(lines[2:], texts, strict=True):
            if row_text:
                yield TableRow(row_text, line.span, head)
        return
    texts = [_QUOTE.sub("", line.text.lstrip()) for line in lines]
    whole = texts[0].startswith(("<", "|")) or all(ITALIC_LINE.fullmatch(s.strip()) for s in texts)
    starts = [0] if whole else split_paragraph(texts)
    for start, end in pairwise((*starts, len(lines))):
        text = " ".join(part.strip() for part in texts[start:end])
        mark = LIST_MARK.match(text)
        text = text[mark.end() :] if mark else text
        if end < len(lines):
            text = text.removesuffix("\\")
        yield Paragraph(text, Span(lines[start].span.start, lines[end - 1].span.end))


def _split_cells(line: str) -> list[str]:
    inner = line.strip().removeprefix("|")
    if inner.endswith("|") and not inner.endswith("\\|"):
        inner = inner[:-1]
    # A bar in a cell has a backslash before it (GFM 4.10), which is a mark of the table.
    return [join_lines(cell.replace("\\|", "|")) for cell in _CELL_BORDER.split(inner)]


def _row_text(titles: list[str], cells: list[str]) -> str:
    """Return a row as a sentence, without its empty cells; "" for a row of these alone."""
    said = []
    for title, cell in zip_longest(map(label_text, titles), cells, fillvalue=""):
        if cell.strip("-–—. "):
            is_question = title.endswith("?")
            said.append(
                f"{title} {cell}" if is_question else join_label(title, cell) if title else cell
            )
    return "; ".join(said)


def join_lines(text: str) -> str:
    """Return the text of a paragraph on one line. White space in code stays as it is, but for
    breaks of a line.
    """
    return _CODE_OR_SPACE.sub(
        lambda part: _NOT_BLANK_SPACE.sub(" ", part[0]) if part[1] else " ", text.strip()
    )


def label_text(text: str) -> str:
    """Return what a heading or label says, as it is written, without a colon at its end and without
    the marks of bold type around all of it.
    """
    text = join_lines(text).rstrip(":")
    whole = BOLD.fullmatch(text)
    return whole[2].rstrip(":") if whole and whole[1] == "**" else text


def join_label(label: str, text: str) -> str:
    """Return a text behind a heading or label and its colon, which may stand in bold
    type already.
    """
    return f"{label}{'' if label.endswith((':**', ':__')) else ':'} {text}"


def plain_text(text: str) -> str:
    """Return a text without the marks of bold type, to be judged by its words. It is no text of a
    rule: the marks can be part of code.
    """
    return BOLD.sub(r"\2", " ".join(text.split()))
