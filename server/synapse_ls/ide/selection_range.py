"""This module computes selection ranges, what a growing selection takes in next: a word, its
item, the value, the line, the group, the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.ide.file_languages import TOML_KINDS, YAML_KINDS
from synapse_ls.ide.folding_range import find_regions
from synapse_ls.text.span import Span, trim_span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.tree_domains import rules_in

_WORD = re.compile(r"[^\W_]+")
_NAME = re.compile(r"[\w*@][\w./*@-]*")


def selection_ranges(facts: FileFacts, offset: int) -> tuple[Span, ...]:
    """Returns the ranges that a selection at ``offset`` grows to, each inside the next; the last is
    the whole file.

    Where two of them overlap and none is inside the other, the smaller one counts.
    """
    offset = min(max(offset, 0), len(facts.text))
    around = {
        span for span in _enclosing_spans(facts, offset) if span.length and span.touches(offset)
    }
    found: list[Span] = []
    for span in sorted(around, key=lambda span: span.length):
        if not found or (span.start <= found[-1].start and found[-1].end <= span.end):
            found.append(span)
    whole = Span(0, len(facts.text))
    return tuple(found) if found and found[-1] == whole else (*found, whole)


def selection_ranges_at(facts: FileFacts, offsets: Iterable[int]) -> tuple[tuple[Span, ...], ...]:
    """Returns `selection_ranges` for each of several offsets."""
    return tuple(selection_ranges(facts, offset) for offset in offsets)


def _enclosing_spans(facts: FileFacts, offset: int) -> Iterator[Span]:
    text = facts.text
    line = facts.lines.line_span(facts.lines.line_of(offset))
    body = trim_span(text, *line)
    yield body
    yield line
    for pattern in (_WORD, _NAME):
        yield from (Span(*found.span()) for found in pattern.finditer(text, *body))
    yield from (fold.span for fold in find_regions(facts))
    if isinstance(facts.document, Manifest):
        yield from _entry_spans(facts.document, offset)
    elif facts.kind in YAML_KINDS:
        root = parse_yaml(text).document
        yield from _node_spans(root, offset) if root else ()
    elif facts.kind in TOML_KINDS:
        for place in key_positions(text).values():
            yield from place
    for rule in rules_in(facts.document):
        if rule.span.touches(offset):
            yield from (rule.key_span, rule.text_span, trim_span(text, *rule.span), rule.span)


def _entry_spans(manifest: Manifest, offset: int) -> Iterator[Span]:
    entry = manifest.entry_at(offset)
    if entry:
        start = entry.key.span.start
        yield from (item.span for item in entry.items)
        yield from (Span(start, start + len(entry.domain)), entry.key.span, entry.value.span)


def _node_spans(root: YamlNode, offset: int) -> Iterator[Span]:
    """Yields the YAML nodes around a place, and the pairs of key and value, from the outside in."""
    node: YamlNode | None = root
    while node is not None:
        yield node.span
        inner = None
        for item in node.items:
            inner = item if item.span.touches(offset) else inner
        for key, value in node.pairs:
            pair = Span(key.span.start, max(key.span.end, value.span.end))
            if pair.touches(offset):
                yield from (pair, key.span)
                inner = value if value.span.touches(offset) else inner
        node = inner
