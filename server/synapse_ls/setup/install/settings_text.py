"""Edit JSON and TOML texts, leaving every other character alone.

A JSON element is formatted like its neighbours, and removing it is the exact inverse unless
somebody changed the commas and line breaks beside it. TOML tables are appended after an empty line,
which belongs to them; the result is parsed, and nothing is written if it is not what was intended.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from synapse_ls.formats.toml_document import MAX_TOML_CHARS
from synapse_ls.integrations import hook_commands, settings_syntax
from synapse_ls.text.jsonc_tree import JsoncDocument, JsonElement, JsonNode
from synapse_ls.text.span import Span
from synapse_ls.text.text_edit import TextEdit, apply_edits
from synapse_ls.text.user_error import UserError

_BREAK = re.compile(r"\r\n|\n|\r")
_BLANKS = re.compile(r"[ \t]*")
_LINE_END = re.compile(r"[ \t]*(?:\r\n|\n|\r)")
_FIRST_CHILD = re.compile(r"[{\[][ \t]*(?:\r\n|\n|\r)(?P<indent>[ \t]+)[^ \t\r\n}\]]")
_DEFAULT_INDENT = "  "


def add_element(document: JsoncDocument, container: JsonNode, key: str | None, value: Any) -> str:
    """Return a JSON text with ``value`` behind all other elements of ``container``, under ``key``
    in an object.
    """
    text = document.text
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not container.elements:
        return apply_edits(text, [_first_element(document, container, name, value)])
    last = container.elements[-1]
    # Behind the element, its comma and the comments on the same line.
    behind = last.comma + 1 if last.comma >= 0 else last.end
    for comment in document.comments:
        if comment.start >= behind:
            between = text[behind : comment.end]
            if _BREAK.search(between) or between[: comment.start - behind].strip(" \t"):
                break
            behind = comment.end
    comma = [] if last.comma >= 0 else [TextEdit(Span(last.end, last.end), ",")]
    if _BREAK.search(text, container.span.start, container.span.end):
        indent = _line_indent(text, last.start)
        piece = used_newline(text) + indent + name + _format_lines(text, value, indent)
    else:
        piece = " " * _is_spaced(text) + _format_inline(text, name, value)
    if last.comma >= 0:
        piece += ","
    return apply_edits(text, [*comma, TextEdit(Span(behind, behind), piece)])


def remove_element(document: JsoncDocument, container: JsonNode, element: JsonElement) -> str:
    """Return a JSON text without ``element`` of ``container``, and without the comma that it
    needed.
    """
    text = document.text
    place = container.elements.index(element)
    before = container.elements[place - 1] if place else None
    after = container.elements[place + 1] if place + 1 < len(container.elements) else None
    if after is not None and not comments_in(document, Span(element.end, after.start)):
        return apply_edits(text, [TextEdit(Span(element.start, after.start), "")])
    start = container.span.start + 1 if before is None else before.comma + 1
    for comment in comments_in(document, Span(start, element.start)):
        start = comment.end
    end = element.comma + 1 if element.comma >= 0 else element.end
    edits = []
    if before is not None and after is None and element.comma < 0:
        edits.append(TextEdit(Span(before.comma, before.comma + 1), ""))
    is_behind_line_comment = any(
        c.end == start and text.startswith("//", c.start) for c in document.comments
    )
    if is_behind_line_comment and not _LINE_END.match(text, end):
        match = _BREAK.match(text, start)
        start = match.end() if match else start
    return apply_edits(text, [*edits, TextEdit(Span(start, end), "")])


def replace_value(document: JsoncDocument, node: JsonNode, value: Any) -> str:
    """Return a JSON text with ``value`` in the place of ``node``, laid out in the same way."""
    text = document.text
    if _BREAK.search(text, node.span.start, node.span.end):
        piece = _format_lines(text, value, _line_indent(text, node.span.start))
    else:
        piece = _format_inline(text, "", value)
    return apply_edits(text, [TextEdit(node.span, piece)])


def used_newline(text: str) -> str:
    """Return the line break that a JSON text uses, LF where it has none."""
    match = _BREAK.search(text)
    return match[0] if match else "\n"


def _first_element(document: JsoncDocument, container: JsonNode, name: str, value: Any) -> TextEdit:
    """Return the edit that puts the first element into an empty container."""
    text = document.text
    start, end = container.span.start + 1, container.span.end - 1
    comments = comments_in(document, Span(start, end))
    at = comments[-1].end if comments else start
    if not _BREAK.search(text) and container is not document.root:
        return TextEdit(Span(at, at), _format_inline(text, name, value))
    newline, outer = used_newline(text), _line_indent(text, container.span.start)
    indent = outer + indent_unit(text)
    piece = newline + indent + name + _format_lines(text, value, indent)
    if _BREAK.search(text, at, end):
        return TextEdit(Span(at, at), piece)
    return TextEdit(Span(at, end), f"{piece}{newline}{outer}")


def indent_unit(text: str) -> str:
    """Return one step of indentation of a JSON text, as the first container on several lines has
    it.
    """
    if (match := _FIRST_CHILD.search(text)) is None:
        return _DEFAULT_INDENT
    outer, indent = _line_indent(text, match.start()), match["indent"]
    unit = indent.removeprefix(outer) if indent.startswith(outer) else ""
    return unit or _DEFAULT_INDENT


def _format_lines(text: str, value: Any, indent: str) -> str:
    """Return ``value`` as JSON on lines of its own, below a line with ``indent``."""
    newline, unit = used_newline(text), indent_unit(text)
    first, *lines = json.dumps(value, indent=1, ensure_ascii=False).split("\n")
    depths = ((line, len(line) - len(line.lstrip(" "))) for line in lines)
    return newline.join((first, *(indent + unit * depth + line[depth:] for line, depth in depths)))


def _format_inline(text: str, name: str, value: Any) -> str:
    """Return ``value`` as JSON on a line that it shares, with its name before it."""
    if _is_spaced(text):
        return name + json.dumps(value, ensure_ascii=False)
    return name.rstrip() + json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_spaced(text: str) -> bool:
    return '": ' in text or ", " in text


def _line_indent(text: str, offset: int) -> str:
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    match = _BLANKS.match(text, start, offset)
    return match[0] if match else ""


def comments_in(document: JsoncDocument, span: Span) -> list[Span]:
    """Return the comments within ``span`` of a JSON text."""
    return [c for c in document.comments if c.start >= span.start and c.end <= span.end]


_ANY_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)
_EMPTY_LINE = re.compile(r"(?<=\n)\r?\n\Z")


def format_table(values: Mapping[str, Any]) -> str:
    """Return a TOML table with ``values``, which are texts and numbers, on lines that end in LF."""
    lines = [f"{key} = {_format_value(value)}\n" for key, value in values.items()]
    return "".join((f"[[{settings_syntax.TABLE}]]\n", *lines))


def append_table(text: str, table: str, name: str) -> str:
    """Return a TOML text with ``table``, a whole one, behind all else. Raises UserError where it
    can take none.
    """
    lines, after = _append_lines(text, table.replace("\r\n", "\n").rstrip("\n").split("\n"))
    if len(after) > MAX_TOML_CHARS:
        raise UserError(
            f"{name} would be longer than {MAX_TOML_CHARS:,} characters, and what is longer is not "
            "read.",
            "Shorten the file; nothing was written.",
        )
    if not _says(after, text, [*_hooks_in(text), *_hooks_in(lines)]):
        place = settings_syntax.line_and_column(text, settings_syntax.find_table_start(text))
        raise UserError(
            f"{name}{place}: the hooks are not written as "
            f"[[{settings_syntax.TABLE}]] tables, so none can be appended.",
            f"Write each of them as a [[{settings_syntax.TABLE}]] table; nothing was written."
            if _hooks_in(text)
            else "Take that line out, since there is no hook in it; nothing was written.",
        )
    return after


def _append_lines(text: str, rows: Iterable[str]) -> tuple[str, str]:
    """Return the lines of a table, and a TOML text with them after an empty line."""
    newline = used_newline(text)
    lines = "".join(row + newline for row in rows)
    if not text:
        return lines, lines
    return lines, text + newline * (1 if text.endswith("\n") else 2) + lines


def _cut_lines(text: str, start: int, end: int) -> str:
    """Return a TOML text without a table and the empty line before it."""
    return _EMPTY_LINE.sub("", text[:start]) + text[end:]


def remove_table(text: str, hook: JsonElement, name: str) -> str:
    """Return a TOML text without the table of ``hook``. Raises UserError where it is none that can
    be taken out.
    """
    after = _cut_lines(text, hook.start, text.find("\n", hook.end) + 1 or len(text))
    hooks = _hooks_in(text)
    remaining = [other for other in hooks if other is not hook.node.value]
    if len(remaining) == len(hooks):
        at = hooks.index(hook.node.value)
        remaining = hooks[:at] + hooks[at + 1 :]
    if not _says(after, text, remaining):
        raise UserError(
            f"{name}{settings_syntax.line_and_column(text, hook.start)}: this hook is not a "
            f"[[{settings_syntax.TABLE}]] table of "
            "its own, so it cannot be taken out.",
            "Take it out by hand; nothing was written.",
        )
    return after


def find_table(text: str, path: tuple[str, ...], name: str) -> tuple[dict[str, Any], int] | None:
    """Return the table of a TOML text at ``path`` and where it begins, None for none. Raises
    UserError where the text is no TOML.
    """
    node: Any = _load(text, name)
    for key in path:
        node = node.get(key) if isinstance(node, dict) else None
    if not isinstance(node, dict):
        return None
    header = _header_of(text, path)
    return node, header.start() if header is not None else 0


def set_table(text: str, path: tuple[str, ...], values: Mapping[str, Any], name: str) -> str:
    """Return a TOML text with the table ``values`` at ``path``, behind all else where there was
    none. Raises UserError where another one is there that starts no server of ours.
    """
    if (existing := find_table(text, path, name)) is not None:
        if existing[0] == values:
            return text
        if not hook_commands.is_server_entry(existing[0]):
            place = f"{name}{settings_syntax.line_and_column(text, existing[1])}"
            raise UserError(
                f'{place} has another server "{path[-1]}", which stays.',
                "Take it out, or give it another name.",
            )
        text = remove_named_table(text, path, name)
    rows = (f"{key} = {_format_value(value)}" for key, value in values.items())
    _, after = _append_lines(text, (f"[{'.'.join(path)}]", *rows))
    written = find_table(after, path, name) if len(after) <= MAX_TOML_CHARS else None
    if written is None or written[0] != values or not _is_same_but(after, text, path):
        raise UserError(
            f"{name}: a table [{'.'.join(path)}] cannot be appended.",
            "Write the servers as tables of their own; nothing was written.",
        )
    return after


def remove_named_table(text: str, path: tuple[str, ...], name: str) -> str:
    """Return a TOML text without the table at ``path``, and without the empty line before it.
    Raises UserError where it is none that can be taken out.
    """
    if (header := _header_of(text, path)) is not None:
        following = _ANY_HEADER.search(text, header.end())
        end = following.start() if following is not None else len(text)
        after = _cut_lines(text, header.start(), end)
        if _is_same_but(text, after, path):
            return after
    raise UserError(
        f"{name}: {'.'.join(path)} is not a table of its own, so it cannot be taken out.",
        "Take it out by hand; nothing was written.",
    )


def _header_of(text: str, path: tuple[str, ...]) -> re.Match[str] | None:
    """Return the line that begins the table at ``path``, as we write it."""
    return re.search(rf"^\[{re.escape('.'.join(path))}\][ \t]*\r?$", text, re.MULTILINE)


def _is_same_but(more: str, less: str, path: tuple[str, ...]) -> bool:
    """Return whether two texts say the same but for the table at ``path``, which only the first
    has.
    """
    try:
        first, other = settings_syntax.load_settings(more), settings_syntax.load_settings(less)
    except ValueError:
        return False
    _drop_path(first, path)
    return repr(first) == repr(other)


def _drop_path(settings: dict[str, Any], path: tuple[str, ...]) -> None:
    """Take the value at ``path`` out, and the tables around it that are empty then."""
    key, *rest = path
    if rest and isinstance(settings.get(key), dict):
        _drop_path(settings[key], tuple(rest))
        if settings[key]:
            return
    settings.pop(key, None)


def _load(text: str, name: str) -> dict[str, Any]:
    try:
        return settings_syntax.load_settings(text)
    except ValueError as error:
        raise UserError(
            f"{name} cannot be read as TOML: {error}.", "Mend the file; nothing was written."
        ) from error


def _hooks_in(text: str) -> list[Any]:
    hooks = settings_syntax.load_settings(text).get(settings_syntax.TABLE, [])
    return list(hooks) if isinstance(hooks, list) else [hooks]


def _says(after: str, before: str, hooks: list[Any]) -> bool:
    """Return whether a text says what ``before`` does, but for its hooks, which are ``hooks``."""
    try:
        new, old = settings_syntax.load_settings(after), settings_syntax.load_settings(before)
    except ValueError:
        return False
    hooks_after = new.pop(settings_syntax.TABLE, [])
    old.pop(settings_syntax.TABLE, None)
    # As texts: a value that is no number equals nothing.
    return repr(hooks_after) == repr(hooks) and repr(new) == repr(old)


def _format_value(value: Any) -> str:
    """Return a value as TOML; a text with quotation marks or backslashes as a literal one, which
    people can read.
    """
    if isinstance(value, list):
        return f"[{', '.join(map(_format_value, value))}]"
    if not isinstance(value, str):
        return json.dumps(value)
    if ('"' in value or "\\" in value) and "'" not in value and value.isprintable():
        return f"'{value}'"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
