"""The settings of an agent client, as data: files, scopes, hook events, MCP servers and signs.

A client is a table; whatever reads, changes or checks settings works for all of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from synapse_ls.integrations.hook_event import KINDS_BY_NAME, PROMPT, TOOL_BEFORE, fold_name
from synapse_ls.text.jsonc_tree import JsoncDocument

PROJECT, LOCAL, USER = "project", "local", "user"
SCOPES = (PROJECT, LOCAL, USER)

# What the client's reader takes: JSON, JSON with comments, or trailing commas as well; what is
# JSON once everything that looks like a comment is cut out, in texts too; or TOML.
STRICT, COMMENTS, RELAXED, CUT_COMMENTS, TOML = (
    "strict", "comments", "relaxed", "cut-comments", "toml",
)  # fmt: skip

# The names of our MCP server, and of our hook server, in a client's settings.
SERVER_NAME, HOOK_SERVER_NAME = "synapse", "synapse-hooks"

TIMEOUT = 10  # seconds; the hook needs milliseconds, the first one after a change a little more


@dataclass(frozen=True, slots=True)
class SettingsPlace:
    """Where an agent client has its settings file of one scope.

    path: below the project, or below the user's folder of this client. document_constants: members
    of the whole document that the client wants beside the hooks. is_ours: nobody else writes this
    file. plugin: the program that has the settings in it, where the file is one
    (`plugin_settings`); "" for a file of settings. folder: the user's folder that it is in,
    whatever its scope; None for that of the client, or for the project. above: the keys that lead
    to its own tables, where a file has those of several projects; ``{root}`` stands for this one.
    """

    scope: str
    path: str
    document_constants: Mapping[str, Any] = field(default_factory=dict)
    is_ours: bool = False
    plugin: str = ""
    folder: UserFolder | None = None
    above: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UserFolder:
    """The user's own folder of an agent client: ``path`` below the home folder, or what
    ``variable`` names, or the folder ``inside`` that.
    """

    path: str
    variable: str = ""
    inside: str = ""

    def resolve(self, home: Path) -> Path:
        """Return the folder itself; ``home`` is the home folder of the user."""
        named = os.environ.get(self.variable, "") if self.variable else ""
        return Path(named, self.inside) if named else home / self.path


@dataclass(frozen=True, slots=True)
class Trouble:
    """What the definition of an agent client finds that keeps the hook from working, or makes it
    work twice.

    code: kebab-case, stable. severity: "error" or "warning". client: "" where it is about
    none. path, line: the place, "" and 0 where there is none; lines count from 1. scope: that
    whose hooks it keeps from telling anything, "" where it is about none or about all.
    """

    code: str
    severity: str
    client: str
    sentence: str
    remedy: str = ""
    path: str = ""
    line: int = 0
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Where a client looks for settings: the project, and the user's home."""

    root: Path
    home: Path

    @classmethod
    def of_process(cls, root: str) -> Surroundings:
        """Return the surroundings of this process, for the project at ``root``."""
        return cls(Path(root), Path.home())


class Mistake(NamedTuple):
    """What a client takes for one in its settings, and can leave out all hooks there for.

    offset: where it stands. said: what is wrong, as a clause. severity: "error", or "warning" where
    a later version of the client may take it. remedy: what to do there.
    """

    offset: int
    said: str
    severity: str = "error"
    remedy: str = "Mend that place of the file, or take it out."


Entry = Callable[[str, str], dict[str, Any]]
FindTroubles = Callable[["Client", Surroundings], Iterable[Trouble]]
FindMistakes = Callable[["JsoncDocument"], Iterable[Mistake]]
Payload = Mapping[str, Any]


def fill_payload(template: Any, root: str, text: str) -> Any:
    """Return a payload of a client's definition, or a value in it, with ``root`` and ``text``."""
    if isinstance(template, Mapping):
        return {key: fill_payload(value, root, text) for key, value in template.items()}
    if isinstance(template, list):
        return [fill_payload(value, root, text) for value in template]
    values = {"{root}": root, "{text}": text}
    return values.get(template, template) if isinstance(template, str) else template


def command_payload(
    common: Payload, tool: str, event: str = "PreToolUse", **more: str
) -> dict[str, Any]:
    """Return the payload that a client sends before ``tool`` runs a command; common: the fields of
    all its payloads.
    """
    named = {"hook_event_name": event, "tool_name": tool, "tool_input": {"command": "{text}"}}
    return {**common, **named, **more}


@dataclass(frozen=True, slots=True)
class Servers:
    """The part of a client's definition that says where it looks for servers of one protocol (MCP,
    or that of language servers).

    places: the files, one for a scope at most. entry: scope -> what stands under our name.
    table: the path to the object that holds servers by name; syntax: what its reader takes. name:
    ours.
    """

    places: tuple[SettingsPlace, ...]
    entry: Callable[[str], dict[str, Any]]
    table: tuple[str, ...] = ("mcpServers",)
    syntax: str = STRICT
    name: str = SERVER_NAME

    def place(self, scope: str) -> SettingsPlace | None:
        """Return the file of one scope, None for none."""
        return next((place for place in self.places if place.scope == scope), None)


@dataclass(frozen=True, slots=True)
class ToolHooks:
    """The part of a client's definition about hooks for which it calls the tool of our hook server.

    fields: the events for which it can -> the fields of each that it hands over; all others stay
    commands. entries: (event, its fields, whether the guard enforces) -> the elements of the
    event's list. since: the first version of the client that reads them; older: what one before it
    does, as a clause; older_drops_settings: whether that is to run none of the file's hooks.
    servers: where it looks for the server.
    """

    fields: Mapping[str, tuple[str, ...]]
    entries: Callable[[str, tuple[str, ...], bool], tuple[dict[str, Any], ...]]
    since: tuple[int, ...]
    older: str
    servers: Servers
    older_drops_settings: bool = False


@dataclass(frozen=True, slots=True)
class Client:
    """The definition of one agent client, as a table.

    title: as its owner spells it. events: those that the hook has an answer to, by the client's
    names. table: the path to the object that holds a list for each event; constants: its other
    members; named_sets: whether that object is one of several, each with a name. foreign_places:
    files that it takes hooks from and that we never write. hook_entry: (event, scope) -> an element
    of such a list. signs: files and folders of a project that show that the client is used there;
    programs: its executables; variables: what it sets in its terminals. prompt_payload: the JSON
    that it sends for a prompt, ``{root}`` in the place of the project and ``{text}`` in that of the
    prompt. tool_events: the events that come before a tool is used, for the guard; tool_payload:
    what it sends for the first of them, a command line in the place of the prompt. environment:
    what it sets for its hooks, ``{root}`` filled in. timeout_unit: how many units of its timeouts a
    second is. hears_all_hooks: whether several hooks on one prompt are all heard; where not, the
    last one is. follows_links: whether it reads settings through a symbolic link;
    takes_byte_order_mark: whether it reads what begins with one. may_refuse_without_hook: whether
    it may keep an agent from its tools where a shared line for the guard finds no program.
    closed_entry: makes of a hook before a tool one with which the client refuses the tool where the
    program is missing or fails; None where none is known.
    status_line: scope -> its setting for a status line. find_troubles: finds settings of its own
    that keep hooks from running; find_mistakes: those in one file, where one mistake loses other
    hooks. servers: where it looks for MCP servers; language_servers: where it looks for language
    servers, if it can be told about files without an extension. tool_hooks: how it calls a tool as
    its hook, None where it cannot; calls_tool: whether it is to, and enforces: whether the guard
    that it asks so does. asks_for_servers: whether it asks its person about the servers of a
    project; restarts_servers: whether it starts one again that has ended within a session.
    after_install: what a person has to do in the client; server_hint: how to register an MCP server
    where we cannot.
    """

    name: str
    title: str
    places: tuple[SettingsPlace, ...]
    user_folder: UserFolder
    events: tuple[str, ...]
    hook_entry: Entry
    prompt_payload: Payload
    tool_events: tuple[str, ...] = ()
    tool_payload: Payload | None = None
    table: tuple[str, ...] = ("hooks",)
    named_sets: bool = False
    foreign_places: tuple[SettingsPlace, ...] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)
    syntax: str = STRICT
    signs: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout_unit: int = 1
    hears_all_hooks: bool = True
    follows_links: bool = True
    takes_byte_order_mark: bool = True
    may_refuse_without_hook: bool = False
    closed_entry: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    status_line: Callable[[str], dict[str, Any]] | None = None
    find_troubles: FindTroubles = lambda _, __: ()
    find_mistakes: FindMistakes = lambda _: ()
    servers: Servers | None = None
    language_servers: Servers | None = None
    tool_hooks: ToolHooks | None = None
    calls_tool: bool = False
    enforces: bool = False
    asks_for_servers: bool = False
    restarts_servers: bool = False
    after_install: str = ""
    server_hint: str = ""

    def with_guard(self, guard: bool) -> Client:
        """Return the client with the events of the guard among its others where ``guard`` is true,
        else itself.
        """
        return replace(self, events=(*self.events, *self.tool_events)) if guard else self

    def for_language_server(self) -> Client:
        """Return the client as one in whose settings only our language server is registered."""
        return replace(self, places=(), servers=self.language_servers, status_line=None)

    def for_hook_server(self) -> Client:
        """Return the client as one in whose settings only our hook server is registered."""
        servers = self.tool_hooks.servers if self.tool_hooks else None
        return replace(self, places=(), servers=servers, status_line=None)

    def with_servers_at(self, place: SettingsPlace, around: Surroundings) -> Client:
        """Return the client as one whose servers are those of one place, in its table there."""
        if self.servers is None or not place.above:
            return self
        above = (key.replace("{root}", str(around.root)) for key in place.above)
        return replace(self, servers=replace(self.servers, table=(*above, *self.servers.table)))

    def through_tool(self, enforces: bool) -> Client:
        """Return the client as one that calls the tool of our hook server, where it can."""
        return replace(self, calls_tool=self.tool_hooks is not None, enforces=enforces)

    def failing_closed(self) -> Client:
        """Return the client as one whose hook before a tool refuses it where the program is missing
        or fails, if it knows a way to.
        """
        if not self.closed_entry:
            return self
        entry, closed = self.hook_entry, self.closed_entry

        def closed_before_tools(event: str, scope: str) -> dict[str, Any]:
            written = entry(event, scope)
            is_before_tool = KINDS_BY_NAME.get(fold_name(event)) == TOOL_BEFORE
            return closed(written) if is_before_tool else written

        return replace(self, hook_entry=closed_before_tools)

    def hook_entries(self, event: str, scope: str) -> tuple[dict[str, Any], ...]:
        """Return the elements of an event's list that call the hook."""
        fields = self.tool_hooks.fields.get(event) if self.tool_hooks else None
        if not self.tool_hooks or fields is None or not self.calls_tool:
            return (self.hook_entry(event, scope),)
        return self.tool_hooks.entries(event, fields, self.enforces and event in self.tool_events)

    @property
    def prompt(self) -> str:
        """The event for a submitted prompt."""
        return next(event for event in self.events if KINDS_BY_NAME.get(fold_name(event)) == PROMPT)

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes for which it has settings."""
        return tuple(place.scope for place in self.places)

    @property
    def scope_option(self) -> str:
        """What `synapse install` needs beside the client's name, with a space before it; "" where
        it has settings of a project.
        """
        return "" if PROJECT in self.scopes else f" --scope {self.scopes[0]}"

    @property
    def all_places(self) -> tuple[SettingsPlace, ...]:
        """Every file that we may have written into: those of hooks, then those of servers."""
        return (*self.places, *(self.servers.places if self.servers is not None else ()))

    def place(self, scope: str) -> SettingsPlace | None:
        """Return its settings of one scope, None for none."""
        return next((place for place in self.places if place.scope == scope), None)

    def file(self, scope: str, around: Surroundings) -> Path | None:
        """Return the file with its settings of one scope, None for none."""
        place = self.place(scope)
        return None if place is None else self.path_of(place, around)

    def is_of_user(self, place: SettingsPlace, around: Surroundings) -> bool:
        """Return whether a file of a project is that of the user: in the home folder they are the
        same.
        """
        file = self.file(USER, around)
        if place.scope == USER or file is None:
            return False
        return os.path.realpath(self.path_of(place, around)) == os.path.realpath(file)

    def path_of(self, place: SettingsPlace, around: Surroundings) -> Path:
        """Return the file at one of its places."""
        if place.scope != USER and place.folder is None:
            return around.root / place.path
        return (place.folder or self.user_folder).resolve(around.home) / place.path


def shown_path(file: Path, around: Surroundings) -> str:
    """Return the path of a client's file as people know it: below the project, or below ``~``."""
    for base, mark in ((around.root, ""), (around.home, "~/")):
        if file.is_relative_to(base):
            return mark + file.relative_to(base).as_posix()
    return file.as_posix()
