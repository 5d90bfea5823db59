"""Compute folding ranges (comments, tables, sections, groups) and selection ranges.

A growing selection takes in the word, its item, the value, the line, the group, the file.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, pairwise
from operator import attrgetter, itemgetter
from typing import NamedTuple

from synapse_ls.formats import markdown_outline, toml_document, yaml_tree
from synapse_ls.formats.manifest import Manifest
from synapse_ls.ide.position_lookup import MARKDOWN_KINDS, TOML_KINDS, YAML_KINDS
from synapse_ls.ide.symbols import document_symbols
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import iter_lines
from synapse_ls.text.span import Span, trim_span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.file_kinds import RULE_KINDS, FileKind
from synapse_ls.workspace.tree_domains import rules_in, rules_mode

_HTML_COMMENT = lazy_pattern(r"<!--.*?(?:-->|\Z)", re.DOTALL)


class Fold(NamedTuple):
    """A folding range, lines that can be folded into their first, counted from 0; ``kind`` is
    "comment" or "region".
    """

    first: int
    last: int
    kind: str


def folding_ranges(facts: FileFacts) -> tuple[Fold, ...]:
    """Return the ranges that can be folded, in text order; of several that begin on one line the
    longest.
    """
    longest: dict[int, Fold] = {}
    for fold in find_regions(facts):
        earlier = longest.get(fold.first)
        if fold.first < fold.last and (earlier is None or earlier.last < fold.last):
            longest[fold.first] = fold
    return tuple(longest[line] for line in sorted(longest))


def find_regions(facts: FileFacts) -> Iterator[Fold]:
    """Yield the parts of a file that belong together and so can be folded, in no order; some are a
    single line.
    """
    line_of = facts.lines.line_of
    for kind, find in _BY_KIND.get(facts.kind, ()) if facts.is_read else ():
        for start, end in find(facts):
            yield Fold(line_of(start), line_of(max(start, end)), kind)


def _filled_lines(facts: FileFacts) -> Iterator[tuple[int, Span]]:
    """Yield the lines that are not blank: the number, and the place of the text on it."""
    for number, line in enumerate(iter_lines(facts.text)):
        if (body := trim_span(facts.text, *line)).length:
            yield number, body


def _comment_blocks(facts: FileFacts) -> Iterator[Span]:
    """Yield runs of comment lines."""
    text = facts.text
    comments = [(number, body) for number, body in _filled_lines(facts) if text[body.start] == "#"]
    for _, run in groupby(enumerate(comments), key=lambda entry: entry[1][0] - entry[0]):
        spans = [body for _, (_, body) in run]
        yield Span(spans[0].start, spans[-1].end)


def _named_groups(facts: FileFacts) -> Iterator[Span]:
    """Yield the rows of one domain, article, bracket or command, as far as no other's stand between
    them.
    """
    leaves: list[tuple[Span, str]] = []
    for parent in document_symbols(facts):
        if parent.kind != "group":
            name = f"{parent.kind} {parent.name}" if parent.children else ""
            leaves += ((child.span, name) for child in parent.children or (parent,))
            leaves += [(parent.selection, name)] * bool(parent.children)
    for name, run in groupby(sorted(leaves), key=itemgetter(1)):
        spans = [span for span, _ in run]
        if name:
            yield Span(spans[0].start, max(span.end for span in spans))


def _heading_groups(facts: FileFacts) -> Iterator[Span]:
    """Yield the plain rules below one heading, with the line of the heading."""
    document = facts.document
    rules = rules_in(document) if rules_mode(document) == "plain" else ()
    bodies = [body for _, body in _filled_lines(facts)] if rules else []
    before = {after.start: earlier for earlier, after in pairwise(bodies)}
    for heading, run in groupby(rules, key=attrgetter("group")):
        spans = [rule.span for rule in run]
        if heading:
            first = trim_span(facts.text, *spans[0])
            above = before.get(first.start, first)
            start = above.start if heading in above.cut(facts.text) else first.start
            yield Span(start, spans[-1].end)


def _markdown_sections(facts: FileFacts) -> Iterator[Span]:
    """Yield Markdown headings with all that stands below them."""
    outline = markdown_outline.parse_outline(facts.text)
    for section in outline.sections:
        after = section.index + len(outline.with_subsections(section))
        end = len(facts.text)
        if after < len(outline.sections):
            line = facts.lines.line_of(outline.sections[after].title.span.start)
            end = facts.lines.line_span(line).start
        if section.level:
            yield trim_span(facts.text, section.title.span.start, end)


def _fenced_blocks(facts: FileFacts) -> Iterator[Span]:
    """Yield fenced blocks and front matter, with the marks around them."""
    outline = markdown_outline.parse_outline(facts.text)
    for body in filter(None, (*(fence.body for fence in outline.fences), outline.front)):
        # The body begins after the first mark and ends at the last.
        yield Span(body.start - 1, body.end)


def _indented_blocks(facts: FileFacts) -> Iterator[Span]:
    """Yield lines with the deeper ones below them; the items of a YAML list count as deeper than
    its key.

    It works by indentation and not by the parsed tree, which a file that is being typed does not
    have.
    """
    text = facts.text
    opened: list[tuple[float, int]] = []
    end = 0
    for number, body in _filled_lines(facts):
        if text[body.start] == "#":
            continue
        indent = body.start - facts.lines.line_span(number).start
        depth = indent + 0.5 * text.startswith(("- ", "-\n", "-\r"), body.start)
        while opened and opened[-1][0] >= depth:
            yield Span(opened.pop()[1], end)
        opened.append((depth, body.start))
        end = body.end
    yield from (Span(start, end) for _, start in opened)


def _toml_tables(facts: FileFacts) -> Iterator[Span]:
    """Yield TOML tables up to the next one, and values of several lines."""
    values = toml_document.key_positions(facts.text).values()
    yield from (place.value for place in values)
    heads = {facts.lines.line_of(place.key.start) for place in values if place.key == place.value}
    tables: list[Span] = []
    for number, body in _filled_lines(facts):
        if number in heads and facts.text[body.start] == "[":
            tables.append(body)
        elif tables and facts.text[body.start] != "#":
            tables[-1] = Span(tables[-1].start, body.end)
    yield from tables


SpanFinder = Callable[[FileFacts], Iterable[Span]]
_COMMENT_FOLD = ("comment", _comment_blocks)
_KEY_FILE_FOLDS: tuple[tuple[str, SpanFinder], ...] = (_COMMENT_FOLD, ("region", _named_groups))
_FENCE_FOLDS: tuple[tuple[str, SpanFinder], ...] = (
    ("comment", lambda facts: (Span(*m.span()) for m in _HTML_COMMENT.finditer(facts.text))),
    ("region", _fenced_blocks),
)
_BY_KIND: Mapping[FileKind, tuple[tuple[str, SpanFinder], ...]] = {
    FileKind.MANIFEST: _KEY_FILE_FOLDS,
    **dict.fromkeys(RULE_KINDS, (*_KEY_FILE_FOLDS, ("region", _heading_groups), *_FENCE_FOLDS)),
    **dict.fromkeys(YAML_KINDS, (_COMMENT_FOLD, ("region", _indented_blocks))),
    **dict.fromkeys(TOML_KINDS, (_COMMENT_FOLD, ("region", _toml_tables))),
    **dict.fromkeys(MARKDOWN_KINDS, (*_FENCE_FOLDS, ("region", _markdown_sections))),
}


_WORD = lazy_pattern(r"[^\W_]+")
_NAME = lazy_pattern(r"[\w*@][\w./*@-]*")


def selection_ranges(facts: FileFacts, offset: int) -> tuple[Span, ...]:
    """Return the ranges that a selection at ``offset`` grows to, each inside the next; the last is
    the whole file.

    Where two of them overlap and none is inside the other, the smaller one counts.
    """
    offset = min(max(offset, 0), len(facts.text))
    spans = {span for span in _enclosing_spans(facts, offset) if span.length}
    ranges: list[Span] = []
    for span in sorted(filter(lambda span: span.touches(offset), spans), key=attrgetter("length")):
        if not ranges or (span.start <= ranges[-1].start and ranges[-1].end <= span.end):
            ranges.append(span)
    return tuple(dict.fromkeys((*ranges, Span(0, len(facts.text)))))


def _enclosing_spans(facts: FileFacts, offset: int) -> Iterator[Span]:
    text = facts.text
    line = facts.lines.line_span(facts.lines.line_of(offset))
    body = trim_span(text, *line)
    yield body
    yield line
    for pattern in (_WORD, _NAME):
        yield from (Span(*match.span()) for match in pattern.finditer(text, *body))
    line_span = facts.lines.line_span
    for first, last, _ in find_regions(facts):
        yield Span(line_span(first).start, line_span(last).end)
    if isinstance(facts.document, Manifest):
        if entry := facts.document.entry_at(offset):
            start = entry.key.span.start
            yield from (item.span for item in entry.items)
            yield from (Span(start, start + len(entry.domain)), entry.key.span, entry.value.span)
    elif facts.kind in YAML_KINDS:
        root = yaml_tree.parse_yaml(text).document
        yield from _node_spans(root, offset) if root else ()
    elif facts.kind in TOML_KINDS:
        for place in toml_document.key_positions(text).values():
            yield from place
    for rule in rules_in(facts.document):
        if rule.span.touches(offset):
            yield from (rule.key_span, rule.text_span, trim_span(text, *rule.span), rule.span)


def _node_spans(root: yaml_tree.YamlNode, offset: int) -> Iterator[Span]:
    """Yield the YAML nodes around a place, and the pairs of key and value, from the outside in."""
    node: yaml_tree.YamlNode | None = root
    while node is not None:
        yield node.span
        inner = None
        for item in node.items:
            inner = item if item.span.touches(offset) else inner
        for key, value in node.pairs:
            if (pair := Span(key.span.start, max(key.span.end, value.span.end))).touches(offset):
                yield from (pair, key.span)
                inner = value if value.span.touches(offset) else inner
        node = inner
