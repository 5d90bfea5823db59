"""Read and edit front matter: the ``key: value`` lines between two ``---`` at the top of a file.

It reads the YAML 1.2 that people write there: plain and quoted scalars, lists in brackets and in
lines, block texts, comments. Anything else is kept and marked as "other". An edit changes only the
lines of its key.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from synapse_ls.text import fast_json, line_index

Value = str | bool | int | float | tuple[str, ...]
Item = tuple[str, int, int]  # text, start and end offset

MARK: Final = "---"
_ENDS: Final = (MARK, "...")
_SPACE: Final = " \t"
_CONTINUING: Final = (" ", "\t", "- ", "-\t")  # how a line begins that belongs to the key above
_INDICATORS: Final = "-?:,[]{}#&*!|>'\"%@`="
_TYPED: Final = frozenset(("", "~", "null", "true", "false", "yes", "no", "on", "off"))


@dataclass(slots=True)
class FrontMatterField:
    """One key of a front matter with its value.

    kind: "scalar", "list", "empty" or "other" (a mapping, an anchor: nothing that is read here).
    start, end: of all its lines, without the last break. value_start, value_end: of what stands
    after the colon, comments left out. line: of the key, from 0. indent: of the items of a list in
    lines, None for one in brackets.
    """

    key: str
    line: int
    start: int
    value_start: int
    kind: str = "empty"
    value: str = ""
    items: tuple[Item, ...] = ()
    indent: str | None = None
    colon: int = field(init=False)
    end: int = field(init=False)
    value_end: int = field(init=False)

    def __post_init__(self) -> None:
        self.colon = self.value_start - 1
        self.end = self.value_end = self.value_start

    @property
    def texts(self) -> tuple[str, ...]:
        """The items of a list; a scalar is a list of one, or of its parts where it has commas."""
        if self.kind == "scalar":
            return tuple(part for piece in self.value.split(",") if (part := piece.strip()))
        return tuple(text for text, _, _ in self.items)


@dataclass(slots=True)
class FrontMatter:
    """The parsed front matter of a text: its fields, and where it ends.

    closing: offset of the line that ends it. body: offset of what follows. malformed_lines: (start,
    end) of lines between the marks that are no ``key: value``.
    """

    text: str
    fields: tuple[FrontMatterField, ...]
    malformed_lines: tuple[tuple[int, int], ...]
    closing: int
    body: int
    by_key: dict[str, FrontMatterField] = field(init=False)

    def __post_init__(self) -> None:
        self.by_key = {row.key: row for row in self.fields}  # as in YAML, the last one counts

    def get(self, *keys: str) -> FrontMatterField | None:
        """Return the field of the first of ``keys`` that there is, or None."""
        return next((self.by_key[key] for key in keys if key in self.by_key), None)


def parse_front_matter(text: str) -> FrontMatter | None:
    """Parse the front matter of ``text``; return None where it has none that is closed. Never
    raises.
    """
    if not text.startswith(MARK, 1 if text[:1] == "\ufeff" else 0):
        return None
    lines = line_index.iter_lines(text)
    start, end = next(lines)
    if text[start:end].lstrip("\ufeff").rstrip(_SPACE) != MARK:
        return None
    inner: list[tuple[int, int]] = []
    for start, end in lines:
        if text[start:end].rstrip(_SPACE) in _ENDS:
            after = next(lines, None)
            fields, odd = _parse_fields(text, inner)
            return FrontMatter(text, fields, odd, start, after[0] if after else len(text))
        inner.append((start, end))
    return None


def _parse_fields(
    text: str, lines: list[tuple[int, int]]
) -> tuple[tuple[FrontMatterField, ...], tuple[tuple[int, int], ...]]:
    fields: list[FrontMatterField] = []
    odd: list[tuple[int, int]] = []
    position = 0
    while position < len(lines):
        start, end = lines[position]
        line = text[start:end]
        position += 1
        if not line.strip() or line[0] == "#":
            continue
        # Where the colon after a key is, -1 for none.
        colon = line.find(":")
        while colon >= 0 and line[colon + 1 : colon + 2] not in ("", " ", "\t"):
            colon = line.find(":", colon + 1)
        if colon < 0 or line[0] in _SPACE or line.startswith("- "):
            odd.append((start, end))
            continue
        field = FrontMatterField(
            _unquote_scalar(line[:colon].strip()), position, start, start + colon + 1
        )
        more = position
        while more < len(lines) and (  # it is indented, an item of a list, or blank
            (below := text[slice(*lines[more])]) in ("", "-") or below.startswith(_CONTINUING)
        ):
            more += 1
        while more > position and not text[slice(*lines[more - 1])].strip():
            more -= 1  # blank lines before the next key belong to nobody
        _read_value(text, field, end, lines[position:more])
        fields.append(field)
        position = more
    return tuple(fields), tuple(odd)


def _read_value(text: str, field: FrontMatterField, end: int, more: list[tuple[int, int]]) -> None:
    """Set the value of ``field`` from what stands after its colon; its first line ends
    at ``end``.
    """
    start, stop = _trim_comment(text, field.value_start, end)
    field.end = more[-1][1] if more else end
    if not (raw := text[start:stop]):
        if more:
            _read_block_value(text, field, more)
        return
    field.value_start, field.value_end = start, stop
    if raw[0] in "|>" and not raw[1:].strip("+-123456789"):
        field.kind, field.value_end = "scalar", field.end
        body = [text[a:b].strip() for a, b in more]
        field.value = ("\n" if raw[0] == "|" else " ").join(body).strip()
        return
    if more:
        field.value_end = field.end
        raw = " ".join((raw, *(text[slice(*_trim_comment(text, a, b))] for a, b in more))).rstrip()
    if raw[0] == "[" and raw[-1] == "]":
        field.kind = "list"
        # The items of a list in brackets.
        offset = None if more else start
        found: list[Item] = []
        at, last = 1, len(raw) - 1
        while at < last:
            while at < last and raw[at] in " \t,":
                at += 1
            if at >= last:
                break
            close = _find_closing_quote(raw, at, last) if raw[at] in "\"'" else -1
            comma = raw.find(",", max(close, at), last)
            item_stop = comma if comma >= 0 else last
            piece = raw[at:item_stop].rstrip()
            place = (
                (field.value_start, field.value_end)
                if offset is None
                else (offset + at, offset + at + len(piece))
            )
            found.append((_unquote_scalar(piece), *place))
            at = item_stop + 1
        field.items = tuple(found)
    elif raw[0] in "{&*!":
        field.kind, field.value = "other", raw
    else:
        field.kind, field.value = "scalar", _unquote_scalar(raw)
        if raw in ("~", "null"):
            field.kind, field.value = "empty", ""


def _read_block_value(text: str, field: FrontMatterField, lines: list[tuple[int, int]]) -> None:
    """Set the value of a field whose key line is empty from the lines below it."""
    items: list[Item] = []
    for start, end in lines:
        line = text[start:end]
        stripped = line.lstrip(_SPACE)
        if not stripped or stripped[0] == "#":
            continue
        if stripped[0] != "-" or stripped[1:2] not in ("", " ", "\t"):
            field.kind, field.value = "other", text[lines[0][0] : lines[-1][1]]
            field.value_end = field.end
            return
        indent = line[: len(line) - len(stripped)]
        field.indent = indent if field.indent is None else field.indent
        first, last = _trim_comment(text, start + len(indent) + 1, end)
        if first < last:
            items.append((_unquote_scalar(text[first:last]), first, last))
    field.items = tuple(items)
    field.kind = "list" if items else "empty"
    field.value_end = field.end


def _trim_comment(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the offsets of the value between two offsets, without the space and the comment around
    it.
    """
    while start < end and text[start] in _SPACE:
        start += 1
    opening = text[start] if start < end else ""
    close = -1
    if opening in ("'", '"'):
        close = _find_closing_quote(text, start, end)
    elif opening == "[":
        close = _find_closing_bracket(text, start, end)
    if close > 0:
        return start, close + 1
    at = start
    if start < end and text[start] == "#":
        return start, start
    while (at := text.find("#", at, end)) >= 0:
        if text[at - 1] in _SPACE:
            end = at
            break
        at += 1
    while end > start and text[end - 1] in _SPACE:
        end -= 1
    return start, end


def _find_closing_quote(text: str, start: int, end: int) -> int:
    """Return where the quote that opens at ``start`` closes, -1 for nowhere."""
    quote, at = text[start], start + 1
    while at < end:
        if quote == '"' and text[at] == "\\":
            at += 1
        elif text[at] == quote:
            if quote == "'" and text[at + 1 : at + 2] == "'":
                at += 1
            else:
                return at
        at += 1
    return -1


def _find_closing_bracket(text: str, start: int, end: int) -> int:
    """Return where the bracket that opens at ``start`` closes, -1 for nowhere before ``end``."""
    at = start + 1
    while at < end and text[at] != "]":
        quoted = text[at] in "\"'" and text[at - 1] in "[, \t"
        at = (_find_closing_quote(text, at, end) if quoted else at) + 1
        if at == 0:
            return -1
    return at if at < end else -1


def _unquote_scalar(raw: str) -> str:
    if len(raw) >= 2 and raw[0] == raw[-1] == "'":
        return raw[1:-1].replace("''", "'")
    if len(raw) >= 2 and raw[0] == raw[-1] == '"':
        try:
            value = fast_json.loads(raw)
        except fast_json.JsonError:  # an escape of YAML that JSON has not
            return raw[1:-1]
        return value if isinstance(value, str) else raw[1:-1]
    return raw


def format_value(value: Value) -> str:
    """Return ``value`` as front matter has it after a colon: plain where every reader of YAML takes
    it for the same.
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, tuple):
        return f"[{', '.join(_format_scalar(item, inner=True) for item in value)}]"
    return _format_scalar(value)


def _format_scalar(text: str, *, inner: bool = False) -> str:
    plain = (
        text.isprintable()
        and text == text.strip()
        and text.lower() not in _TYPED
        and text[0] not in _INDICATORS
        and text[:3] != "..."
        and text[-1] != ":"
        and ": " not in text
        and " #" not in text
        and not (inner and any(c in ",[]{}" for c in text))
        and not _is_number(text)
    )
    return text if plain else fast_json.dumps(text, None)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def update_front_matter(text: str, changes: Mapping[str, Value | None]) -> str:
    """Return ``text`` with other values for some keys; None takes a key out. New keys are added
    last.
    """
    front_matter = parse_front_matter(text)
    newline = line_index.line_break_style(text)
    if front_matter is None:
        lines = [f"{key}: {format_value(v)}" for key, v in changes.items() if v is not None]
        if not lines:
            return text
        mark, rest = ("\ufeff", text[1:]) if text[:1] == "\ufeff" else ("", text)
        head = newline.join((MARK, *lines, MARK, ""))
        return f"{mark}{head}{newline if rest[:1] not in ('', newline[0]) else ''}{rest}"
    pieces: list[tuple[int, int, str]] = []
    added = ""
    for key, value in changes.items():
        if (field := front_matter.get(key)) is not None:
            pieces.append(_field_replacement(text, field, value, newline))
        elif value is not None:
            added += f"{key}: {format_value(value)}{newline}"
    pieces.append((front_matter.closing, front_matter.closing, added))
    for start, end, new in sorted(pieces, key=lambda piece: piece[0], reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _field_replacement(
    text: str, field: FrontMatterField, value: Value | None, newline: str
) -> tuple[int, int, str]:
    if value is None:
        end = field.end
        if text.startswith("\r\n", end):
            end += 2
        elif text[end : end + 1] in ("\n", "\r"):
            end += 1
        return field.start, end, ""
    colon = field.colon
    if isinstance(value, tuple) and field.indent is not None and value:
        items = (f"{newline}{field.indent}- {_format_scalar(item)}" for item in value)
        return colon + 1, field.end, "".join(items)
    if field.kind == "empty" or field.value_end == field.end:
        return colon + 1, max(field.value_end, colon + 1), f" {format_value(value)}"
    return field.value_start, field.value_end, format_value(value)
