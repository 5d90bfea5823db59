"""Checks of how the hook is registered, by settings alone, and of rival hooks beside it."""

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from shutil import which
from typing import Any

from synapse_ls.formats.toml_document import key_positions
from synapse_ls.guard.agent_action import ENFORCE
from synapse_ls.integrations import settings_syntax
from synapse_ls.integrations.client_settings import (
    PROJECT,
    TOML,
    USER,
    Client,
    Surroundings,
    Trouble,
    shown_path,
)
from synapse_ls.integrations.hook_commands import (
    SHARED_PROGRAM,
    engine_title,
    is_hook_command,
    script_of,
)
from synapse_ls.integrations.hook_registrations import (
    CURRENT,
    UNKNOWN,
    Registration,
    missing_programs,
    shared_program,
)
from synapse_ls.integrations.settings_registry import CLIENTS
from synapse_ls.integrations.vscode import settings
from synapse_ls.setup.install import settings_backup, settings_merge
from synapse_ls.setup.tree_configuration import tree_guard_mode
from synapse_ls.storage.policy_gate import read_gate
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.outside_links import (
    LEADS_OUT,
    find_outside_link,
    find_refusal,
    trust_remedy,
)

# Where editors look for programs when nobody started them from a terminal.
SHORT_PATH = os.pathsep.join(("/usr/local/bin", "/usr/bin", "/bin", "/opt/homebrew/bin"))
GRAPHICAL_CLIENTS = ("vscode", "cursor", "antigravity")


def settings_troubles(client: Client, around: Surroundings) -> Iterator[Trouble]:
    """Yield the settings files with a registration that the client could not read, and the links on
    the way to those in the project that `synapse install` will not write through, each once.
    """
    links: dict[str, str] = {}
    for place in client.places:
        file = client.path_of(place, around)
        name = shown_path(file, around)
        if file.is_relative_to(around.root) and (
            outside_link := find_outside_link(str(around.root), name)
        ):
            links.setdefault(*outside_link)
            continue
        try:
            settings_text = settings_syntax.read_settings(file, name)
            if settings_text is not None and settings_text.text.strip():
                settings_syntax.parse_settings(client, settings_text.text, name)
        except UserError as error:
            sentence = error.sentence.removesuffix(".").replace(", so nothing was written", "")
            broken = "Mend the file; as it is, nothing in it counts."
            remedy = error.remedy if place.plugin else broken
            yield Trouble("broken-settings", "error", client.name, sentence, remedy, name)
        if not client.follows_links and file.is_symlink():
            sentence = f"{name} is a symbolic link, and {client.title} reads no settings through "
            remedy = "Put a file in its place."
            yield Trouble("linked-settings", "error", client.name, f"{sentence}one", remedy, name)
    for link, target in links.items():
        sentence = f"{link}: {LEADS_OUT}, so `synapse install` and `synapse uninstall` do not "
        sentence += "write through it"
        yield Trouble("leads-out", "error", client.name, sentence, trust_remedy(target), link)


def current_scopes(
    client: Client, ours: list[Registration], around: Surroundings, *, is_open: bool = False
) -> frozenset[str]:
    """Return the scopes in which the registration of a client is as it would be now; is_open: only
    those with lines that let a tool pass where the program is missing.
    """
    files = {r.scope: r.file for r in ours}
    through_tool = client.through_tool(tree_guard_mode(around) == ENFORCE)
    return frozenset(
        place.scope
        for place in client.places
        if place.scope in files
        and (document := settings_syntax.readable_settings(client, files[place.scope], around))
        is not None
        and any(
            settings_merge.has_current_hooks(kind.with_guard(guard), place, document)
            for kind in ([client] if is_open else [client, client.failing_closed(), through_tool])
            for guard in (True, False)
        )
    )


def registration_troubles(
    client: Client, ours: list[Registration], around: Surroundings
) -> Iterator[Trouble]:
    """Yield registrations that are incomplete, old, doubled, or that call what is not there; and
    where the guard is to be enforced and the client does not ask it, or cannot.
    """
    current = current_scopes(client, ours, around)
    for place in client.places:
        if here := [r for r in ours if r.scope == place.scope]:
            yield from _place_troubles(client, here, around, is_current=place.scope in current)
    prompts = [r for r in ours if r.event == client.prompt]
    if len(prompts) > 1:
        places = ", ".join(f"{r.name}:{r.line}" for r in prompts)
        # Another engine's hooks come back where such a registration goes.
        records = ((r, settings_backup.load_record(r.file)) for r in prompts)
        kept_prompt = next((r for r, record in records if record and record.replaced), prompts[0])
        scopes = dict.fromkeys(r.scope for r in prompts if r.scope != kept_prompt.scope)
        command = f"synapse uninstall --client {client.name} --scope"
        commands = " and ".join(f"`{command} {scope}`" for scope in scopes or (kept_prompt.scope,))
        sentence = (
            f"{client.title} calls the hook {len(prompts)} times for each prompt ({places}); "
            "nothing is injected twice, but each call takes its time"
        )
        remedy = f"Keep one: {commands}."
        yield Trouble("double-registration", "warning", client.name, sentence, remedy)
    # Lines that let a tool pass where the program is missing, though a policy's guard enforces.
    gate = read_gate()
    is_strict = gate.enforces and client.closed_entry
    for scope in current_scopes(client, ours, around, is_open=True) if is_strict else ():
        line = next((r for r in ours if r.scope == scope and r.event in client.tool_events), None)
        if line is not None:
            sentence = (
                f"{line.name}:{line.line} lets tools pass where the program is missing or fails, "
                f"and the policy {gate.title} has the guard enforce"
            )
            remedy = f"Run `synapse install --client {client.name} --scope {scope} --fail-closed`."
            yield Trouble(
                "open-line", "warning", client.name, sentence, remedy, line.name, line.line
            )
    events = {r.event for r in ours}
    missing = ", ".join(event for event in client.tool_events if event not in events)
    if (missing or not client.tool_events) and tree_guard_mode(around) == ENFORCE:
        first = ours[0]
        how = "cannot ask it: no agent is stopped there"
        remedy = "Where an agent has to be stopped, let it work in another client."
        if missing:
            how = f"does not ask it ({missing})"
            remedy = f"Run `synapse install --client {client.name} --scope {first.scope}`."
        sentence = f"the tree's guard is set to enforce, and {client.title} {how}"
        where = (first.name, first.line)
        yield Trouble("unguarded", "warning", client.name, sentence, remedy, *where)


def _place_troubles(
    client: Client, here: list[Registration], around: Surroundings, *, is_current: bool
) -> Iterator[Trouble]:
    name, title, first = client.name, client.title, here[0]
    place = (first.name, first.line)
    remedy = f"Run `synapse install --client {name} --scope {first.scope}`."
    if not is_current:
        missing = [e for e in client.events if e not in {r.event for r in here}]
        what = f"lacks {', '.join(missing)}" if missing else "is not what would be written now"
        sentence = f"the registration in {first.name} {what}"
        yield Trouble("outdated-registration", "warning", name, sentence, remedy, *place)
    for r in here:
        if r.state == UNKNOWN:
            sentence = (
                f"{r.name}:{r.line} calls the hook by a line that `synapse install` does not "
                f"write: not checked ({r.event})"
            )
            again = f"Look at it; {remedy[0].lower()}{remedy[1:]}"
            yield Trouble("unknown-line", "warning", name, sentence, again, r.name, r.line)
    commands = [r.command for r in here if r.state != UNKNOWN and not r.calls_tool]
    words = (word for command in commands for word in missing_programs(command, str(around.root)))
    for word in dict.fromkeys(words):
        sentence = f"the hook in {first.name} calls {word}, which does not exist"
        yield Trouble("missing-program", "error", name, sentence, remedy, *place)
    is_graphical = first.scope == PROJECT and name in GRAPHICAL_CLIENTS
    if is_graphical and not which(SHARED_PROGRAM, path=SHORT_PATH):
        sentence = f"started from the desktop, {title} may not find `{SHARED_PROGRAM}`"
        remedy = f"Link `{SHARED_PROGRAM}` into /usr/local/bin, or start the editor from a "
        yield Trouble("short-path", "warning", name, sentence, f"{remedy}terminal.")


def vscode_troubles(
    registered: dict[str, list[Registration]], around: Surroundings
) -> Iterator[Trouble]:
    """Yield a trouble with the registration where VS Code runs the hooks of Claude Code as well,
    because it was told to.
    """
    if registered["claude"] and registered["vscode"] and settings.reads_claude_hooks(around):
        sentence = (
            "VS Code calls the hook for .github/hooks and for Claude Code's settings "
            "(chat.useClaudeHooks); nothing is injected twice, but each call takes its time"
        )
        remedy = "Switch chat.useClaudeHooks off."
        yield Trouble("double-registration", "warning", "vscode", sentence, remedy)


def program_troubles(
    registrations: Iterable[Registration], around: Surroundings
) -> Iterator[Trouble]:
    """Yield a trouble with the registration where the line of a project finds its program only as
    long as a virtual environment is active.
    """
    shared = [r for r in registrations if r.scope == PROJECT and r.state == CURRENT]
    program, alone = shared_program(around)
    if shared and alone:
        name, line = shared[0].name, shared[0].line
        sentence = (
            f"the line in {name} finds {program}, which is in the virtual environment that is "
            "active here: a client that is started without it gets no rules"
        )
        remedy = (
            "Start the client from this environment, or have the program on the search path for "
            "good: `pipx install FOLDER` or `uv tool install FOLDER` (the folder of the checkout)."
        )
        yield Trouble("only-in-environment", "warning", "", sentence, remedy, name, line)


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

    def to_json(self) -> dict[str, Any]:
        """Return the hook as data for JSON."""
        fields = {name: getattr(self, name) for name in ("line", "event", "command")}
        return {"file": str(self.file), "path": self.name, **fields}

    @property
    def takeover(self) -> str:
        """The command that puts ours in its place, and has it serve the tree here; "" where no
        command does.
        """
        options = f"--scope {USER} --replace --trust" if self.scope == USER else "--replace"
        return f"synapse install --client {self.client} {options}" if self.scope else ""


def find_rivals(client: Client, around: Surroundings) -> Iterator[RivalHook]:
    """Yield the hooks of others that the client runs for a prompt, and all of other engines."""
    for file, reader in _hook_files(client, around).items():
        name = shown_path(file, around)
        # Tables of another shape than those of a client whose own settings are TOML.
        in_toml = file.suffix == ".toml" and reader.syntax != TOML
        # The scope of a file that installations write, "" for every other one.
        scopes = (
            USER if reader.is_of_user(place, around) else place.scope
            for place in reader.places
            if not in_toml and reader.path_of(place, around) == file
        )
        scope = next(scopes, "")
        hooks = _toml_hooks(file, around) if in_toml else _settings_hooks(reader, file, around)
        for event, command, line, engine in hooks:
            if engine or (event in _PROMPTS and not is_hook_command(command)):
                where = scope if event in reader.events else ""
                yield RivalHook(file, name, line, event, command, engine, reader.name, where)


def find_live_rivals(client: Client, around: Surroundings) -> Iterator[RivalHook]:
    """Yield the rivals of a client without those of other engines whose script is not there: such
    a line fails, and says nothing.
    """
    for rival in find_rivals(client, around):
        script = script_of(rival.command) if rival.engine else ""
        if not script or (around.root / Path(script).expanduser()).exists():
            yield rival


def _settings_hooks(
    reader: Client, file: Path, around: Surroundings
) -> Iterator[tuple[str, str, int, str]]:
    """Yield event, command, line and engine of each hook in the settings of ``reader``."""
    if (document := settings_syntax.readable_settings(reader, file, around)) is None:
        return
    lines = LineIndex(document.text)
    named = [(element.key,) for element in document.root.elements]
    sets = named if reader.named_sets else [reader.table]
    for table in sets:
        for hook in settings_syntax.find_hooks(replace(reader, table=table), document):
            if not hook.calls_tool:  # which is ours
                yield hook.event, hook.command, lines.line_of(hook.offset) + 1, hook.engine


def _toml_hooks(file: Path, around: Surroundings) -> Iterator[tuple[str, str, int, str]]:
    """Yield event, command, line and engine of each hook in a file of TOML:
    ``[[hooks.EVENT.hooks]]``.
    """
    try:
        settings = settings_syntax.read_settings(file, shown_path(file, around))
        text = settings.text if settings else ""
        settings_syntax.load_settings(text)
    except (UserError, ValueError):
        return
    lines = LineIndex(text)
    for path, place in key_positions(text).items():
        if path[:1] == ("hooks",) and path[-1] == "command" and isinstance(path[1], str):
            value = text[place.value.start : place.value.end]
            command = str(settings_syntax.load_settings(f"c = {value}")["c"])
            yield path[1], command, lines.line_of(place.key.start) + 1, engine_title(command)


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
            now = "two engines answer the same prompts, and the agent gets rules twice"
            then = "with ours beside it, the agent would get rules twice"
        else:
            now = "two engines keep notes of the same sessions"
            then = "with ours beside it, two engines would keep notes of the same sessions"
        effect = now if beside_ours else then
        return f"{self.place} runs {self.first.engine} ({', '.join(self.events)}): {effect}"


def find_engine_sites(rivals: Iterable[RivalHook]) -> list[EngineSite]:
    """Return the settings files that run rival hooks, those of other engines."""
    files = group_pairs(((rival.name, rival.engine), rival) for rival in rivals if rival.engine)
    return [
        EngineSite(
            hooks[0],
            tuple(sorted({rival.line for rival in hooks})),
            tuple(dict.fromkeys(rival.event for rival in hooks)),
        )
        for hooks in files.values()
    ]


def engine_troubles(
    client: Client, rivals: Iterable[RivalHook], *, beside_ours: bool
) -> Iterator[Trouble]:
    """Yield a trouble for each file with the hook of a rival, another engine."""
    severity = "error" if beside_ours else "warning"
    for site in find_engine_sites(rivals):
        name, takeover = site.first.name, site.first.takeover
        remedy = f"Take that out of {name}."
        if takeover:
            clause = "ours takes their place, and `synapse uninstall` restores them"
            remedy = f"Run `{takeover}`: {clause}."
        sentence, place = site.describe(beside_ours=beside_ours), (name, site.first.line)
        yield Trouble("rival-engine", severity, client.name, sentence, remedy, *place)


def rival_troubles(client: Client, rivals: Sequence[RivalHook]) -> Iterator[Trouble]:
    """Yield a trouble for each file with another engine in it beside ours, and for hooks that may
    take the place of ours.
    """
    yield from engine_troubles(client, rivals, beside_ours=True)
    for rival in rivals:
        if not rival.engine and not client.hears_all_hooks:
            name, line = rival.name, rival.line
            hears = f"{client.title} uses only the last one that answers"
            sentence = f"{name}:{line} has another hook for prompts; {hears}"
            remedy = (
                "Nothing needs to change while it prints nothing. If it answers prompts, see with "
                "`synapse log` whether the block arrives."
            )
            yield Trouble("rival-hook", "warning", client.name, sentence, remedy, name, line)


def _hook_files(client: Client, around: Surroundings) -> dict[Path, Client]:
    """Return the files that the client takes hooks from, with the client that they are written
    for.
    """
    files: dict[Path, Client] = {}
    for place in client.places:
        file = client.path_of(place, around)
        paths = sorted(file.parent.glob("*.json")) if place.is_ours else (file,)
        files |= dict.fromkeys(paths, client)
    files |= {client.path_of(place, around): client for place in client.foreign_places}
    reads_claude = client.name == "vscode" and settings.reads_claude_hooks(around)
    if client.name == "copilot" or reads_claude:
        claude = CLIENTS["claude"]
        files |= {claude.path_of(place, around): claude for place in claude.places}
    root = around.root
    return {
        file: reader
        for file, reader in files.items()
        if not file.is_relative_to(root)
        or not find_refusal(str(root), file.relative_to(root).as_posix())
    }
