"""Checks of how the hook is registered, by settings alone, and of rival hooks beside it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which

from synapse_ls.formats.toml_document import key_positions
from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.integrations.client_definition import (
    PROJECT,
    TOML,
    USER,
    Client,
    Surroundings,
    Trouble,
    shown_path,
)
from synapse_ls.integrations.client_registrations import (
    CURRENT,
    UNKNOWN,
    Registration,
    missing_programs,
    shared_program,
)
from synapse_ls.integrations.hook_commands import SHARED_PROGRAM, engine_title, is_hook_command
from synapse_ls.integrations.settings_files import (
    find_hooks,
    find_left_out,
    load_settings,
    parse_settings,
    read_settings,
    readable_settings,
)
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.vscode import settings
from synapse_ls.setup.install.settings_backup import load_record
from synapse_ls.setup.install.settings_merge import has_current_hooks
from synapse_ls.setup.tree_configuration import tree_guard_mode
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.regular_files import read_whole
from synapse_ls.workspace.trusted_places import LEADS_OUT, find_outside_link, trust_remedy

# Where editors look for programs when nobody started them from a terminal.
SHORT_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"))
GRAPHICAL_CLIENTS = ("vscode", "cursor", "antigravity")


def settings_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yield the settings files with a registration that the client could not read."""
    for place in client.places:
        file = client.file(place.scope, around)
        assert file is not None
        name = shown_path(file, around)
        try:
            settings_text = read_settings(file, name)
            if settings_text is not None and settings_text.text.strip():
                parse_settings(client, settings_text.text, name)
        except UserError as error:
            sentence = error.sentence.removesuffix(".").replace(", so nothing was written", "")
            remedy = (
                error.remedy if place.plugin else "Mend the file; as it is, nothing in it counts."
            )
            yield Trouble("broken-settings", "error", client.name, sentence, remedy, name)
        if not client.follows_links and file.is_symlink():
            sentence = (
                f"{name} is a symbolic link, and {client.title} reads no settings through one"
            )
            yield Trouble(
                "linked-settings", "error", client.name, sentence, "Put a file in its place.", name
            )


def left_out_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yield the settings files that the client can leave out, each with the scope that is lost."""
    for place in client.places:
        file = client.path_of(place, around)
        yield from (
            trouble.for_scope(place.scope) for trouble in find_left_out(client, file, around)
        )


def linked_settings_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yield the links on the way to the client's settings in the project that `synapse install`
    will not write through, each once.
    """
    links = set[str]()
    for place in client.places:
        file = client.path_of(place, around)
        if not file.is_relative_to(around.root):
            continue
        path = file.relative_to(around.root).as_posix()
        outside_link = find_outside_link(str(around.root), path)
        if outside_link is None or outside_link[0] in links:
            continue
        link, target = outside_link
        links.add(link)
        clause = (
            f"{LEADS_OUT}, so `synapse install` and `synapse uninstall` do not write through it"
        )
        remedy = trust_remedy(target)
        yield Trouble("leads-out", "error", client.name, f"{link}: {clause}", remedy, link)


def current_scopes(
    client: Client, ours: list[Registration], around: Surroundings
) -> frozenset[str]:
    """Return the scopes in which the registration of a client is as it would be now."""
    files = {r.scope: r.file for r in ours}
    kinds = [client, client.through_tool(tree_guard_mode(around) == ENFORCE)]
    return frozenset(
        place.scope
        for place in client.places
        if place.scope in files
        and (document := readable_settings(client, files[place.scope])) is not None
        and any(
            has_current_hooks(kind.with_guard(guard), place, document)
            for kind in kinds
            for guard in (True, False)
        )
    )


def registration_troubles(
    client: Client, ours: list[Registration], around: Surroundings
) -> Iterator[Trouble]:
    """Yield registrations that are incomplete, old, doubled, or that call what is not there."""
    current = current_scopes(client, ours, around)
    for place in client.places:
        here = [r for r in ours if r.scope == place.scope]
        if here:
            yield from _place_troubles(client, here, around, is_current=place.scope in current)
    prompts = [r for r in ours if r.event == client.prompt]
    if len(prompts) > 1:
        places = ", ".join(f"{r.name}:{r.line}" for r in prompts)
        kept_prompt = next((r for r in prompts if _replaces_engine(r)), prompts[0])
        scopes = dict.fromkeys(r.scope for r in prompts if r.scope != kept_prompt.scope)
        command = f"synapse uninstall --client {client.name} --scope"
        commands = " and ".join(f"`{command} {scope}`" for scope in scopes or (kept_prompt.scope,))
        yield Trouble(
            "double-registration",
            "warning",
            client.name,
            f"{client.title} calls the hook {len(prompts)} times for each prompt ({places}); "
            "nothing is told twice, but each call takes its time",
            f"Keep one: {commands}.",
        )


def _replaces_engine(registration: Registration) -> bool:
    """Return whether another engine's hooks come back where this registration goes."""
    record = load_record(registration.file)
    return record is not None and bool(record.replaced)


def _place_troubles(
    client: Client, here: list[Registration], around: Surroundings, *, is_current: bool
) -> Iterator[Trouble]:
    """Yield what is wrong with the registrations in one place."""
    first = here[0]
    remedy = f"Run `synapse install --client {client.name} --scope {first.scope}`."
    if not is_current:
        missing = [e for e in client.events if e not in {r.event for r in here}]
        what = f"lacks {', '.join(missing)}" if missing else "is not what would be written now"
        yield Trouble(
            "outdated-registration",
            "warning",
            client.name,
            f"the registration in {first.name} {what}",
            remedy,
            first.name,
            first.line,
        )
    for place in here:
        if place.state == UNKNOWN:
            yield Trouble(
                "unknown-line",
                "warning",
                client.name,
                f"{place.name}:{place.line} calls the hook by a line that `synapse install` does "
                f"not write: not checked ({place.event})",
                f"Look at it; {remedy[0].lower()}{remedy[1:]}",
                place.name,
                place.line,
            )
    root = str(around.root)
    for word in dict.fromkeys(
        word
        for r in here
        if r.state != UNKNOWN and not r.calls_tool
        for word in missing_programs(r.command, root)
    ):
        yield Trouble(
            "missing-program",
            "error",
            client.name,
            f"the hook in {first.name} calls {word}, which does not exist",
            remedy,
            first.name,
            first.line,
        )
    is_graphical = first.scope == PROJECT and client.name in GRAPHICAL_CLIENTS
    if is_graphical and not which(SHARED_PROGRAM, path=SHORT_PATH):
        yield Trouble(
            "short-path",
            "warning",
            client.name,
            f"started from the desktop, {client.title} may not find `{SHARED_PROGRAM}`",
            f"Link `{SHARED_PROGRAM}` into /usr/local/bin, or start the editor from a terminal.",
        )


def guard_troubles(
    client: Client, ours: list[Registration], around: Surroundings
) -> Iterator[Trouble]:
    """Yield a trouble with the registration where the guard is to be enforced and the client does
    not ask it, or cannot.
    """
    if tree_guard_mode(around) != ENFORCE:
        return
    events = {r.event for r in ours}
    missing = [event for event in client.tool_events if event not in events]
    if client.tool_events and not missing:
        return
    if missing:
        how = f"does not ask it ({', '.join(missing)})"
        remedy = f"Run `synapse install --client {client.name} --scope {ours[0].scope}`."
    else:
        how = "cannot ask it: no agent is stopped there"
        remedy = "Where an agent has to be stopped, let it work in another client."
    sentence = f"the tree's guard is set to enforce, and {client.title} {how}"
    yield Trouble("unguarded", "warning", client.name, sentence, remedy, ours[0].name, ours[0].line)


def vscode_troubles(
    registered: dict[str, list[Registration]], around: Surroundings
) -> Iterator[Trouble]:
    """Yield a trouble with the registration where VS Code runs the hooks of Claude Code as well,
    because it was told to.
    """
    if registered["claude"] and registered["vscode"] and settings.reads_claude_hooks(around):
        yield Trouble(
            "double-registration",
            "warning",
            "vscode",
            "VS Code calls the hook for .github/hooks and for Claude Code's settings "
            "(chat.useClaudeHooks); nothing is told twice, but each call takes its time",
            "Switch chat.useClaudeHooks off.",
        )


def program_troubles(
    registrations: Iterable[Registration], around: Surroundings
) -> Iterator[Trouble]:
    """Yield a trouble with the registration where the line of a project finds its program only as
    long as a virtual environment is active.
    """
    shared = [
        registration
        for registration in registrations
        if registration.scope == PROJECT and registration.state == CURRENT
    ]
    program, alone = shared_program(around)
    if shared and alone:
        yield Trouble(
            "only-in-environment",
            "warning",
            "",
            f"the line in {shared[0].name} finds {program}, which is in the virtual environment "
            "that is active here: a client that is started without it gets no rules",
            "Start the client from this environment, or have the program on the search path for "
            "good: `pipx install FOLDER` or `uv tool install FOLDER` (the folder of the checkout).",
            shared[0].name,
            shared[0].line,
        )


_PROMPTS = {client.prompt for client in CLIENTS.values()} | {"UserPromptSubmit"}


@dataclass(frozen=True, slots=True)
class RivalHook:
    """A hook of somebody else on the same prompt, or any of another engine. ``line`` counts from 1.

    engine: which one, as sentences name it; "" for none. client: whose settings they are; scope:
    theirs, "" where no installation writes there or ours has nothing to do at that event.
    """

    file: Path
    name: str
    line: int
    event: str
    command: str
    engine: str
    client: str
    scope: str

    @property
    def takeover(self) -> str:
        """The command that puts ours in its place, and has it serve the tree here; "" where no
        command does.
        """
        if not self.scope:
            return ""
        if self.scope == USER:
            return f"synapse install --client {self.client} --scope {USER} --replace --trust"
        return f"synapse install --client {self.client} --replace"


def find_rivals(client: Client, around: Surroundings) -> Iterator[RivalHook]:
    """Yield the hooks of others that the client runs for a prompt, and all of other engines."""
    for file, reader in _hook_files(client, around).items():
        name = shown_path(file, around)
        # Tables of another shape than those of a client whose own settings are TOML.
        in_toml = file.suffix == ".toml" and reader.syntax != TOML
        scope = "" if in_toml else _scope_of(reader, file, around)
        hooks = _toml_hooks(file) if in_toml else _settings_hooks(reader, file)
        for event, command, line, engine in hooks:
            if engine or (event in _PROMPTS and not is_hook_command(command)):
                where = scope if event in reader.events else ""
                yield RivalHook(file, name, line, event, command, engine, reader.name, where)


def _scope_of(reader: Client, file: Path, around: Surroundings) -> str:
    """Return the scope of a settings file that installations write, "" for every other file."""
    for place in reader.places:
        if reader.path_of(place, around) == file:
            return USER if reader.is_of_user(place, around) else place.scope
    return ""


def _settings_hooks(reader: Client, file: Path) -> Iterator[tuple[str, str, int, str]]:
    """Yield event, command, line and engine of each hook in the settings of ``reader``."""
    document = readable_settings(reader, file)
    if document is None:
        return
    lines = LineIndex(document.text)
    sets = (
        [(element.key,) for element in document.root.elements]
        if reader.named_sets
        else [reader.table]
    )
    for table in sets:
        for hook in find_hooks(replace(reader, table=table), document):
            if not hook.calls_tool:  # which is ours
                yield hook.event, hook.command, lines.line_of(hook.offset) + 1, hook.engine


def _toml_hooks(file: Path) -> Iterator[tuple[str, str, int, str]]:
    """Yield event, command, line and engine of each hook in a file of TOML:
    ``[[hooks.EVENT.hooks]]``.
    """
    try:
        text = read_whole(file).decode()
        load_settings(text)
    except (OSError, ValueError):
        return
    lines = LineIndex(text)
    for path, place in key_positions(text).items():
        if path[:1] == ("hooks",) and path[-1] == "command" and isinstance(path[1], str):
            values = load_settings(f"c = {text[place.value.start : place.value.end]}")["c"]
            command = str(values)
            line = lines.line_of(place.key.start) + 1
            yield path[1], command, line, engine_title(command)


@dataclass(frozen=True, slots=True)
class EngineSite:
    """Another engine whose rival hooks are in one settings file. first: the first of its hooks
    there; lines: where they stand; events: when they are called.
    """

    first: RivalHook
    lines: tuple[int, ...]
    events: tuple[str, ...]

    @property
    def place(self) -> str:
        """The file with the lines."""
        return f"{self.first.name}:{', '.join(map(str, self.lines))}"

    def describe(self, *, beside_ours: bool = True) -> str:
        """Return what runs there, and what comes of it beside ours, or would."""
        if any(event in _PROMPTS for event in self.events):
            now = "two engines answer the same prompts, and the agent is told rules twice"
            then = "with ours beside it, the agent would be told rules twice"
        else:
            now = "two engines keep notes of the same sessions"
            then = "with ours beside it, two engines would keep notes of the same sessions"
        effect = now if beside_ours else then
        return f"{self.place} runs {self.first.engine} ({', '.join(self.events)}): {effect}"


def find_engine_sites(found: Iterable[RivalHook]) -> list[EngineSite]:
    """Return the settings files that run rival hooks, those of other engines."""
    files: dict[tuple[str, str], list[RivalHook]] = {}
    for rival in found:
        if rival.engine:
            files.setdefault((rival.name, rival.engine), []).append(rival)
    return [
        EngineSite(
            hooks[0],
            tuple(sorted({rival.line for rival in hooks})),
            tuple(dict.fromkeys(rival.event for rival in hooks)),
        )
        for hooks in files.values()
    ]


def engine_troubles(
    client: Client, found: Iterable[RivalHook], *, beside_ours: bool
) -> Iterator[Trouble]:
    """Yield a trouble for each file with the hook of a rival, another engine."""
    for site in find_engine_sites(found):
        first = site.first
        remedy = (
            f"Run `{first.takeover}`: ours takes their place, and `synapse uninstall` brings them "
            "back."
            if first.takeover
            else f"Take that out of {first.name}."
        )
        severity = "error" if beside_ours else "warning"
        sentence = site.describe(beside_ours=beside_ours)
        yield Trouble(
            "rival-engine", severity, client.name, sentence, remedy, first.name, first.line
        )


def rival_troubles(client: Client, found: Iterable[RivalHook]) -> Iterator[Trouble]:
    """Yield a trouble for each file with another engine in it beside ours, and for hooks that may
    take the place of ours.
    """
    rivals = tuple(found)
    yield from engine_troubles(client, rivals, beside_ours=True)
    for rival in rivals:
        if not rival.engine and not client.hears_all_hooks:
            yield Trouble(
                "rival-hook",
                "warning",
                client.name,
                f"{rival.name}:{rival.line} has another hook for prompts; {client.title} hears "
                "only the last one that says something",
                "Take it out if the block does not arrive.",
                rival.name,
                rival.line,
            )


def _hook_files(client: Client, around: Surroundings) -> dict[Path, Client]:
    """Return the files that the client takes hooks from, with the client that they are written
    for.
    """
    files: dict[Path, Client] = {}
    for place in client.places:
        file = client.file(place.scope, around)
        assert file is not None
        for path in sorted(file.parent.glob("*.json")) if place.is_ours else (file,):
            files[path] = client
    files |= {client.path_of(place, around): client for place in client.foreign_places}
    if client.name == "copilot" or (
        client.name == "vscode" and settings.reads_claude_hooks(around)
    ):
        claude = CLIENTS["claude"]
        for place in claude.places:
            file = claude.file(place.scope, around)
            assert file is not None
            files[file] = claude
    return files
