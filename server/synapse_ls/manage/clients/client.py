"""What there is to know of an agent client in order to register the hook with it.

A client is a table; what reads, changes and examines settings works on any of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

PROJECT, LOCAL, USER = "project", "local", "user"
SCOPES = (PROJECT, LOCAL, USER)

# What the client's reader takes: JSON, JSON with comments, or trailing commas as well.
STRICT, COMMENTS, RELAXED = "strict", "comments", "relaxed"

TIMEOUT = 10  # seconds; the hook needs milliseconds, the first one after a change a little more


@dataclass(frozen=True, slots=True)
class Place:
    """A settings file of one scope.

    path: below the project, or below the user's folder of this client. constants: members of the
    whole document that the client wants beside the hooks. whole: nobody else writes this file.
    """

    scope: str
    path: str
    constants: Mapping[str, Any] = field(default_factory=dict)
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Home:
    """The user's folder of a client: ``path`` below the home folder, or what ``variable`` names."""

    path: str
    variable: str = ""

    def folder(self, home: Path) -> Path:
        """The folder itself."""
        named = os.environ.get(self.variable, "") if self.variable else ""
        return Path(named) if named else home / self.path


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that keeps the hook from working, or makes it work twice.

    code: kebab-case, stable. severity: "error" or "warning". client: "" where it is about none.
    path, line: the place, "" and 0 where there is none; lines count from 1. scope: that whose hooks
    it keeps from telling anything, "" where it is about none or about all.
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
    """Where a client looks: the project, and the user's home."""

    root: Path
    home: Path

    @classmethod
    def here(cls, root: str) -> Surroundings:
        """Those of this process."""
        return cls(Path(root), Path.home())


Entry = Callable[[str, str], dict[str, Any]]
StatusLine = Callable[[str], dict[str, Any]]
Switches = Callable[[Surroundings], Iterator[Trouble]]
Payload = Callable[[str, str], dict[str, Any]]


def no_switches(_: Surroundings) -> Iterator[Trouble]:
    """For a client that cannot be told to leave hooks alone."""
    return iter(())


@dataclass(frozen=True, slots=True)
class Servers:
    """Where a client looks for servers of one protocol (MCP, or that of language servers).

    places: the files, one for a scope at most. entry: scope -> what stands under our name. table:
    the path to the object that holds servers by name.
    """

    places: tuple[Place, ...]
    entry: Callable[[str], dict[str, Any]]
    table: tuple[str, ...] = ("mcpServers",)

    def place(self, scope: str) -> Place | None:
        """The file of one scope."""
        return next((place for place in self.places if place.scope == scope), None)


@dataclass(frozen=True, slots=True)
class Client:
    """One agent client.

    title: as its owner spells it. events: those that the hook has an answer to, by the client's
    names; prompt is the one for a submitted prompt. table: the path to the object that holds a list
    for each event; constants: its other members; named_sets: whether that object is one of several, each
    with a name. also: files that it takes hooks from and that we never write. entry: (event, scope) -> an element of such a
    list. signs: files and folders of a project that show that the client is used there; programs:
    its executables; variables: what it sets in its terminals. payload: (root, prompt) -> the JSON
    that it sends for a prompt. before: the events that come before a tool is used, for the guard;
    announce: (root, command line) -> the JSON that it sends for the first of them. environment: what it sets for its hooks, ``{root}`` filled in.
    second: how many units of its timeouts that is. joins: whether several hooks on one prompt are all heard; where not, the last one is.
    links: whether it reads settings through a symbolic link. status_line: scope -> its setting for
    a status line. servers: where it looks for MCP servers; languages: where it looks for language
    servers, if it can be told about files without an extension. after_install: what a person has to do in
    the client; without_servers: how to register an MCP server where we cannot.
    """

    name: str
    title: str
    places: tuple[Place, ...]
    home: Home
    events: tuple[str, ...]
    prompt: str
    entry: Entry
    payload: Payload
    before: tuple[str, ...] = ()
    announce: Payload | None = None
    table: tuple[str, ...] = ("hooks",)
    named_sets: bool = False
    also: tuple[Place, ...] = ()
    constants: Mapping[str, Any] = field(default_factory=dict)
    syntax: str = STRICT
    signs: tuple[str, ...] = ()
    programs: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    second: int = 1
    joins: bool = True
    links: bool = True
    status_line: StatusLine | None = None
    switches: Switches = no_switches
    servers: Servers | None = None
    languages: Servers | None = None
    after_install: str = ""
    without_servers: str = ""

    def guarding(self, guard: bool) -> Client:
        """The client with the events of the guard among its others, or without."""
        return replace(self, events=(*self.events, *self.before)) if guard else self

    def of_languages(self) -> Client:
        """The client as one that is told of nothing but our language server."""
        return replace(self, places=(), servers=self.languages, status_line=None)

    @property
    def scopes(self) -> tuple[str, ...]:
        """The scopes for which it has settings."""
        return tuple(place.scope for place in self.places)

    @property
    def all_places(self) -> tuple[Place, ...]:
        """Every file that we may have written into: those of hooks, then those of servers."""
        return (*self.places, *(self.servers.places if self.servers is not None else ()))

    def place(self, scope: str) -> Place | None:
        """Its settings of one scope."""
        return next((place for place in self.places if place.scope == scope), None)

    def file(self, scope: str, around: Surroundings) -> Path | None:
        """The file with its settings of one scope."""
        place = self.place(scope)
        return None if place is None else self.at(place, around)

    def is_of_user(self, place: Place, around: Surroundings) -> bool:
        """Whether a file of a project is that of the user: in the home folder they are the same."""
        mine = self.place(USER)
        if place.scope == USER or mine is None:
            return False
        return os.path.realpath(self.at(place, around)) == os.path.realpath(self.at(mine, around))

    def at(self, place: Place, around: Surroundings) -> Path:
        """The file at one of its places."""
        folder = self.home.folder(around.home) if place.scope == USER else around.root
        return folder / place.path


def shown(file: Path, around: Surroundings) -> str:
    """A path as people know it: below the project, or below ``~``."""
    for base, mark in ((around.root, ""), (around.home, "~/")):
        try:
            return mark + file.relative_to(base).as_posix()
        except ValueError:
            continue
    return file.as_posix()
