"""Parse a file of instructions into blocks with places (CommonMark 0.31, GFM 4.10 tables).

Two differences: lines of tags alone (``<rules>``), which enclose parts of a prompt, are blocks of
their own and not HTML; link definitions stay in their paragraph.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.rules_block import StateBlock
    from markdown_it.token import Token

# Lists and quotations in each other; deeper ones are one block without parts.
_DEEPEST = 60
_TAG_LINE = lazy_pattern(r"(?:</?[A-Za-z][\w:.-]*(?:\s[^<>]*)?>\s*)+")
_KINDS = {
    "bullet_list_open": "list", "ordered_list_open": "list", "list_item_open": "item",
    "blockquote_open": "quote", "table_open": "table", "fence": "code", "code_block": "code",
    "hr": "ruler", "tag": "tag", "heading_open": "heading", "paragraph_open": "paragraph",
}  # fmt: skip

_NOT_BREAK = lazy_pattern(r"[^\r\n]")
_TEXT_BEHIND = lazy_pattern(r"[ \t]*[^\s]")
FILLER = "\u2060"  # no white space


@dataclass(slots=True)
class Block:
    """A block of Markdown. kind: "list", "item", "quote", "table", "code", "ruler", "tag",
    "heading" or "paragraph".

    span: its lines, without white space around them. lines: those of the text of a heading, a
    paragraph or a tag, without the marks before it. level: of a heading, negative where it is
    underlined.
    """

    kind: str
    span: Span
    level: int
    lines: Sequence[Span]
    parts: list[Block]


def parse_blocks(text: str) -> list[Block]:
    """Return the blocks of a text. Never raises."""
    lines = [Span(*place) for place in iter_lines(text)]
    top: list[Block] = []
    open_blocks = [top]
    for token in _parser().parse(text):
        if (kind := _KINDS.get(token.type, "")) and token.map is not None:
            last = min(max(token.map[1], token.map[0] + 1), len(lines))
            start, end = lines[token.map[0]].start, lines[last - 1].end
            piece = text[start:end]
            start = end - len(piece.lstrip())
            span = Span(start, max(start, end - len(piece) + len(piece.rstrip())))
            block = Block(kind, span, 0, (), [])
            if kind == "tag":
                block.lines = (span,)
            elif kind == "heading":
                block.level = int(token.tag[1:]) * (1 if token.markup[:1] == "#" else -1)
            open_blocks[-1].append(block)
            if token.nesting == 1:
                open_blocks.append(block.parts)
        elif token.type == "inline" and token.map is not None:
            block = open_blocks[-2][-1]
            if block.kind in ("heading", "paragraph"):
                block.lines = tuple(_text_lines(text, lines[slice(*token.map)], token))
        elif token.nesting == -1 and f"{token.type[:-6]}_open" in _KINDS:
            open_blocks.pop()
    return top


def _text_lines(text: str, lines: Sequence[Span], token: Token) -> Iterator[Span]:
    """Yield the places of the lines of a heading or paragraph, which are the ends of their lines,
    but for the marks that close a heading.
    """
    for raw, line in zip(token.content.split("\n"), lines, strict=False):
        content = raw.strip()
        whole = line.cut(text).rstrip()
        start = whole.rfind(content) if content else len(whole)
        yield Span(line.start + start, line.start + start + len(content))


def _read_tag_line(state: StateBlock, start: int, _: int, silent: bool) -> bool:
    """Read a line of tags alone, which also ends paragraphs, lists and quotations."""
    line = state.src[state.bMarks[start] + state.tShift[start] : state.eMarks[start]]
    if state.is_code_block(start) or not _TAG_LINE.fullmatch(line):
        return False
    if not silent:
        state.push("tag", "", 0).map = [start, start + 1]
        state.line = start + 1
    return True


@cache
def _parser() -> MarkdownIt:
    # What only looks at lint rules, or at trees without such files, need not load it.
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"maxNesting": _DEEPEST})
    parser.enable("table").disable(["html_block", "reference"])
    parser.core.ruler.enableOnly(["normalize", "block"])
    ends = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("table", "tag", _read_tag_line, {"alt": ends})
    return parser


def blank_out(text: str, hidden: Iterable[Span]) -> str:
    """Return the text with nothing to see where something is hidden; lines and places stay."""
    pieces: list[str] = []
    done = 0
    for span in hidden:
        # Spaces would indent what stands behind it on its line, so that it would be code.
        gap = _NOT_BREAK.sub(" ", span.cut(text))
        if _TEXT_BEHIND.match(text, span.end):
            last_line = gap.rstrip(" ")
            gap = last_line + FILLER * (len(gap) - len(last_line))
        pieces += text[done : span.start], gap
        done = span.end
    return "".join((*pieces, text[done:]))
