"""Repairs of lines that are invalid YAML, each as a sentence and an edit.

They work on the text alone, since a parser stops at the first mistake and its state does not show
what the author meant.
"""

import re
from typing import NamedTuple

from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit

_INDENT = r"([ \t]*(?:-[ \t]+)*"
_AFTER_QUOTED = lazy_pattern(_INDENT + r"(?:[^\s\"'#\[{-][^\"'#]*?:[ \t]+)?)([\"'\[{].*?)[ \t]*")
_BLOCK_MARK = lazy_pattern(
    _INDENT + r"(?:[^\s\"'#\[{:][^:]*:[ \t]+)?)([|>](?:[^\s+\-0-9#]|[0-9]{2}).*?)[ \t]*"
)
# A text in single quotation marks whose apostrophes are not doubled, or are as in a shell.
_APOSTROPHES = lazy_pattern(r"'(?:[^']|(?<=\w)'(?:\\'')?(?=\w))+'")
_TEXT_ITEM = lazy_pattern(r"[ \t]*(?:-[ \t]+)+([^\s\"'|>&*!%@`\[{#][^#]*?)[ \t]*")
_AFTER_KEY = lazy_pattern(_INDENT + r"[^\s\"'#\[{:][^:]*:[ \t]+)([^\s\"'|>&*!%@`\[{#].*?)[ \t]*")
_KEY = lazy_pattern(r"([ \t]*)([^\s#\"'-][^#\"']*?|\"[^\"]*\"|'[^']*'):(?=[ \t]|$)")

_ITEM = lazy_pattern(r"-(?=\s|$)")
_KEY_OF_TEXT = lazy_pattern(r"[ \t]*(?:-[ \t]+)*([^\s#\"'-][^#\"']*?):")

AFTER_BRACKET = "Text stands after the closing bracket"
AFTER_QUOTATION_MARK = "Text stands after the closing quotation mark"

_MOST_KEY_WORDS = 3  # of the key of an item; more of them are a sentence


class Repair(NamedTuple):
    """The reason why YAML refuses a line, the remedy, and the edit that does what the remedy says;
    ``is_meant`` is whether nothing else can have been meant.
    """

    reason: str
    remedy: str
    edit: TextEdit
    title: str
    is_meant: bool = True


def _quote(text: str, span: Span, reason: str, title: str = "Quote the value") -> Repair:
    """Return the repair that puts a value into the marks that leave it as it is where possible."""
    value = span.cut(text)
    marks, quoted = "single", "'" + value.replace("'", "''") + "'"
    if "'" in value and '"' not in value and "\\" not in value:
        marks, quoted = "double", f'"{value}"'
    remedies = [f"Put the whole value in {marks} quotation marks."]
    if "''" in quoted:
        remedies.append("Inside single quotation marks, write `'` twice.")
    return Repair(reason, " ".join(remedies), TextEdit(span, quoted), title)


def repair_misplaced_text(text: str, offset: int) -> Repair | None:
    """Return the repair of a line that goes on at ``offset`` behind a quoted text, or behind
    brackets; None for other lines.
    """
    line = _line_span(text, offset)
    place = text.find(" # ", offset, line.end)
    if place >= 0 and '"' not in text[place : line.end]:
        line = Span(line.start, place)  # up to the comment that stands behind `offset`
    match = _AFTER_QUOTED.fullmatch(line.cut(text))
    if not match or " #" in match[2] or offset <= line.start + match.start(2):
        return None
    before = text[line.start + match.start(2) : offset].rstrip(" \t|>")
    closed = before[-1:] in ("\"'" if match[2][0] in "\"'" else "]}")
    start = _value_start(match)
    if not closed or start < 0:
        return None
    span = Span(start, match.end(2)).shift(line.start)
    value = span.cut(text)
    reason = AFTER_QUOTATION_MARK if match[2][0] in "\"'" else AFTER_BRACKET
    if start == match.start(2) and _APOSTROPHES.fullmatch(value):
        inner = re.sub(r"'(?:\\'')?", "''", value[1:-1])
        remedy = "Inside single quotation marks, write `'` twice."
        if "\\" in value:
            remedy = "Inside single quotation marks, write `''` for `'\\''`."
        return Repair(reason, remedy, TextEdit(span, f"'{inner}'"), "Write `'` twice")
    repair = _quote(text, span, reason, "Quote the whole value")
    if text[offset] == "," and start == match.start(2):
        marks = "double" if repair.edit.new_text[0] == '"' else "single"
        remedy = (
            f"Give each text a line of its own, or put the whole value in {marks} quotation marks."
        )
        return repair._replace(remedy=remedy, is_meant=False)
    return repair


def close_on_line(text: str, opening: int, reason: str, remedy: str) -> Repair | None:
    """Return the repair of a quotation mark or a bracket at ``opening`` that is never closed: its
    partner at the end of the line; None where a comment stands there.
    """
    end = len(text[: _line_span(text, opening).end].rstrip(" \t,"))
    value = text[opening:end]
    if " #" in value or value[0] in value[1:] or end == opening + 1:
        return None
    mark = {"[": "]", "{": "}"}.get(value[0], value[0])
    return Repair(reason, remedy, TextEdit(Span(end, end), mark), f"Add the closing `{mark}`")


def replace_tabs(text: str, offset: int, reason: str, remedy: str) -> Repair | None:
    """Return the repair of a line that tabs indent: two spaces for each of them."""
    line = _line_span(text, offset)
    indent = re.match(r"[ \t]*", line.cut(text))
    if indent is None or "\t" not in indent[0]:
        return None
    edit = TextEdit(Span(line.start, line.start + indent.end()), indent[0].replace("\t", "  "))
    return Repair(reason, remedy, edit, "Use spaces")


def quote_value(text: str, offset: int, reason: str) -> Repair | None:
    """Return the repair of a value that begins at ``offset`` and has to be quoted; None for what is
    no value of a key or an item.
    """
    line = _line_span(text, offset)
    if not re.fullmatch(r"[ \t]*(?:-[ \t]+)*(?:[\w.-]+:[ \t]+)?", text[line.start : offset]):
        return None
    value = text[offset : line.end].partition(" #")[0].rstrip()
    return _quote(text, Span(offset, offset + len(value)), reason)


def repair_second_colon(text: str, offset: int) -> Repair | None:
    """Return the repair of a line whose unquoted value has the `: ` at ``offset`` in it, None where
    the line's first `: ` is meant.
    """
    line = _line_span(text, offset)
    match = _AFTER_KEY.fullmatch(line.cut(text).partition(" #")[0])
    start = _value_start(match) if match else -1
    if not match or start < 0 or offset <= line.start + match.start(2):
        return None
    span = Span(start, match.end(2)).shift(line.start)
    return _quote(text, span, "There is a `: ` in an unquoted value")


def repair_item_with_colon(text: str, offset: int) -> Repair | None:
    """Return the repair of a list item that is refused at ``offset`` because a sentence or a
    command of it has a `: `; None for other lines.
    """
    line = _line_span(text, offset)
    match = _TEXT_ITEM.fullmatch(line.cut(text).partition(" #")[0])
    before, colon, _ = match[1].partition(": ") if match else ("", "", "")
    is_text = '"' in before or len(before.split()) > _MOST_KEY_WORDS
    if not match or not colon or not is_text:
        return None
    below = next(filter(str.strip, text[line.end :].splitlines()[1:]), "")
    if len(below) - len(below.lstrip(" ")) >= match.start(1):
        return None  # a mapping that goes on
    span = Span(*match.span(1)).shift(line.start)
    return _quote(text, span, "There is a `: ` in an unquoted value")


def repair_unmarked_text(text: str, offset: int) -> Repair | None:
    """Return the repair of a key without `|` whose text on the next line, where ``offset`` is,
    begins with `|` or `>` as a table or a quotation in Markdown does; None for other lines.
    """
    line = _line_span(text, offset)
    end = len(text[: line.start].rstrip())
    key = _KEY_OF_TEXT.fullmatch(_line_span(text, end).cut(text).rstrip())
    if not key or line.cut(text).lstrip()[:1] not in ("|", ">"):
        return None
    return Repair(
        f"The text of `{key[1]}` begins on a new line, and the key has no `|`",
        f"Write `{key[1]}: |`.",
        TextEdit(Span(end, end), " |"),
        "Write the `|`",
    )


def repair_block_mark(text: str, offset: int) -> Repair | None:
    """Return the repair of a line whose unquoted value begins with `>` or `|`, as ``>2000 lines``
    does; None for other lines.
    """
    line = _line_span(text, offset)
    match = _BLOCK_MARK.fullmatch(line.cut(text).partition(" #")[0])
    if not match:
        return None
    span = Span(*match.span(2)).shift(line.start)
    return _quote(text, span, f"An unquoted value cannot begin with `{match[2][0]}`")


def repair_key_below_text(text: str, offset: int) -> Repair | None:
    """Return the repair of a line whose key stands below the text of a list's item as if it were a
    part of it; None for other lines.
    """
    line = _line_span(text, offset)
    own = _KEY.match(line.cut(text))
    above = _line_span(text, len(text[: line.start].rstrip()))
    item = _TEXT_ITEM.fullmatch(above.cut(text))
    if not own or not item or item.start(1) != own.end(1) or ": " in item[1]:
        return None
    name = "title" if own[2] == "name" else "name"
    return Repair(
        f"The item above is the text `{item[1]}`, so it can have no key `{own[2]}`",
        f"Give the text a key too, such as `{name}: {item[1]}`.",
        TextEdit(Span(above.start + item.start(1), above.start + item.start(1)), f"{name}: "),
        "Give the text a key",
        is_meant=False,
    )


def repair_indent(text: str, offset: int) -> Repair | None:
    """Return the repair of a line whose key stands further right than the one above it, which has
    a value already; None for other lines.
    """
    line = _line_span(text, offset)
    key = _KEY.match(line.cut(text))
    above = _AFTER_KEY.fullmatch(_line_span(text, len(text[: line.start].rstrip())).cut(text))
    more = len(key[1]) - _key_column(above[1]) if key and above else 0
    if not key or more <= 0 or key.end() != offset - line.start + 1:
        return None
    title = f"Delete {more} spaces before it" if more > 1 else "Delete the space before it"
    return Repair(
        "This line is indented further than the one above, which has a value already",
        f"{title}, or quote the text above if it goes on here." if more > 1 else f"{title}.",
        TextEdit(Span(line.start, line.start + more), ""),
        title,
        is_meant=more == 1,  # further right it may be text of the value above
    )


def repair_continuation(text: str, offset: int) -> Repair | None:
    """Return the repair of a line without a key that stands in the column of the plain value above
    it, which it probably continues; None for other lines.
    """
    line = _line_span(text, offset)
    above = _AFTER_KEY.fullmatch(_line_span(text, len(text[: line.start].rstrip())).cut(text))
    bare = line.cut(text).lstrip(" ")
    column = line.length - len(bare)
    if not above or " #" in above[2] or _key_column(above[1]) != column or bare.startswith("- "):
        return None
    name = above[1].strip(" \t-").partition(":")[0]
    if name != "description" and " " not in above[2]:
        return None  # the value above is a word, which is all that it can be
    return Repair(
        "This line is neither a field nor indented",
        f"If it continues `{name}`, put two spaces before it; otherwise, write its key and a `:`.",
        TextEdit(Span(line.start, line.start), "  "),
        "Indent the line",
    )


def repair_key_in_list(text: str, offset: int) -> Repair | None:
    """Return the repair of a line whose key stands in the column of the list items above it, None
    for other lines.
    """
    line = _line_span(text, offset)
    own = _KEY.match(line.cut(text))
    column = offset - line.start
    if not own or not column or own.end(1) != column:
        return None
    has_items = False
    for above in reversed(text[: line.start].splitlines()):
        bare = above.lstrip(" ")
        depth = len(above) - len(bare)
        if not bare or bare.startswith("#") or depth > column:
            continue
        if depth == column:
            if not _ITEM.match(bare):
                return None
            has_items = True
            continue
        key = _KEY.match(above)
        if not has_items or not key:
            return None
        remedy = f"Move `{own[2]}` out to the column of `{key[2]}`."
        below = re.search(rf"(?m)^ {{0,{column}}}[^\s#].*", text[line.end :])
        is_amid = below is not None and bool(_ITEM.match(below[0].lstrip(" ")))
        if is_amid:
            remedy = f"Move `{own[2]}` out to the column of `{key[2]}`, behind its last item."
        twin = rf"(?m)^[ -]{{{depth}}}{re.escape(own[2])}:"
        return Repair(
            f"The key `{own[2]}` is among the items of `{key[2]}`",
            remedy,
            TextEdit(Span(line.start, offset), " " * depth),
            "Move the key out",
            is_meant=not is_amid and not re.search(twin, text),
        )
    return None


def _blank_dashes(line: str) -> str:
    """Return a line with spaces for the dashes of the items that begin on it."""
    return re.sub(r"[ \t]*(?:-[ \t]+)*", lambda found: " " * len(found[0]), line, count=1)


def _key_column(line: str) -> int:
    """Return where what stands on a line begins, behind the dashes of items."""
    bare = _blank_dashes(line)
    return len(bare) - len(bare.lstrip(" "))


def _value_start(found: re.Match[str]) -> int:
    """Return where the value begins on the line that was found. What looks like its key may be the
    beginning of a sentence, as in ``- Both names (ex: "Ann Lee")``: then it is a part of the value.
    -1 where a sentence stands where no value can.
    """
    dashes = len(found[1]) - len(_blank_dashes(found[1]).lstrip(" "))
    key = found[1][dashes:]
    if all(key.count(opening) <= key.count(closing) for opening, closing in ("()", "[]", "{}")):
        return found.start(2)
    return dashes if "-" in found[1][:dashes] else -1


def _line_span(text: str, offset: int) -> Span:
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    ends = (place for mark in "\r\n" if (place := text.find(mark, offset)) >= 0)
    return Span(start, min(ends, default=len(text)))
