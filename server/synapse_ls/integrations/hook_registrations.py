"""Find our entries in the settings of agent clients, and whether they are current and can start.

A repository's settings may hold anything that resembles our line. What neither this version of
`install` nor an earlier one writes is unknown, and only its client runs it.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from synapse_ls.integrations.client_settings import (
    HOOK_SERVER_NAME,
    PROJECT,
    SCOPES,
    TOML,
    Client,
    Servers,
    Surroundings,
    shown_path,
)
from synapse_ls.integrations.hook_commands import (
    BASH_SHELL,
    CMD_SHELL,
    POWERSHELL_SHELL,
    SHARED_PROGRAM,
    TOOL_NAME,
    close_line,
    hook_arguments,
    hook_command,
    is_server_entry,
    plain_command,
    powershell_command,
    server_words,
)
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.settings_syntax import (
    COMMAND_KEYS,
    find_hooks,
    find_mistakes,
    load_settings,
    parse_settings,
    read_settings,
    readable_settings,
    setting_value,
)
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.program_search import find_program

CURRENT, OUTDATED, UNKNOWN = "current", "outdated", "unknown"

_PATH = r'"(?:[^"\\$`\n]|\\["\\$`])+"'
_ENDINGS = ("", " || echo {}", "; if (-not $?) { '{}'; exit 0 }")
_INTERPRETER_ARGUMENTS = ["-I", "-m", "synapse_ls"]


def hook_state(client: Client, event: str, scope: str, commands: Mapping[str, str]) -> str:
    """Return the state in which a hook is registered with a client: whether its command lines, by
    their keys, are those that would be written now, those of an earlier version or another
    installation, or unknown.
    """
    written = _written_commands(client, event, scope)
    if commands.keys() == written.keys() and all(
        line in (written[key], close_line(written[key])) for key, line in commands.items()
    ):
        return CURRENT
    spoken = _client_word(client, event)
    is_known = all(_is_known_line(line, spoken, event) for line in commands.values())
    return OUTDATED if commands and is_known else UNKNOWN


def server_state(servers: Servers, scope: str, entry: Any) -> str:
    """Return the state in which a server is registered with a client: its entry is as it would be
    written now, that of an earlier version, or unknown; what it has beside its program and
    arguments counts as well.
    """
    if entry == servers.entry(scope):
        return CURRENT
    words = server_words(entry)
    if not isinstance(entry, dict) or not words:
        return UNKNOWN
    by_name = words[0] == SHARED_PROGRAM
    if not by_name and not _is_absolute(words[0]):
        return UNKNOWN
    for other in SCOPES:
        written = servers.entry(other)
        if any(entry[key] != written.get(key) for key in entry.keys() - {"command", "args"}):
            continue
        arguments = server_words(written)[1:]
        if arguments[: len(_INTERPRETER_ARGUMENTS)] == _INTERPRETER_ARGUMENTS:
            arguments = arguments[len(_INTERPRETER_ARGUMENTS) :]
        if words[1:] == (arguments if by_name else [*_INTERPRETER_ARGUMENTS, *arguments]):
            return OUTDATED
    return UNKNOWN


def calls_shared_program(registration: Registration) -> bool:
    """Return whether a registration is the shared line as it would be written now, which calls the
    program of the search path.
    """
    is_current = registration.state == CURRENT and not registration.calls_tool
    return registration.scope == PROJECT and is_current


def probe_arguments(client: Client, registration: Registration, root: str) -> list[str]:
    """Return the program and the arguments by which a registration is tried out; nothing of them
    comes from settings. A shared line runs as it would be written, in a shell as its client has it;
    for any other a line of our own does what that one does.
    """
    event = registration.event
    if not calls_shared_program(registration):
        return hook_arguments(_client_word(client, event), event, registration.scope)
    if os.name == "nt":
        return program_arguments(client, event, root)
    lines = _written_commands(client, event, PROJECT)
    return ["/bin/sh", "-c", next(lines[key] for key in ("bash", *COMMAND_KEYS) if key in lines)]


def program_arguments(client: Client, event: str, root: str) -> list[str]:
    """Return what the shared line of a registration calls: the program, which has to be there, and
    its arguments.
    """
    words = plain_command(_client_word(client, event), event).split(" ")
    return [find_program(SHARED_PROGRAM, root), *words[1:]]


def server_arguments(servers: Servers, scope: str, state: str, root: str) -> list[str]:
    """Return the program and the arguments that start the server which is registered with a client:
    those of its entry where that would be written now, else of a line that does the same.
    """
    words = server_words(servers.entry(scope))
    if scope != PROJECT:
        return words
    if state == CURRENT:
        return [find_program(words[0], root), *words[1:]]
    return [sys.executable, *_INTERPRETER_ARGUMENTS, *words[1:]]


def _written_commands(client: Client, event: str, scope: str) -> dict[str, str]:
    entry = client.hook_entry(event, scope)
    hook = entry.get("hooks", [entry])[0]
    return {key: hook[key] for key in COMMAND_KEYS if key in hook}


def _client_word(client: Client, event: str) -> str:
    """Return what the lines of a client say after ``--client``; two may share their settings."""
    (line, *_) = _written_commands(client, event, PROJECT).values()
    return line.partition(" --client ")[2].partition(" ")[0]


def _is_known_line(line: str, client: str, event: str) -> bool:
    if line in _shared_lines(client, event):
        return True
    words = re.escape(f"--event {event} --client {client}") + r"(?: --limit \d+)?"
    endings = "|".join(map(re.escape, _ENDINGS))
    pattern = rf"(?:& )?({_PATH}) -I -S ({_PATH}) {words}(?: --scope (?:local|user))?(?:{endings})"
    if (match := re.fullmatch(pattern, line)) is None:
        return False
    python, script = (part[1:-1].replace("\\", "/") for part in match.groups())
    return _is_absolute(python) and _is_absolute(script) and script.endswith("synapse_ls/hook.py")


@cache
def _shared_lines(client: str, event: str) -> frozenset[str]:
    """Return the shared lines of an event, in the words of any shell."""
    shells = (BASH_SHELL, POWERSHELL_SHELL, CMD_SHELL)
    lines = {hook_command(client, event, PROJECT, windows=shell) for shell in shells}
    return frozenset((*lines, powershell_command(client, event), plain_command(client, event)))


def _is_absolute(path: str) -> bool:
    """Return whether a path is one on POSIX or on Windows; settings may come from either."""
    return path.startswith("/") or re.match(r"[A-Za-z]:[\\/]", path) is not None


@dataclass(frozen=True, slots=True)
class Registration:
    """A hook of ours in the settings of a client: which client calls it where. ``line`` counts from
    1. state: current, outdated or unknown, as this module says. timeout: the seconds that the
    client waits for it, None where the settings do not say. calls_tool: whether it calls the tool
    of our hook server, which ``command`` names then.
    """

    client: str
    scope: str
    file: Path
    name: str
    line: int
    event: str
    command: str
    state: str
    timeout: float | None = None
    calls_tool: bool = False


def find_registrations(around: Surroundings, client: Client) -> Iterator[Registration]:
    """Yield the hooks of ours in a client's settings; a file that it could not read registers
    nothing.
    """
    for place in client.places:
        file = client.path_of(place, around)
        document = (
            None if client.is_of_user(place, around) else readable_settings(client, file, around)
        )
        if document is None:
            continue
        lines = LineIndex(document.text)
        for hook in find_hooks(client, document):
            if hook.is_ours:
                line = lines.line_of(hook.offset) + 1
                name = shown_path(file, around)
                wait = None if hook.timeout is None else hook.timeout / client.timeout_unit
                if hook.calls_tool:
                    command = f"{HOOK_SERVER_NAME}/{TOOL_NAME}"
                    # Whether its element of the event's list is one that would be written now.
                    entry = hook.path[0][1].node.value
                    views = map(client.through_tool, (False, True))
                    is_current = any(entry in v.hook_entries(hook.event, PROJECT) for v in views)
                    state = CURRENT if is_current else OUTDATED
                else:
                    command = hook.command
                    state = hook_state(client, hook.event, place.scope, dict(hook.commands))
                facts = (hook.event, command, state, wait, hook.calls_tool)
                yield Registration(client.name, place.scope, file, name, line, *facts)


def registered_files(root: str, *, home: str = "") -> tuple[str, ...]:
    """Return the settings files that register the hook with any client, the project's before the
    user's.
    """
    around = Surroundings(Path(root), Path(home or Path.home()))
    return tuple(name for _, name, _ in registered_events(around))


def registered_events(around: Surroundings) -> Iterator[tuple[Path, str, frozenset[str]]]:
    """Yield the settings files that register the hook with any client, the project's before the
    user's, each with its name and the events for which it is registered.
    """
    for file, client in existing_settings(around).items():
        hooks = find_hooks(client, readable_settings(client, file, around))
        if events := frozenset(hook.event for hook in hooks if hook.is_ours):
            yield file, shown_path(file, around), events


def foreign_engines(around: Surroundings) -> Iterator[str]:
    """Yield the other engines whose hooks clients call for a tree, each with its settings file:
    "the original engine in .claude/settings.json".
    """
    for file, client in existing_settings(around).items():
        hooks = find_hooks(client, readable_settings(client, file, around))
        for title in dict.fromkeys(filter(None, (hook.engine for hook in hooks))):
            yield f"{title} in {shown_path(file, around)}"


def existing_settings(around: Surroundings) -> dict[Path, Client]:
    """Return the settings files in which something could be registered, those that exist, each with
    a client that reads it; those of projects first.
    """
    files: dict[Path, Client] = {}
    pairs = [(place, client) for client in CLIENTS.values() for place in client.places]
    for place, client in sorted(pairs, key=lambda pair: pair[0].scope == "user"):
        if (file := client.path_of(place, around)).is_file():
            files.setdefault(file, client)
    return files


INSTALL_REMEDY = (
    f"Install {SHARED_PROGRAM} outside of the project, where the search path finds it, as with "
    '`pipx install FOLDER` (the folder of the checkout). Or install the hook for "only me" '
    "(`--scope user`)."
)


@dataclass(frozen=True, slots=True)
class MissingProgram:
    """Why what a client calls as its hook cannot be started, as a clause, and what to do."""

    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class HookServerEntry:
    """What a client's settings file has under the name of our hook server. entry: None for nothing;
    state: unknown where it is none of ours; again: the command that registers the server anew.
    """

    servers: Servers
    file_name: str
    entry: Any
    state: str
    again: str


def shared_program(around: Surroundings) -> tuple[str, bool]:
    """Return the program that the shared command line finds now, "" for none; and whether only the
    virtual environment that is active here has it.
    """
    root = str(around.root)
    program = find_program(SHARED_PROGRAM, root)
    environment = os.environ.get("VIRTUAL_ENV", "")
    alone = bool(program and environment) and not find_program(
        SHARED_PROGRAM, root, outside=environment
    )
    return program, alone


def missing_program(registration: Registration, around: Surroundings) -> MissingProgram | None:
    """Return why a registration of ours finds no program, or no server, to call; None where it
    does.
    """
    client, scope = registration.client, registration.scope
    if registration.calls_tool:
        return missing_hook_server(CLIENTS[client], scope, around)
    if scope == PROJECT and registration.state == CURRENT and not shared_program(around)[0]:
        return _missing_shared_program()
    missing = next(missing_programs(registration.command, str(around.root)), "")
    again = f"Run `synapse install --client {client} --scope {scope}`."
    return MissingProgram(f"there is no {missing}", again) if missing else None


def missing_hook_server(client: Client, scope: str, around: Surroundings) -> MissingProgram | None:
    """Return why a client that calls the tool of our hook server in a scope finds no server to
    start, None where it does. What an edited line would start is not judged.
    """
    if (registered := registered_hook_server(client, scope, around)) is None:
        return MissingProgram(
            f"{client.title} has no servers of scope {scope}",
            f"Run `synapse install --via command --client {client.name} --scope {scope}`.",
        )
    if registered.entry is None:
        reason = f"the server {registered.servers.name} is not registered in {registered.file_name}"
        return MissingProgram(reason, f"Run `{registered.again}`.")
    if registered.state == UNKNOWN:
        return None
    return missing_server_program(registered.entry, registered.again, around)


def registered_hook_server(
    client: Client, scope: str, around: Surroundings
) -> HookServerEntry | None:
    """Return what stands under the name of our hook server with a client in a scope, None where the
    client has no servers there.
    """
    view = client.for_hook_server()
    place = view.servers.place(scope) if view.servers is not None else None
    servers = view.with_servers_at(place, around).servers if place is not None else None
    if servers is None or place is None:
        return None
    file = client.path_of(place, around)
    entry = _registered_entry(servers, file, around)
    state = server_state(servers, scope, entry)
    again = f"synapse install --via mcp --client {client.name} --scope {scope}"
    return HookServerEntry(servers, shown_path(file, around), entry, state, again)


def missing_server_program(entry: Any, again: str, around: Surroundings) -> MissingProgram | None:
    """Return why the program of a server's entry is not there, None where it is. again: the command
    that registers the server anew.
    """
    program = server_words(entry)[0]
    is_absolute = Path(program).is_absolute()
    if Path(program).exists() if is_absolute else find_program(program, str(around.root)):
        return None
    if program == SHARED_PROGRAM:
        return _missing_shared_program()
    return MissingProgram(f"there is no program {program}", f"Run `{again}`.")


def edited_server_remedy(servers: Servers, entry: Any, name: str, again: str) -> str:
    """Return what to do where a server of our name is not as it would be written: `synapse install`
    (``again``) replaces one that it knows for ours, and leaves any other in the file ``name``.
    """
    if is_server_entry(entry):
        return f"Run `{again}`."
    return f"Take {servers.name} out of {name}, then run `{again}`."


def _registered_entry(servers: Servers, file: Path, around: Surroundings) -> Any:
    """Return what stands in a client's file under the name of our server, None for nothing."""
    path = (*servers.table, servers.name)
    if servers.syntax != TOML:
        return setting_value(file, path, around)
    try:
        text = read_settings(file, shown_path(file, around))
        settings: Any = load_settings(text.text) if text else None
    except (UserError, ValueError):
        return None
    for key in path:
        settings = settings.get(key) if isinstance(settings, dict) else None
    return settings


def _missing_shared_program() -> MissingProgram:
    reason = f"`{SHARED_PROGRAM}` was not found on the search path, outside of the project"
    return MissingProgram(reason, INSTALL_REMEDY)


def hook_troubles(root: str, *, home: str = "") -> tuple[str, ...]:
    """Return why a client could not call the hook, a sentence each: settings that it could not read
    or can leave out, and commands whose interpreter or script is not there.
    """
    around = Surroundings(Path(root), Path(home or Path.home()))
    troubles: dict[str, None] = {}
    for file, client in existing_settings(around).items():
        name = shown_path(file, around)
        try:
            settings_text = read_settings(file, name)
            if settings_text is None or not settings_text.text.strip():
                continue
            settings = parse_settings(client, settings_text.text, name)
        except UserError as error:
            troubles[error.sentence.removesuffix(".").replace(", so nothing was written", "")] = (
                None
            )
            continue
        mistakes = find_mistakes(client, name, settings_text, settings)
        troubles.update((mistake.sentence, None) for mistake in mistakes)
        for hook in find_hooks(client, settings):
            called = "" if hook.calls_tool or not hook.is_ours else hook.command
            for word in missing_programs(called, root):
                troubles[f"the hook in {name} calls {word}, which does not exist"] = None
    return tuple(troubles)


def missing_programs(command: str, root: str) -> Iterator[str]:
    """Yield the interpreter and the script of a hook's command line, where they do not exist.

    A shared line does without its program.
    """
    if "||" in command or "Get-Command" in command or command.startswith("try {"):
        return
    try:
        words = shlex.split(command.replace("$CLAUDE_PROJECT_DIR", root), posix=os.name != "nt")
    except ValueError:
        return
    for place, quoted_word in enumerate(word for word in words if word != "&"):
        word = quoted_word.strip('"')
        if "$" in word or (place and not word.replace("\\", "/").endswith("synapse_ls/hook.py")):
            continue
        if not (shutil.which(word) if place == 0 else Path(root, word).exists()):
            yield word
