"""``.synapse/config.toml``, read against the table in `config_schema`.

A setting that cannot be used is reported and keeps its default; the others count.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from synapse_ls.formats.config_reader import Reader
from synapse_ls.formats.config_schema import BY_PATH
from synapse_ls.formats.problem import Parsed, Problem
from synapse_ls.formats.toml_places import places
from synapse_ls.text.span import Span

MAX_CHARS = 200_000

_ERROR_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")


def _setting(path: str) -> Any:
    """A field whose default is that of the table."""
    return field(default_factory=lambda: BY_PATH[path].default)


@dataclass(frozen=True, slots=True)
class Paths:
    """Places inside the root, with ``/`` and without a slash at either end."""

    agents: tuple[str, ...] = _setting("paths.agents")
    tasks: tuple[str, ...] = _setting("paths.tasks")
    workflows: tuple[str, ...] = _setting("paths.workflows")
    patterns: tuple[str, ...] = _setting("paths.patterns")
    states: tuple[str, ...] = _setting("paths.states")
    stories: tuple[str, ...] = _setting("paths.stories")
    squads: tuple[str, ...] = _setting("paths.squads")
    constitution: tuple[str, ...] = _setting("paths.constitution")


@dataclass(frozen=True, slots=True)
class Usage:
    """What the last estimator of the context usage counts with, in tokens."""

    avg_tokens_per_prompt: int = _setting("usage.avg_tokens_per_prompt")
    max_context: int = _setting("usage.max_context")


@dataclass(frozen=True, slots=True)
class Session:
    """``stale_hours``: hours without activity after which a session is archived."""

    stale_hours: int = _setting("session.stale_hours")


@dataclass(frozen=True, slots=True)
class Commands:
    """Star-commands that begin a task, and commands that activate an agent."""

    develop: tuple[str, ...] = _setting("commands.develop")
    activate: tuple[str, ...] = _setting("commands.activate")


@dataclass(frozen=True, slots=True)
class Workflow:
    """Other ids of workflows, and by workflow other names of its phases."""

    aliases: Mapping[str, str] = _setting("workflow.aliases")
    phases: Mapping[str, Mapping[str, str]] = _setting("workflow.phases")


@dataclass(frozen=True, slots=True)
class Lint:
    """Which rules run (all, where ``select`` is empty), where, and how severe they are."""

    select: tuple[str, ...] = _setting("lint.select")
    ignore: tuple[str, ...] = _setting("lint.ignore")
    severity: Mapping[str, str] = _setting("lint.severity")
    per_path: Mapping[str, tuple[str, ...]] = _setting("lint.per_path")


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration of a tree; `config_schema.OPTIONS` says what each setting means."""

    profile: str = _setting("profile")
    matching: str = _setting("matching")
    match_everything: bool = _setting("match_everything")
    injection: str = _setting("injection")
    devmode: bool | None = _setting("devmode")
    paths: Paths = field(default_factory=Paths)
    usage: Usage = field(default_factory=Usage)
    session: Session = field(default_factory=Session)
    commands: Commands = field(default_factory=Commands)
    workflow: Workflow = field(default_factory=Workflow)
    lint: Lint = field(default_factory=Lint)

    @property
    def workflow_aliases(self) -> Mapping[str, str]:
        """Other ids of workflows."""
        return self.workflow.aliases

    @property
    def workflow_phases(self) -> Mapping[str, Mapping[str, str]]:
        """Other names of phases, by workflow."""
        return self.workflow.phases


_GROUPS: Mapping[str, type] = {
    "paths": Paths,
    "usage": Usage,
    "session": Session,
    "commands": Commands,
    "workflow": Workflow,
    "lint": Lint,
}


def parse(text: str) -> Parsed[Config]:
    """Read a configuration; the empty text gives the defaults.

    Problem kinds: ``invalid-toml`` (all defaults hold), ``unknown-config-key``,
    ``bad-config-value``, ``path-leaves-root``. Never raises.
    """
    if not text.strip():
        return Parsed(Config(), ())
    data, problem = _load(text)
    if problem:
        return Parsed(Config(), (problem,))
    reader = Reader(places(text))
    values = reader.read(data)
    return Parsed(_config(values), tuple(sorted(reader.problems, key=lambda p: p.span)))


def _config(values: Mapping[str, Any]) -> Config:
    groups: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        group, _, name = path.rpartition(".")
        groups.setdefault(group, {})[name] = value
    top = groups.pop("", {})
    return Config(**top, **{name: _GROUPS[name](**own) for name, own in groups.items()})


def _load(text: str) -> tuple[dict[str, Any], Problem | None]:
    import tomllib  # only a tree with a configuration pays for it

    if len(text) > MAX_CHARS:
        what = f"The configuration is longer than {MAX_CHARS:,} characters"
        return {}, _invalid(what, Span(0, 0))
    try:
        return tomllib.loads(text.replace("\ufeff", " ", 1) if text[0] == "\ufeff" else text), None
    except RecursionError:
        return {}, _invalid("The values are nested too deeply", Span(0, 0))
    except ValueError as error:
        message = str(error)
        found = _ERROR_PLACE.search(message)
        start = _offset(text, found)
        what = message[: found.start()] if found else message
        return {}, _invalid(what.rstrip("."), _visible(text, start))


def _offset(text: str, found: re.Match[str] | None) -> int:
    """tomllib counts lines by ``\\n`` and columns from 1."""
    if found is None:
        return 0
    if found.group(1) is None:
        return len(text)
    start = 0
    for _ in range(int(found.group(1)) - 1):
        start = text.index("\n", start) + 1
    return min(start + int(found.group(2)) - 1, len(text))


def _visible(text: str, start: int) -> Span:
    """The character at ``start``, or the last one of a line that ends there."""
    if text[start : start + 1] not in ("", "\r", "\n"):
        return Span(start, start + 1)
    before = start - 1 if start and text[start - 1] not in "\r\n" else start
    return Span(before, start)


def _invalid(what: str, span: Span) -> Problem:
    message = f"{what}, so the whole configuration is ignored and the defaults hold."
    return Problem("invalid-toml", span, message)
