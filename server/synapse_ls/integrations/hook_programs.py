"""This module finds out whether the program that a registered hook calls, or the server whose tool it
calls, can be started at all.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synapse_ls.integrations.client_definition import (
    PROJECT,
    TOML,
    Client,
    Servers,
    Surroundings,
    shown_path,
)
from synapse_ls.integrations.client_registrations import (
    CURRENT,
    UNKNOWN,
    Registration,
    existing_settings,
    server_state,
)
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM
from synapse_ls.integrations.hook_switches import setting_value
from synapse_ls.integrations.malformed_hooks import find_mistakes
from synapse_ls.integrations.settings_entries import is_server_entry, server_words
from synapse_ls.integrations.settings_files import find_hooks, parse_settings, read_settings
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.toml_settings import load_settings
from synapse_ls.storage.program_search import find_program
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.regular_files import read_whole

INSTALL_REMEDY = (
    f"Install {SHARED_PROGRAM} outside of the project, where the search path finds it, as with "
    '`pipx install FOLDER` (the folder of the checkout). Or install the hook for "only me" (`--scope user`).'
)


@dataclass(frozen=True, slots=True)
class MissingProgram:
    """A MissingProgram is why what a client calls as its hook cannot be started, as a clause, and
    what to do.
    """

    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class HookServerEntry:
    """A HookServerEntry is what a client's settings file has under the name of our hook server.
    entry: None for nothing; state: unknown where it is none of ours; again: the command that
    registers the server anew.
    """

    servers: Servers
    file_name: str
    entry: Any
    state: str
    again: str


def finds_shared_program(around: Surroundings) -> bool:
    """Tells whether the shared command line finds its program on the search path, outside of the
    project.
    """
    return bool(find_program(SHARED_PROGRAM, str(around.root)))


def shared_program(around: Surroundings) -> tuple[str, bool]:
    """Returns the program that the shared command line finds now, "" for none; and whether only the
    virtual environment that is active here has it.
    """
    root = str(around.root)
    found = find_program(SHARED_PROGRAM, root)
    environment = os.environ.get("VIRTUAL_ENV", "")
    alone = bool(found and environment) and not find_program(
        SHARED_PROGRAM, root, outside=environment
    )
    return found, alone


def missing_program(registration: Registration, around: Surroundings) -> MissingProgram | None:
    """Returns why a registration of ours finds no program, or no server, to call; None where it
    does.
    """
    client, scope = registration.client, registration.scope
    if registration.calls_tool:
        return missing_hook_server(CLIENTS[client], scope, around)
    if scope == PROJECT and registration.state == CURRENT and not finds_shared_program(around):
        return _missing_shared_program()
    missing = next(missing_programs(registration.command, str(around.root)), "")
    again = f"Run `synapse install --client {client} --scope {scope}`."
    return MissingProgram(f"there is no {missing}", again) if missing else None


def missing_hook_server(client: Client, scope: str, around: Surroundings) -> MissingProgram | None:
    """Returns why a client that calls the tool of our hook server in a scope finds no server to
    start, None where it does. What an edited line would start is not judged.
    """
    found = registered_hook_server(client, scope, around)
    if found is None:
        return MissingProgram(
            f"{client.title} has no servers of scope {scope}",
            f"Run `synapse install --via command --client {client.name} --scope {scope}`.",
        )
    if found.entry is None:
        said = f"the server {found.servers.name} is not registered in {found.file_name}"
        return MissingProgram(said, f"Run `{found.again}`.")
    if found.state == UNKNOWN:
        return None
    return missing_server_program(found.entry, found.again, around)


def registered_hook_server(
    client: Client, scope: str, around: Surroundings
) -> HookServerEntry | None:
    """Returns what stands under the name of our hook server with a client in a scope, None where the
    client has no servers there.
    """
    servers = client.for_hook_server().servers
    place = servers.place(scope) if servers is not None else None
    if servers is None or place is None:
        return None
    file = client.path_of(place, around)
    entry = _registered_entry(servers, file)
    state = server_state(servers, scope, entry)
    again = f"synapse install --via mcp --client {client.name} --scope {scope}"
    return HookServerEntry(servers, shown_path(file, around), entry, state, again)


def missing_server_program(entry: Any, again: str, around: Surroundings) -> MissingProgram | None:
    """Returns why the program of a server's entry is not there, None where it is. again: the command
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
    """Returns what to do where a server of our name is not as it would be written: `synapse install`
    (``again``) replaces one that it knows for ours, and leaves any other in the file ``name``.
    """
    if is_server_entry(entry):
        return f"Run `{again}`."
    return f"Take {servers.name} out of {name}, then run `{again}`."


def _registered_entry(servers: Servers, file: Path) -> Any:
    """Returns what stands in a client's file under the name of our server, None for nothing."""
    path = (*servers.table, servers.name)
    if servers.syntax != TOML:
        return setting_value(file, path)
    try:
        found: Any = load_settings(read_whole(file).decode("utf-8-sig"))
    except (OSError, ValueError):
        return None
    for key in path:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _missing_shared_program() -> MissingProgram:
    said = f"`{SHARED_PROGRAM}` was not found on the search path, outside of the project"
    return MissingProgram(said, INSTALL_REMEDY)


def hook_troubles(root: str, *, home: str = "") -> tuple[str, ...]:
    """Returns why a client could not call the hook, a sentence each: settings that it could not
    read or can leave out, and commands whose interpreter or script is not there.
    """
    around = Surroundings(Path(root), Path(home or Path.home()))
    told: dict[str, None] = {}
    for file, client in existing_settings(around).items():
        name = shown_path(file, around)
        try:
            found = read_settings(file, name)
            if found is None or not found.text.strip():
                continue
            settings = parse_settings(client, found.text, name)
        except EditError as error:
            told[error.sentence.removesuffix(".").replace(", so nothing was written", "")] = None
            continue
        mistakes = find_mistakes(client, name, found, settings)
        told.update((one.sentence, None) for one in mistakes)
        for hook in find_hooks(client, settings):
            called = "" if hook.calls_tool or not hook.is_ours else hook.command
            for word in missing_programs(called, root):
                told[f"the hook in {name} calls {word}, which does not exist"] = None
    return tuple(told)


def missing_programs(command: str, root: str) -> Iterator[str]:
    """Yields the interpreter and the script of a hook's command line, where they do not exist.

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
