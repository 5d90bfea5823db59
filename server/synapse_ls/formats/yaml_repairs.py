"""Repairs of lines that are invalid YAML, each as a sentence and an edit.

They work on the text alone, since a parser stops at the first mistake and its state does not show
what the author meant.
"""

from __future__ import annotations

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

_KEY_OF_TEXT = lazy_pattern(r"[ \t]*(?:-[ \t]+)*([^\s#\"'-][^#\"']*?):")

AFTER_BRACKET = "Text stands after the closing bracket"
AFTER_QUOTATION_MARK = "Text stands after the closing quotation mark"

_MOST_KEY_WORDS = 3  # of the key of an item; more of them are a sentence


class Repair(NamedTuple):
    """The reason why YAML refuses a line, the remedy, and the edit that does what the remedy says;
    ``is_meant`` is whether nothing else can have been meant. ``marks`` is "single" or "double"
    where the edit quotes a value. Where the edit only blanks out what has to be moved, so that the
    text below can be looked at, ``is_blank`` is set. Where a key is moved out of a list, ``key`` is
    its name, ``home`` where the line of the list's key begins, and ``otherwise`` the remedy where
    that mapping has such a key already.
    """

    reason: str
    remedy: str
    edit: TextEdit
    title: str
    is_meant: bool = True
    marks: str = ""
    is_blank: bool = False
    key: str = ""
    home: int = -1
    otherwise: str = ""

    def without_move(self) -> Repair:
        """Return the repair for a key that cannot be moved out, as there is one of its name."""
        return self._replace(remedy=self.otherwise, title="Name the items", is_meant=False)


def repair_misplaced_text(text: str, offset: int) -> Repair | None:
    """Return the repair of a line that goes on at ``offset`` behind a quoted text, or behind
    brackets; None for other lines.
    """
    # Return a line up to the comment that stands behind `offset`.
    comment_line = _line_span(text, offset)
    place = text.find(" # ", offset, comment_line.end)
    if place < 0 or '"' in text[place : comment_line.end]:
        line = comment_line
    else:
        line = Span(comment_line.start, place)
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
    marks, quoted = _quote(value)
    reason = AFTER_BRACKET
    if match[2][0] in "\"'":
        reason = AFTER_QUOTATION_MARK
    if start == match.start(2) and _APOSTROPHES.fullmatch(value):
        inner = re.sub(r"'(?:\\'')?", "''", value[1:-1])
        remedy = "Inside single quotation marks, write `'` twice."
        if "\\" in value:
            remedy = "Inside single quotation marks, write `''` for `'\\''`."
        return Repair(
            reason,
            remedy,
            TextEdit(span, f"'{inner}'"),
            "Write `'` twice",
        )
    is_list = text[offset] == "," and start == match.start(2)
    return Repair(
        reason,
        say_quoting(marks, is_list),
        TextEdit(span, quoted),
        "Quote the whole value",
        not is_list,
        marks,
    )


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
    marks, quoted = _quote(value)
    edit = TextEdit(Span(offset, offset + len(value)), quoted)
    remedy = say_quoting(marks, is_list=False)
    return Repair(reason, remedy, edit, "Quote the value", marks=marks)


def say_quoting(marks: str, is_list: bool) -> str:
    """Return the remedy for a YAML line whose value has to be quoted; ``is_list``: it may be a
    list.
    """
    if is_list:
        return (
            f"Give each text a line of its own, or put the whole value in {marks} quotation marks."
        )
    return f"Put the whole value in {marks} quotation marks."


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
    marks, quoted = _quote(span.cut(text))
    return Repair(
        "There is a `: ` in an unquoted value",
        say_quoting(marks, is_list=False),
        TextEdit(span, quoted),
        "Quote the value",
        marks=marks,
    )


def repair_item_with_colon(text: str, offset: int) -> Repair | None:
    """Return the repair of a list item that is refused at ``offset`` because a sentence or a
    command of it has a `: `; None for other lines.
    """
    line = _line_span(text, offset)
    match = _TEXT_ITEM.fullmatch(line.cut(text).partition(" #")[0])
    before, colon, _ = match[1].partition(": ") if match else ("", "", "")
    is_text = '"' in before or len(before.split()) > _MOST_KEY_WORDS
    if not match or not colon or not is_text or _has_more_keys(text, line, match.start(1)):
        return None
    marks, quoted = _quote(match[1])
    return Repair(
        "There is a `: ` in an unquoted value",
        say_quoting(marks, is_list=False),
        TextEdit(Span(*match.span(1)).shift(line.start), quoted),
        "Quote the value",
        marks=marks,
    )


def _has_more_keys(text: str, line: Span, column: int) -> bool:
    """Return whether the mapping that begins in a column of a line goes on below."""
    below = next(filter(_is_visible, text[line.end :].splitlines()[1:]), "")
    return len(below) - len(below.lstrip(" ")) >= column


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
    marks, quoted = _quote(match[2])
    return Repair(
        f"An unquoted value cannot begin with `{match[2][0]}`",
        say_quoting(marks, is_list=False),
        TextEdit(Span(*match.span(2)).shift(line.start), quoted),
        "Quote the value",
        marks=marks,
    )


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
    keys = {key for _, key in list_sibling_keys(text, line.start)}
    name = next((one for one in ("name", "title", "text") if one not in keys), "")
    if not name:
        return None
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
    line_above = _line_span(text, len(text[: line.start].rstrip()))
    above = _AFTER_KEY.fullmatch(line_above.cut(text))
    more = len(key[1]) - _key_column(above[1]) if key and above else 0
    if not key or more <= 0 or key.end() != offset - line.start + 1:
        return None
    is_new = all(name != key[2] for _, name in list_sibling_keys(text, line_above.start))
    title = f"Delete {more} spaces before it" if more > 1 else "Delete the space before it"
    remedy = f"{title}, or quote the text above if it goes on here." if more > 1 else f"{title}."
    return Repair(
        "This line is indented further than the one above, which has a value already",
        remedy,
        TextEdit(Span(line.start, line.start + more), ""),
        title,
        is_meant=more == 1 and is_new,  # further right it may be text of the value above
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
    home = line.start
    for broken in reversed(text[: line.start].splitlines(keepends=True)):
        home -= len(broken)
        above = broken.splitlines()[0]
        bare = above.lstrip(" ")
        depth = len(above) - len(bare)
        if not bare or bare.startswith("#") or depth > column:
            continue
        if depth == column:
            if not bare.startswith(("- ", "-\t")) and bare != "-":
                return None
            has_items = True
            continue
        key = _KEY.match(above)
        if not has_items or not key:
            return None
        found_key = Repair(
            f"The key `{own[2]}` is among the items of `{key[2]}`",
            f"Move `{own[2]}` out to the column of `{key[2]}`.",
            TextEdit(Span(line.start, offset), " " * depth),
            "Move the key out",
            key=own[2],
            home=home,
            otherwise=f"Write a key such as `items:` above the first item of `{key[2]}`, "
            "in the item's "
            f"column: moved out, `{own[2]}` would be there twice.",
        )
        block = _find_block_before_item(text, line.start, column)
        if block is not None:
            found_key = found_key._replace(
                remedy=f"Move `{own[2]}` out to the column of `{key[2]}`, behind its last item.",
                edit=TextEdit(block, re.sub(r"[^\r\n]", " ", block.cut(text))),
                is_meant=False,
                is_blank=True,
            )
        is_there = any(name == own[2] for _, name in list_sibling_keys(text, home))
        return found_key.without_move() if is_there else found_key
    return None


def _find_block_before_item(text: str, start: int, column: int) -> Span | None:
    """Return the lines of the key that begins at ``start``, where an item in its column follows."""
    place = start
    for line in text[start:].splitlines(keepends=True):
        bare = line.lstrip(" ")
        if place > start and bare.strip() and not bare.startswith("#"):
            depth = len(line) - len(bare)
            if depth <= column:
                is_item = depth == column and bare.startswith(("- ", "-\t", "-\n", "-\r"))
                return Span(start, place) if is_item else None
        place += len(line)
    return None


def list_sibling_keys(text: str, start: int) -> list[tuple[int, str]]:
    """Return, to repair a line, the keys of the mapping that has a key on the line at ``start``,
    that key too, in the order of the text: where the line of each begins, and its name.
    """
    column = _key_column(_line_span(text, start).cut(text))
    keys = []
    place = start
    for line in reversed(text[:start].splitlines(keepends=True)):
        place -= len(line)
        if not _is_visible(line):
            continue
        depth = len(line) - len(line.lstrip(" "))
        if name := _key_at(line, column):
            keys.append((place, name))
        if depth < column or line.startswith(("---", "...")):
            break
    keys.reverse()
    place = start
    for line in text[start:].splitlines(keepends=True):
        if _is_visible(line) and place > start:
            depth = len(line) - len(line.lstrip(" "))
            if depth < column or line.startswith(("---", "...")):
                break
        if name := _key_at(line, column):
            keys.append((place, name))
        place += len(line)
    return keys


def _key_at(line: str, column: int) -> str:
    """Return the key that stands in a column of a line, behind the dashes of items; "" for none."""
    match = _KEY.match(_blank_dashes(line).splitlines()[0])
    return match[2] if match and match.end(1) == column else ""


def _is_visible(line: str) -> bool:
    """Return whether a line has more than white space and a comment."""
    return bool(line.strip()) and not line.lstrip().startswith("#")


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


def _quote(value: str) -> tuple[str, str]:
    """Return the marks that leave a value as it is where possible, and the value in them."""
    if "'" in value and '"' not in value and "\\" not in value:
        return "double", f'"{value}"'
    return "single", "'" + value.replace("'", "''") + "'"
