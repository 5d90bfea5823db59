"""This module edits a JSON text: it adds or takes out one element and leaves every other
character alone.

What is added is laid out as its neighbours are: on lines of its own where they are, on their
line where they share one. Taking it out again is the exact inverse, as long as nobody touched
the commas and line breaks right beside it.
"""

from __future__ import annotations

import json
import re
from typing import Any

from synapse_ls.text.jsonc_tree import JsoncDocument, JsonElement, JsonNode
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits

_BREAK = re.compile(r"\r\n|\n|\r")
_BLANKS = re.compile(r"[ \t]*")
_FIRST_CHILD = re.compile(r"[{\[][ \t]*(?:\r\n|\n|\r)(?P<indent>[ \t]+)[^ \t\r\n}\]]")
_DEFAULT_INDENT = "  "


def add_element(document: JsoncDocument, container: JsonNode, key: str | None, value: Any) -> str:
    """Returns a JSON text with ``value`` behind all other elements of ``container``, under ``key``
    in an object.
    """
    text = document.text
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not container.elements:
        return apply_edits(text, _fill_container(document, container, name, value))
    last = container.elements[-1]
    behind = _end_with_comments(document, last)
    comma = [] if last.comma >= 0 else [TextEdit(Span(last.end, last.end), ",")]
    if _BREAK.search(text, container.span.start, container.span.end):
        indent = _line_indent(text, last.start)
        piece = used_newline(text) + indent + name + _format_lines(text, value, indent)
    else:
        piece = " " * _is_spaced(text) + _format_inline(text, name, value)
    if last.comma >= 0:
        piece += ","
    if comma and behind == last.end:
        return apply_edits(text, [TextEdit(Span(behind, behind), f",{piece}")])
    return apply_edits(text, [*comma, TextEdit(Span(behind, behind), piece)])


def remove_element(document: JsoncDocument, container: JsonNode, element: JsonElement) -> str:
    """Returns a JSON text without ``element`` of ``container``, and without the comma that it
    needed.
    """
    text = document.text
    place = container.elements.index(element)
    before = container.elements[place - 1] if place else None
    after = container.elements[place + 1] if place + 1 < len(container.elements) else None
    if after is not None and not _comments_between(document, element.end, after.start):
        return apply_edits(text, [TextEdit(Span(element.start, after.start), "")])
    start = container.span.start + 1 if before is None else before.comma + 1
    for comment in _comments_between(document, start, element.start):
        start = comment.end
    end = element.comma + 1 if element.comma >= 0 else element.end
    edits = []
    if before is not None and after is None and element.comma < 0:
        edits.append(TextEdit(Span(before.comma, before.comma + 1), ""))
    if text[:start] and _in_line_comment(document, start) and not _ends_line(text, end):
        found = _BREAK.match(text, start)
        start = found.end() if found else start
    return apply_edits(text, [*edits, TextEdit(Span(start, end), "")])


def replace_value(document: JsoncDocument, node: JsonNode, value: Any) -> str:
    """Returns a JSON text with ``value`` in the place of ``node``, laid out in the same way."""
    text = document.text
    if _BREAK.search(text, node.span.start, node.span.end):
        piece = _format_lines(text, value, _line_indent(text, node.span.start))
    else:
        piece = _format_inline(text, "", value)
    return apply_edits(text, [TextEdit(node.span, piece)])


def replace_inner(document: JsoncDocument, container: JsonNode, inner: str) -> str:
    """Returns a JSON text with ``inner`` as all that stands between the brackets of ``container``."""
    span = Span(container.span.start + 1, container.span.end - 1)
    return apply_edits(document.text, [TextEdit(span, inner)])


def inner_text(document: JsoncDocument, container: JsonNode) -> str:
    """Returns what stands between the brackets of ``container`` in a JSON text."""
    return document.text[container.span.start + 1 : container.span.end - 1]


def has_comments(document: JsoncDocument, node: JsonNode) -> bool:
    """Tells whether a person wrote a comment inside ``node`` of a JSON text."""
    return bool(_comments_between(document, node.span.start, node.span.end))


def used_newline(text: str) -> str:
    """Returns the line break that a JSON text uses, LF where it has none."""
    found = _BREAK.search(text)
    return found[0] if found else "\n"


def _fill_container(
    document: JsoncDocument, container: JsonNode, name: str, value: Any
) -> list[TextEdit]:
    """Returns the edits that put the first element into an empty container."""
    text = document.text
    start, end = container.span.start + 1, container.span.end - 1
    comments = _comments_between(document, start, end)
    at = comments[-1].end if comments else start
    if not _BREAK.search(text) and container is not document.root:
        return [TextEdit(Span(at, at), _format_inline(text, name, value))]
    newline = used_newline(text)
    outer = _line_indent(text, container.span.start)
    indent = outer + indent_unit(text)
    piece = newline + indent + name + _format_lines(text, value, indent)
    if _BREAK.search(text, at, end):
        return [TextEdit(Span(at, at), piece)]
    return [TextEdit(Span(at, end), f"{piece}{newline}{outer}")]


def indent_unit(text: str) -> str:
    """Returns one step of indentation of a JSON text, as the first container on several lines has
    it.
    """
    found = _FIRST_CHILD.search(text)
    if found is None:
        return _DEFAULT_INDENT
    outer = _line_indent(text, found.start())
    indent = found["indent"]
    return (
        indent.removeprefix(outer) or _DEFAULT_INDENT
        if indent.startswith(outer)
        else _DEFAULT_INDENT
    )


def _format_lines(text: str, value: Any, indent: str) -> str:
    """Returns ``value`` as JSON on lines of its own, below a line with ``indent``."""
    newline, unit = used_newline(text), indent_unit(text)
    first, *lines = json.dumps(value, indent=1, ensure_ascii=False).split("\n")
    shown = [first]
    for line in lines:
        bare = line.lstrip(" ")
        shown.append(indent + unit * (len(line) - len(bare)) + bare)
    return newline.join(shown)


def _format_inline(text: str, name: str, value: Any) -> str:
    """Returns ``value`` as JSON on a line that it shares, with its name before it."""
    if _is_spaced(text):
        return name + json.dumps(value, ensure_ascii=False)
    return name.rstrip() + json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_spaced(text: str) -> bool:
    return '": ' in text or ", " in text


def _line_indent(text: str, offset: int) -> str:
    """Returns the white space with which the line of ``offset`` begins."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    found = _BLANKS.match(text, start, offset)
    return found[0] if found else ""


def _end_with_comments(document: JsoncDocument, element: JsonElement) -> int:
    """Returns the offset behind ``element``, its comma and the comments on the same line."""
    at = element.comma + 1 if element.comma >= 0 else element.end
    for comment in document.comments:
        if comment.start >= at:
            between = document.text[at : comment.end]
            if _BREAK.search(between) or between[: comment.start - at].strip(" \t"):
                break
            at = comment.end
    return at


def _comments_between(document: JsoncDocument, start: int, end: int) -> list[Span]:
    return [c for c in document.comments if c.start >= start and c.end <= end]


def _in_line_comment(document: JsoncDocument, offset: int) -> bool:
    """Tells whether a ``//`` comment ends at ``offset``, so that a line break has to follow."""
    return any(
        c.end == offset and document.text.startswith("//", c.start) for c in document.comments
    )


def _ends_line(text: str, offset: int) -> bool:
    blanks = _BLANKS.match(text, offset)
    return blanks is not None and _BREAK.match(text, blanks.end()) is not None
