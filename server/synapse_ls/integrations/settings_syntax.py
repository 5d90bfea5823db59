"""Read settings files of agent clients: hooks, what disables them, and mistakes.

A ``[[hooks]]`` table of TOML names its event, ``event = "..."``; the result lists it under that
event, as JSON settings do. Where a client loads a plugin instead of calling commands, the plugin
has the JSON of a settings file as a constant, so that it can be read and compared like one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synapse_ls.formats.toml_document import key_positions, load_toml
from synapse_ls.integrations.client_settings import (
    CUT_COMMENTS,
    RELAXED,
    STRICT,
    TOML,
    Client,
    Surroundings,
    Trouble,
    shown_path,
)
from synapse_ls.integrations.hook_commands import engine_title, is_hook_command, is_tool_hook
from synapse_ls.text.fast_json import JsonError, loads
from synapse_ls.text.jsonc_tree import (
    BLOCK_COMMENT,
    LINE_COMMENT,
    JsoncDocument,
    JsonElement,
    JsonNode,
    parse_jsonc,
)
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace import outside_links, regular_files

TABLE = "hooks"


def build_hook_tree(text: str, settings: Mapping[str, Any]) -> JsoncDocument:
    """Return the hooks of TOML settings, ``text`` with the content ``settings``, as an object that
    holds a list for each event.

    The span of a hook begins where the line of its header does and ends behind its last value.
    """
    places = key_positions(text)
    tables = settings.get(TABLE)
    events: dict[str, list[JsonElement]] = {}
    for number, hook in enumerate(tables if isinstance(tables, list) else ()):
        event = hook.get("event") if isinstance(hook, dict) else None
        if isinstance(event, str) and (TABLE, number) in places:
            head = places[TABLE, number].value
            members = [
                JsonElement(key, place.key.start, JsonNode(place.value, value), -1)
                for key, value in hook.items()
                # A table inside has one place for both, and may stand anywhere below.
                if (place := places.get((TABLE, number, key))) is not None
                and place.key != place.value
            ]
            members.sort(key=lambda member: member.start)
            has_header = places[TABLE,].key == places[TABLE,].value
            start = text.rfind("\n", 0, head.start) + 1 if has_header else head.start
            end = max([head.end, *(member.end for member in members)])
            node = JsonNode(Span(start, end), hook, tuple(members))
            events.setdefault(event, []).append(JsonElement("", node.span.start, node, -1))
    whole, lists = Span(0, len(text)), []
    for event, hooks in events.items():
        span = Span(hooks[0].start, hooks[-1].end)
        node = JsonNode(span, [hook.node.value for hook in hooks], tuple(hooks))
        lists.append(JsonElement(event, hooks[0].start, node, -1))
    table = JsonNode(whole, {member.key: member.node.value for member in lists}, tuple(lists))
    root = JsonNode(whole, {TABLE: table.value}, (JsonElement(TABLE, 0, table, -1),))
    return JsoncDocument(text, root, (), ())


def find_table_start(text: str) -> int:
    """Return where the key that holds the hooks stands first in TOML settings, the end of the text
    for nowhere.
    """
    place = key_positions(text).get((TABLE,))
    return len(text) if place is None else place.key.start


def load_settings(text: str) -> dict[str, Any]:
    """Return what the settings of a client in TOML say; raise ValueError where they are no TOML, or
    are beyond the limits of `load_toml`.
    """
    data, problem = load_toml(text, "The file", "nothing is read")
    if problem is not None:
        raise ValueError(problem.message)
    return data


PLACEHOLDER = "const SETTINGS = {};"
_SETTINGS = re.compile(r"^const SETTINGS = (\{ *$(?:(?!^const ).)*?^\});", re.MULTILINE | re.DOTALL)
_CODE = re.compile(r"[^\r\n]")


def read_plugin(folder: Path) -> str:
    """Return the plugin that is to be filled with settings, whose own part is in ``folder``: before
    it stands what calls the hook, which all plugins share.
    """
    parts = (Path(__file__).with_name("hook_caller.js"), folder / "plugin.js")
    return "\n".join(regular_files.read_whole(part).decode() for part in parts)


def holds_settings(text: str) -> bool:
    """Return whether a program is a plugin with settings in it."""
    return _find_settings(text) is not None


def blank_code(text: str) -> str:
    """Return a plugin with spaces for all but its settings, which stay where they are; a text
    without settings stays as it is.
    """
    if (match := _find_settings(text)) is None:
        return text
    before, after = text[: match.start(1)], text[match.end(1) :]
    return _CODE.sub(" ", before) + match[1] + _CODE.sub(" ", after)


def _find_settings(text: str) -> re.Match[str] | None:
    return _SETTINGS.search(text.replace("\r", " "))


_BOM = b"\xef\xbb\xbf"
_LINE_MARK, _COMMENT_MARK = re.compile("//"), re.compile(r"//|/\*")
# The keys that hold a command line: one for all, or one for each shell or system.
COMMAND_KEYS = ("command", "bash", "powershell", "windows", "linux", "osx", "commandWindows")
_TIMEOUT_KEYS = ("timeout", "timeoutSec")


@dataclass(frozen=True, slots=True)
class SettingsHook:
    """A hook in a client's settings file that runs a command or calls our tool.

    event: the client's name for it. path: the containers that it stands in, the event's list
    first, each with the element of it that leads to the hook. commands: its command lines by
    key, none where it calls the tool.
    """

    event: str
    path: tuple[tuple[JsonNode, JsonElement], ...]
    commands: tuple[tuple[str, str], ...]

    @property
    def calls_tool(self) -> bool:
        """Whether it calls the tool of our hook server."""
        return is_tool_hook(self.path[-1][1].node.value)

    @property
    def is_ours(self) -> bool:
        """Whether it calls the hook of Synapse LS."""
        return self.calls_tool or any(is_hook_command(command) for _, command in self.commands)

    @property
    def engine(self) -> str:
        """Which other engine it belongs to, as sentences name it; "" for none."""
        return next(filter(None, (engine_title(line) for _, line in self.commands)), "")

    @property
    def command(self) -> str:
        """The command line for this system, "" for none."""
        windows_keys = ("windows", "powershell", "commandWindows")
        keys = windows_keys if os.name == "nt" else ("bash", "linux")
        lines = dict(self.commands)
        return next((lines[key] for key in (*keys, *COMMAND_KEYS) if key in lines), "")

    @property
    def timeout(self) -> float | None:
        """How long the client waits for it, in the client's unit; None where that is not said."""
        settings = self.path[-1][1].node.value
        timeouts = (settings.get(key) for key in _TIMEOUT_KEYS)
        return next((n for n in timeouts if isinstance(n, int | float) and n > 0), None)

    @property
    def offset(self) -> int:
        """Where its first command line stands, or the name of the server that it calls."""
        member = self.path[-1][1].node.get(self.commands[0][0] if self.commands else "server")
        return member.start if member is not None else self.path[-1][1].start


@dataclass(frozen=True, slots=True)
class SettingsText:
    """The content of a client's settings file. bom: whether a byte order mark stands before
    ``text``.
    """

    path: Path
    text: str
    bom: bool

    @property
    def data(self) -> bytes:
        """The bytes of the file."""
        return _BOM * self.bom + self.text.encode()

    def with_text(self, text: str) -> SettingsText:
        """Return the file with another content."""
        return SettingsText(self.path, text, self.bom)


def read_settings(path: Path, name: str) -> SettingsText | None:
    """Return the settings file at ``path``, None where there is none. Raises UserError where it is
    not text, or is not read (`find_refusal`). name: relative to the project for a file of it.
    """
    real = regular_files.real_path(str(path))
    if not (name.startswith("~") or Path(name).is_absolute()) and (
        refusal := outside_links.find_refusal(str(path.parents[name.count("/")]), name, real)
    ):
        reason, remedy = refusal
        raise UserError(f"Cannot read {name}: {reason}, so nothing was written.", remedy)
    try:
        data = regular_files.read_whole(real, within=os.sep)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise UserError.of_failure(f"read {name}", error, "Look at the file.") from error
    bom = data.startswith(_BOM)
    try:
        return SettingsText(path, data[len(_BOM) * bom :].decode(), bom)
    except UnicodeDecodeError as error:
        raise UserError(
            f"{name} is not UTF-8 (byte {error.start}), so nothing was written.",
            "Save it as UTF-8 first.",
        ) from error


def parse_settings(client: Client, text: str, name: str) -> JsoncDocument:
    """Return the settings in the ``text`` of a settings file or a plugin; raise UserError, with the
    place, where the client could not read them.
    """
    if client.syntax == TOML:
        settings, problem = load_toml(text, "The file", "nothing is read")
        if problem is None:
            return build_hook_tree(text, settings)
        reason = problem.message.removesuffix(", so nothing is read.")
        raise UserError(
            f"{name}{line_and_column(text, problem.span.start)} cannot be read as TOML: "
            f"{reason[:1].lower()}{reason[1:]}.",
            "Mend the file; nothing was written.",
        )
    has_plugin = any(place.plugin for place in client.places)
    try:
        document = parse_jsonc(blank_code(text) if has_plugin else text)._replace(text=text)
    except JsonError as error:
        if has_plugin:
            check_plugin(text, name)
        raise _syntax_error(client, name, text, error.offset, error.what) from error
    if client.syntax == STRICT and document.comments:
        raise _syntax_error(client, name, text, document.comments[0].start, "it takes no comments")
    if client.syntax != RELAXED and document.trailing_commas:
        clause = "it takes no comma behind the last element"
        raise _syntax_error(client, name, text, document.trailing_commas[0], clause)
    if client.syntax == CUT_COMMENTS:
        _check_cut_comments(client, name, document)
    return document


def check_plugin(text: str, name: str) -> None:
    """Raise UserError where a plugin is not one of ours."""
    if text.strip() and not holds_settings(text):
        raise UserError(
            f"{name} is a plugin of somebody else's, so nothing was written.",
            "Give that file another name.",
        )


def _check_cut_comments(client: Client, name: str, document: JsoncDocument) -> None:
    """Raise UserError where something else is left once everything that looks like a comment is cut
    out, other than in texts.
    """
    text = document.text
    # One line is cut after the other, and blocks last; so that is the order in which they do harm.
    order = {"//": 0, "/*": 1}
    false = min(_find_false_comments(document), key=lambda mark: order[mark[0]], default=None)
    if not false:
        return
    until_last, end, after = LINE_COMMENT.sub("", text).rpartition("*/")
    try:
        remaining = loads(BLOCK_COMMENT.sub("", until_last + end) + after)
    except JsonError:
        remaining = None
    if _without_texts(remaining) != _without_texts(document.root.value):
        clause = f"it takes this {false[0]} for a comment"
        if not any(comment.contains(false.start()) for comment in document.comments):
            clause += f" (in a text, \\{false[0][0]}\\{false[0][1]} is none)"
        raise _syntax_error(client, name, text, false.start(), clause)


def _without_texts(value: Any) -> Any:
    """Return a value of JSON with every text in it empty, but for the keys."""
    if isinstance(value, dict):
        return {key: _without_texts(member) for key, member in value.items()}
    if isinstance(value, list):
        return [_without_texts(item) for item in value]
    return "" if isinstance(value, str) else value


def _find_false_comments(document: JsoncDocument) -> Iterator[re.Match[str]]:
    """Yield what looks like the beginning of a comment in a text, or of a line inside a block."""
    at = 0
    for comment in (*document.comments, Span(len(document.text), len(document.text))):
        yield from _COMMENT_MARK.finditer(document.text, at, comment.start)
        if document.text.startswith("/*", comment.start):
            yield from _LINE_MARK.finditer(document.text, comment.start + 2, comment.end)
        at = comment.end


def line_and_column(text: str, offset: int) -> str:
    """Return ``:line:column``, from 1, of an offset in a settings file."""
    line, column = LineIndex(text).position(offset)
    return f":{line + 1}:{column + 1}"


def _syntax_error(client: Client, name: str, text: str, offset: int, clause: str) -> UserError:
    return UserError(
        f"{name}{line_and_column(text, offset)} is no JSON that {client.title} reads: {clause}.",
        "Mend the file; nothing was written.",
    )


def find_hooks(
    client: Client, document: JsoncDocument | None, *, with_replaced: bool = False
) -> Iterator[SettingsHook]:
    """Yield every hook that a settings file registers and that runs a command or calls our tool.

    with_replaced: also those of an event that stands there again; readers take the last one.
    """
    table = node_at(document, client.table)
    if table is None or not isinstance(table.value, dict):
        return
    for event in table.elements if with_replaced else table.members:
        for entry in event.node.elements if isinstance(event.node.value, list) else ():
            if not isinstance(entry.node.value, dict):
                continue
            inner, place = entry.node.get("hooks"), (event.node, entry)
            if inner is None:
                yield from _command_hook(event.key, (place,))
            elif isinstance(inner.node.value, list):
                for element in inner.node.elements:
                    yield from _command_hook(event.key, (place, (inner.node, element)))


def _command_hook(
    event: str, path: tuple[tuple[JsonNode, JsonElement], ...]
) -> Iterator[SettingsHook]:
    settings = path[-1][1].node.value
    if not isinstance(settings, dict):
        return
    commands = tuple(
        (key, settings[key]) for key in COMMAND_KEYS if isinstance(settings.get(key), str)
    )
    if commands or is_tool_hook(settings):
        yield SettingsHook(event, path, commands)


def readable_settings(client: Client, file: Path, around: Surroundings) -> JsoncDocument | None:
    """Return a settings file, None where it is not there or not readable for the client."""
    try:
        settings = read_settings(file, shown_path(file, around))
        return parse_settings(client, settings.text, str(file)) if settings else None
    except UserError:
        return None


def find_scope_hooks(client: Client, scope: str, around: Surroundings) -> Iterator[SettingsHook]:
    """Yield every hook that the settings of a scope register, as `find_hooks` does."""
    file = client.file(scope, around)
    yield from find_hooks(client, readable_settings(client, file, around) if file else None)


def find_off_switches(
    client: Client,
    around: Surroundings,
    path: tuple[str, ...],
    *,
    when: bool,
    files: Iterable[Path] | None = None,
) -> Iterator[Trouble]:
    """Yield a trouble for each file, of those for hooks unless ``files`` are given, where a
    client's setting at ``path`` has the value ``when``, which switches hooks off.
    """
    for file in files or [client.path_of(place, around) for place in client.places]:
        document = _read_document(file, around)
        node = node_at(document, path)
        if document is not None and node is not None and node.value is when:
            name = shown_path(file, around)
            line = LineIndex(document.text).line_of(node.span.start) + 1
            sentence = f"{name}:{line} switches hooks off ({'.'.join(path)} is {str(when).lower()})"
            remedy = "Take that setting out."
            yield Trouble("hooks-off", "error", client.name, sentence, remedy, name, line)


def find_disabled_name(
    client: Client, file: Path, around: Surroundings, path: tuple[str, ...], name: str
) -> Iterator[Trouble]:
    """Yield a trouble where a client's list at ``path`` has our name in it, which switches our hook
    off.
    """
    document = _read_document(file, around)
    node = node_at(document, path)
    for element in node.elements if node is not None else ():
        if document is not None and element.node.value == name:
            shown_name = shown_path(file, around)
            line = LineIndex(document.text).line_of(element.start) + 1
            sentence = f'{shown_name}:{line} switches the hook "{name}" off ({".".join(path)})'
            remedy = f'Take "{name}" out of that list.'
            yield Trouble("hooks-off", "error", client.name, sentence, remedy, shown_name, line)


def setting_value(file: Path, path: tuple[str, ...], around: Surroundings) -> Any:
    """Return what a settings file says at ``path``, where hooks may be switched off; None where it
    does not, or cannot be read.
    """
    node = node_at(_read_document(file, around), path)
    return None if node is None else node.value


def _read_document(file: Path, around: Surroundings) -> JsoncDocument | None:
    try:
        settings = read_settings(file, shown_path(file, around))
        return parse_jsonc(settings.text) if settings else None
    except (UserError, ValueError, JsonError):
        return None


def node_at(document: JsoncDocument | None, path: tuple[str, ...]) -> JsonNode | None:
    """Return what stands in settings at ``path``, None for nothing."""
    node = None if document is None else document.root
    for key in path:
        member = node.get(key) if node is not None and isinstance(node.value, dict) else None
        node = member.node if member is not None else None
    return node


def find_left_out(client: Client, file: Path, around: Surroundings) -> Iterator[Trouble]:
    """Yield why all hooks of a settings file can be lost. Of a file that is not there, or is not
    written as the client reads it, nothing is said.
    """
    name = shown_path(file, around)
    try:
        settings_text = read_settings(file, name)
        if settings_text is None or not settings_text.text.strip():
            return
        settings = parse_settings(client, settings_text.text, name)
    except UserError:
        return
    yield from find_mistakes(client, name, settings_text, settings)


def find_mistakes(
    client: Client, name: str, settings_text: SettingsText, settings: JsoncDocument
) -> Iterator[Trouble]:
    """Yield why all hooks of a settings file can be lost: a byte order mark, else the worst mistake
    in it. settings: what the client reads of it.
    """
    if settings_text.bom and not client.takes_byte_order_mark:
        sentence = f"{name} begins with a byte order mark, and {client.title} reads no such file"
        remedy = "Save it as UTF-8 without a byte order mark."
        yield Trouble("broken-settings", "error", client.name, sentence, remedy, name, 1)
        return
    mistakes = client.find_mistakes(settings)
    worst = min(mistakes, key=lambda mistake: mistake.severity != "error", default=None)
    if worst is None:
        return
    line, column = LineIndex(settings_text.text).position(worst.offset)
    place = f"{name}:{line + 1}:{column + 1}"
    lost = "all hooks" if client.syntax == TOML else "the whole file"
    sentence = f"{place}: {worst.said}, for which {client.title} can leave out {lost}"
    yield Trouble(
        "broken-settings", worst.severity, client.name, sentence, worst.remedy, name, line + 1
    )
