"""Parse YAML into a tree of nodes with exact places (YAML 1.2.2, core schema).

Built from ruamel.yaml's events: its own composer recurses, loses the places of aliases and ignores
repeated keys. Aliases are not expanded, so a "billion laughs" costs only its text, and no tag
constructs anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from itertools import chain
from typing import Any, NamedTuple

from synapse_ls.formats import yaml_repairs
from synapse_ls.formats.yaml_events import UNCLOSED_BRACKET, YamlFailure, parse_events
from synapse_ls.text.finding import Finding, ParseResult, Text, place_data, sort_problems
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits

Scalar = None | bool | int | float | str

# Characters, values, and levels in each other of YAML that is read.
MAX_CHARS, MAX_NODES, MAX_DEPTH = 1_000_000, 100_000, 100
# Problems of one kind that are reported one by one; a hostile file could hold half a million.
MAX_REPORTED = 100

_MOST_REPAIRS = 100  # of lines that are mended at once
_MOST_READ = 1_000_000  # characters that are read to find what else is refused

_MERGE = "<<"
# Compiled where they are needed first: to compile them all costs more than to read most files.
# Two, because a set of characters from both ends of Unicode takes ten times as long to compile.
_FORBIDDEN = ("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f]", "[\ud800-\udfff\ufffe\uffff]")
_INT = r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+"
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
_BASES = {"0o": 8, "0x": 16}
_CONSTANTS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
_NUMBER_STARTS = frozenset("+-.0123456789")
_STRING_TAG = "tag:yaml.org,2002:str"


class YamlNode:
    """One node of a YAML tree, and never changes.

    ``kind`` is "mapping", "sequence", "scalar" or "alias". ``span`` takes in quotes, anchor and
    tag; a block collection or block scalar ends with its last visible character. ``value`` is a
    scalar's text or an alias's name. ``style`` is "", "'", '"', "|" or ">" for a scalar and "block"
    or "flow" for a collection. ``tag`` is the tag that the source names, else "". ``target`` is
    what an alias stands for; it is ``None`` for an alias inside its own anchor and for one without
    an anchor.
    """

    __slots__ = ("items", "kind", "pairs", "span", "style", "tag", "target", "value")

    def __init__(
        self,
        kind: str,
        span: Span,
        value: str = "",
        style: str = "",
        tag: str = "",
        items: tuple[YamlNode, ...] = (),
        pairs: tuple[tuple[YamlNode, YamlNode], ...] = (),
        target: YamlNode | None = None,
    ) -> None:
        self.kind = kind
        self.span = span
        self.value = value
        self.style = style
        self.tag = tag
        self.items = items
        self.pairs = pairs
        # Shared, so neither compared nor shown: following it is what makes an alias bomb explode.
        self.target = target

    def _values(self) -> tuple[Any, ...]:
        return self.kind, self.span, self.value, self.style, self.tag, self.items, self.pairs

    def __eq__(self, other: object) -> bool:
        return isinstance(other, YamlNode) and self._values() == other._values()

    def __hash__(self) -> int:
        return hash((self.kind, self.span, self.value))

    def __repr__(self) -> str:
        return f"YamlNode{self._values()!r}"

    @property
    def target_node(self) -> YamlNode:
        """The node itself, or what it stands for when it is an alias."""
        return self.target or self

    def key_node(self, key: str) -> YamlNode | None:
        """Return the key of a mapping's entry, or ``None``; the last one where a key
        is repeated.
        """
        pair = self._find_pair(key)
        return pair[0] if pair else None

    def _find_pair(self, key: str) -> tuple[YamlNode, YamlNode] | None:
        """Return a mapping's entry, one of its own before those that ``<<`` merges into it (YAML
        1.1, "Merge Key"), or ``None``.
        """
        top = self.target_node
        is_merged = False
        for pair in reversed(top.pairs):
            if (written := pair[0].value) == key:
                return pair
            is_merged = is_merged or written == _MERGE
        waiting, visited = [top] if is_merged else [], set[int]()
        while waiting:
            node = waiting.pop(0)
            if id(node) in visited:
                continue
            visited.add(id(node))
            merged: list[YamlNode] = []
            for name, value in reversed(node.pairs):
                if name.value == key:
                    return name, value
                if name.value == _MERGE and not name.style:
                    base = value.target_node
                    merged += [base, *(item.target_node for item in base.items)]
            waiting[:0] = merged
        return None

    def walk(self) -> Iterator[YamlNode]:
        """Yield the node and all nodes below it, in no order."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting += node.items
            waiting += chain.from_iterable(node.pairs)

    def get(self, key: str) -> YamlNode | None:
        """Return the value of a mapping's entry (an alias as what it stands for), or ``None``."""
        pair = self._find_pair(key)
        return pair[1].target_node if pair else None

    def nodes(self, key: str) -> tuple[YamlNode, ...]:
        """Return the items of a mapping's entry, aliases as what they stand for; () for none."""
        value = self.get(key)
        return tuple(item.target_node for item in value.items) if value else ()

    def members(self, key: str) -> tuple[tuple[YamlNode, YamlNode], ...]:
        """Return the keys of a mapping's entry with what they stand for; () for none."""
        value = self.get(key)
        return tuple((name, node.target_node) for name, node in value.pairs) if value else ()

    @property
    def scalar_texts(self) -> tuple[Text, ...]:
        """The items of a sequence that are scalars themselves."""
        return tuple(Text(item.value, item.span) for item in self.items if item.kind == "scalar")

    @property
    def first_character(self) -> Span:
        """Where the node begins, for what is wrong with all of it."""
        return Span(self.span.start, min(self.span.start + 1, self.span.end))

    @property
    def first_key_span(self) -> Span:
        """The span of a mapping's first key; that of all of any other node."""
        return self.target_node.pairs[0][0].span if self.target_node.pairs else self.span

    def non_null(self, key: str) -> YamlNode | None:
        """Return the value of a mapping's entry unless it is absent or null, else ``None``."""
        value = self.get(key)
        return None if value and value.kind == "scalar" and value.resolve() is None else value

    def text(self, key: str) -> Text | None:
        """Return the text and place of a mapping's scalar entry; ``None`` if absent, null or not
        scalar.
        """
        value = self.non_null(key)
        return Text(value.value, value.span) if value and value.kind == "scalar" else None

    def scalar(self, key: str, default: str = "") -> str:
        """Return the text of a mapping's scalar entry, or ``default`` if it is absent, null or not
        scalar.
        """
        value = self.get(key)
        is_text = value and value.kind == "scalar" and value.resolve() is not None
        return value.value if value and is_text else default

    def resolve(self) -> Scalar:
        """Return the Python value of a scalar under the YAML 1.2 core schema; ``None`` for a
        collection.

        ``on``, ``yes`` and ``010`` are what YAML 1.2 says: two strings and ten. A number too long
        for Python to convert stays text.
        """
        node = self.target_node
        text = node.value
        if node.kind != "scalar":
            return None
        if node.style or node.tag == _STRING_TAG:
            return text
        if text in _CONSTANTS:
            return _CONSTANTS[text]
        if text[0] not in _NUMBER_STARTS:
            return text
        try:
            if re.fullmatch(_INT, text):
                return int(text, _BASES.get(text[:2], 10))
            return float(text) if re.fullmatch(_FLOAT, text) else text
        except ValueError:
            return text


def parse_yaml(text: str, *, region: Span | None = None) -> ParseResult[YamlNode | None]:
    """Parse the first YAML document of ``text`` to a tree, or of a ``region`` of it such as a
    fenced block.

    All spans count from the start of ``text``. The document is ``None`` when there is none or when
    it cannot be read. Problem kinds: ``invalid-yaml``, ``yaml-too-large``, ``yaml-too-deep``,
    ``duplicate-yaml-key`` (the last value counts), ``extra-yaml-document`` (only the first counts).
    Never raises.
    """
    region = region or Span(0, len(text))
    if text.startswith("\ufeff", *region):
        region = Span(region.start + 1, region.end)
    if region.length > MAX_CHARS:
        message = (
            f"The YAML is {region.length:,} characters long and at most {MAX_CHARS:,} are read, "
            "so nothing of it is."
        )
        return ParseResult(
            None, (Finding(Span(region.start, region.start), message, kind="yaml-too-large"),)
        )
    searches = (re.compile(pattern).search(text, *region) for pattern in _FORBIDDEN)
    if forbidden := next(filter(None, searches), None):
        code = f"U+{ord(forbidden.group()):04X}"
        failure = YamlFailure(forbidden.start(), f"YAML forbids the character {code}", "Delete it.")
        return ParseResult(None, (_invalid_yaml_problem(text, failure, LineIndex(text)),))
    builder = _TreeBuilder(text, region.start)
    return ParseResult(builder.build(region), sort_problems(builder.problems))


def _invalid_yaml_problem(
    text: str, failure: YamlFailure, index: LineIndex, region: Span | None = None
) -> Finding:
    """Return the problem of a failure; ``region``: the YAML that it stands in, where lines like the
    failing one are to be counted.
    """
    line = index.line_of(failure.offset)
    end = min(
        failure.offset + failure.length, len(text), max(index.line_span(line).end, failure.offset)
    )
    message, remedy = f"{failure.reason}, so this YAML cannot be read.", failure.remedy
    below: list[str] = []
    data: tuple[tuple[str, str], ...] = ()
    if failure.repair:
        remedy = failure.repair.remedy
        edits: tuple[TextEdit, ...] = (failure.repair.edit,)
        if region:
            edits, refused = _plan_edits(text, region, failure)
            others = {index.line_of(edit.span.start) + 1 for edit in edits[1:]} - {line + 1}
            first = min(others, default=0)
            if len(others) == 1:
                below.append(f"Another mistake is on line {first}.")
            elif others:
                below.append(
                    f"Other mistakes are on {len(others)} lines, the first of them line {first}."
                )
            if refused:
                below.append(f"With that mended, it is refused again on line {refused}.")
        places = (("edit", f"{e.span.start} {e.span.end} {e.new_text}") for e in edits)
        data = (("title", failure.repair.title), *places) if edits else ()
    if sentences := " ".join(below):
        message = f"{failure.reason}, so this YAML cannot be read. {sentences[:-1]}."
    return Finding(Span(failure.offset, end), message, remedy, kind="invalid-yaml", data=data)


def _plan_edits(text: str, region: Span, failure: YamlFailure) -> tuple[tuple[TextEdit, ...], int]:
    """Return the edits that mend the failing line and those below of which it is known what they
    mean, in the order of the text, and the line that is refused when these are mended, 0 for none.
    """
    mended, shift = region.cut(text), region.start
    edits: list[TextEdit] = []
    most = min(_MOST_REPAIRS, _MOST_READ // max(1, region.length))
    failing: YamlFailure | None = failure
    while failing and failing.repair and failing.repair.is_meant and len(edits) < most:
        edit = failing.repair.edit
        mended = apply_edits(mended, (edit,))
        try:
            for _ in parse_events(mended):
                pass
            failing = None
        except YamlFailure as next_failure:
            failing = next_failure
        if failing and failing.offset < edit.span.start + len(edit.new_text):
            break
        edits.append(TextEdit(edit.span.shift(shift), edit.new_text))
        shift -= len(edit.new_text) - edit.span.length
    if not edits or failing is None:
        return tuple(edits), 0
    place = min(failing.offset, len(mended.rstrip()))
    # No edit adds a line or takes one away.
    lines_above = LineIndex(text).line_of(region.start)
    return tuple(edits), lines_above + LineIndex(mended).line_of(place) + 1


def _say_which_entry_goes(above: YamlNode, below: YamlNode, line: int) -> str:
    """Return what to do about two entries under one key, the first of them on ``line``."""
    if _is_empty(below):
        return "Delete this entry, which is empty."
    if _is_empty(above):
        return f"Delete the entry on line {line}, which is empty."
    kinds = {above.target_node.kind, below.target_node.kind}
    if kinds == {"sequence"}:
        return "Join the two lists under one key."
    if kinds == {"mapping"}:
        return "Join the two entries under one key."
    if "scalar" not in kinds:
        return "Give one of the two another key."
    return f"Delete the entry on line {line}, or this one if that one is meant."


def _is_empty(node: YamlNode) -> bool:
    """Return whether the value of an entry is null or has nothing in it."""
    node = node.target_node
    if node.kind == "scalar":
        return node.resolve() in (None, "")
    return node.kind != "alias" and not node.items and not node.pairs


class _LimitExceeded(Exception):  # noqa: N818 - a limit that was reached, not a fault
    """A limit was reached, so the rest is not looked at; its argument is the problem."""


class _OpenCollection(NamedTuple):
    """A collection whose end has not been reached."""

    event: Any
    start: int
    children: list[YamlNode]


def _is_sequence(event: Any) -> bool:
    return type(event).__name__ == "SequenceStartEvent"


class _TreeBuilder:
    """A _TreeBuilder makes nodes of events, with a stack of its own, so that depth is a number
    and not a crash.
    """

    def __init__(self, text: str, start: int) -> None:
        self.problems: list[Finding] = []
        self._text = text
        self._start = start
        self._stack: list[_OpenCollection] = []
        self._anchors: dict[str, YamlNode | None] = {}
        self._reported: dict[str, int] = {}

    @cached_property
    def _index(self) -> LineIndex:
        return LineIndex(self._text)

    def build(self, region: Span) -> YamlNode | None:
        """Return the tree of the region, or ``None``; the problems are left in ``problems``."""
        try:
            return self._build_tree(region)
        except YamlFailure as failure:
            failure.offset += self._start
            # The innermost bracket that is open; a pair in a flow sequence is a mapping
            # without one.
            opened = [
                o for o in self._stack if o.event.flow_style and self._text[o.start] in "[{&!"
            ]
            found = failure
            if failure.unfinished and opened:
                bracket = "[" if _is_sequence(opened[-1].event) else "{"
                if (place := self._text.find(bracket, opened[-1].start)) >= 0:
                    found = YamlFailure(place, *UNCLOSED_BRACKET[bracket])
            line = self._index.line_of(found.offset)
            # What is wrong in a value that has to be quoted anyway is not a second mistake.
            refused = (one.span.start for one in self.problems if one.kind == "invalid-yaml")
            if line not in map(self._index.line_of, refused):
                self.problems.append(_invalid_yaml_problem(self._text, found, self._index, region))
        except _LimitExceeded as excess:
            self.problems.append(excess.args[0])
        return None

    def _build_tree(self, region: Span) -> YamlNode | None:
        root: YamlNode | None = None
        stack = self._stack
        documents = 0
        for nodes, (kind, event) in enumerate(parse_events(region.cut(self._text))):
            start = event.start_mark.index + self._start
            if kind == "document":
                documents += 1
                if documents > 1:
                    message = "A second YAML document begins here; only the first one is read."
                    line = self._index.line_span(self._index.line_of(start))
                    span = Span(start, min(start + 3, line.end))
                    self.problems.append(Finding(span, message, kind="extra-yaml-document"))
                    break
            elif kind in ("mapping", "sequence"):
                if len(stack) >= MAX_DEPTH:
                    raise self._limit_excess("yaml-too-deep", MAX_DEPTH, "levels deep", start)
                if event.anchor:
                    self._anchors[event.anchor] = None
                stack.append(_OpenCollection(event, start, []))
            else:
                if nodes >= MAX_NODES:
                    raise self._limit_excess("yaml-too-large", MAX_NODES, "values long", start)
                if kind == "end":
                    opened = stack.pop()
                    anchor = opened.event.anchor
                    node = self._build_collection(opened, event.end_mark.index + self._start)
                else:
                    anchor = event.anchor if kind == "scalar" else None
                    end = event.end_mark.index + self._start
                    if kind == "alias":
                        node = self._alias_node(event, start, end)
                    else:
                        style, tag = event.style or "", str(event.tag or "")
                        if style in ("|", ">") or start == end:
                            end = start + len(self._text[start:end].rstrip(" \t\r\n"))
                        if start == end and not style:
                            start = end = self._empty_value_start(start)
                        node = YamlNode("scalar", Span(start, end), event.value, style, tag)
                if anchor:
                    self._anchors[anchor] = node
                if stack:
                    stack[-1].children.append(node)
                else:
                    root = node
        return root

    def _alias_node(self, event: Any, start: int, end: int) -> YamlNode:
        is_reported = self._reported.get("invalid-yaml", 0) < MAX_REPORTED
        if is_reported and event.anchor not in self._anchors:
            what = (
                f"`*` cannot begin an unquoted value (YAML takes `*{event.anchor}` for a reference)"
            )
            remedy = "Quote the value if it is plain text."
            repair = yaml_repairs.quote_value(self._text, start, what)
            failure = YamlFailure(start, what, remedy, repair=repair, length=end - start)
            self._report(_invalid_yaml_problem(self._text, failure, self._index))
        target = self._anchors.get(event.anchor)
        return YamlNode("alias", Span(start, end), event.anchor, target=target)

    def _limit_excess(self, kind: str, limit: int, unit: str, offset: int) -> _LimitExceeded:
        message = f"The YAML is more than {limit:,} {unit} here, so nothing of it is read."
        span = Span(offset, min(offset + 1, len(self._text)))
        return _LimitExceeded(Finding(span, message, kind=kind))

    def _report(self, problem: Finding) -> None:
        count = self._reported[problem.kind] = self._reported.get(problem.kind, 0) + 1
        if count <= MAX_REPORTED:
            self.problems.append(problem)

    def _empty_value_start(self, start: int) -> int:
        """Return where an empty value stands, right after its colon; parsers disagree about the
        white space.
        """
        opened = self._stack[-1] if self._stack else None
        children = [] if opened is None or _is_sequence(opened.event) else opened.children
        if len(children) % 2 == 0:
            return start
        place = children[-1].span.end
        while place < start and self._text[place] in " \t":
            place += 1
        return place + 1 if self._text[place : place + 1] == ":" else min(start, place)

    def _build_collection(self, opened: _OpenCollection, end: int) -> YamlNode:
        event, children = opened.event, opened.children
        style = "flow" if event.flow_style else "block"
        if style == "block":
            end = max(opened.start, children[-1].span.end if children else opened.start)
        span, tag = Span(opened.start, end), str(event.tag or "")
        if _is_sequence(event):
            return YamlNode("sequence", span, style=style, tag=tag, items=tuple(children))
        pairs = tuple(zip(children[::2], children[1::2], strict=True))
        if len({key.value for key, _ in pairs}) != len(pairs):
            first: dict[tuple[type, Scalar], tuple[YamlNode, YamlNode]] = {}
            for key, entry in pairs:
                if key.kind != "scalar" or key.value == _MERGE:
                    continue
                value = key.resolve()
                earlier, above = first.setdefault((type(value), value), (key, entry))
                if earlier is not key:
                    line = self._index.line_of(earlier.span.start) + 1
                    remedy = _say_which_entry_goes(above, entry, line)
                    lines = self._own_line(earlier, above), self._own_line(key, entry)
                    if "or this one" in remedy and style == "block" and all(lines):
                        remedy = f"Delete line {lines[0]} or line {lines[1]}."
                    self._report(
                        Finding(
                            key.span,
                            f"The key `{key.value}` is already on line {line}; only the "
                            "last one counts, and other YAML readers refuse the file.",
                            remedy,
                            kind="duplicate-yaml-key",
                            data=(("key", key.value), *place_data(earlier.span)),
                        )
                    )
        return YamlNode("mapping", span, style=style, tag=tag, pairs=pairs)

    def _own_line(self, key: YamlNode, entry: YamlNode) -> int:
        """Return the number of the line that an entry has to itself, 0 where it has none."""
        line = self._index.line_of(key.span.start)
        before = self._text[self._index.line_span(line).start : key.span.start]
        is_alone = not before.strip() and "\n" not in self._text[key.span.start : entry.span.end]
        return line + 1 if is_alone else 0
