"""``.synapse/config.toml``, read against the table in `config_schema`.

A setting that cannot be used is reported and keeps its default; the others count. What keeps agents
in bounds is read strictly where something is written that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from synapse_ls.formats.brainiac.config import Brainiac
from synapse_ls.formats.config_reader import Reader
from synapse_ls.formats.config_schema import BY_PATH, OPTIONS
from synapse_ls.formats.memory_config import Memory
from synapse_ls.formats.problem import Parsed
from synapse_ls.formats.sections import Plain, SectionSpec, specs
from synapse_ls.formats.toml_places import places
from synapse_ls.formats.toml_text import load


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
    chains: tuple[str, ...] = _setting("paths.chains")
    states: tuple[str, ...] = _setting("paths.states")
    stories: tuple[str, ...] = _setting("paths.stories")
    squads: tuple[str, ...] = _setting("paths.squads")
    constitution: tuple[str, ...] = _setting("paths.constitution")
    sections: tuple[str, ...] = ()
    """Files that ``[[section]]`` tables name."""
    dormant: tuple[str, ...] = ()
    """Folders of rules that nobody reads, because another one is served; no setting."""
    named: tuple[str, ...] = ()
    """Rule files that only count because the manifest of CARL names them; no setting."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Context windows, in tokens.

    ``windows`` are by the start of a model's id; the others are what the last estimator of the
    usage counts with.
    """

    avg_tokens_per_prompt: int = _setting("usage.avg_tokens_per_prompt")
    max_context: int = _setting("usage.max_context")
    windows: Mapping[str, int] = _setting("usage.windows")


@dataclass(frozen=True, slots=True)
class Session:
    """``stale_hours``: hours without activity after which a session is archived."""

    stale_hours: int = _setting("session.stale_hours")


@dataclass(frozen=True, slots=True)
class Log:
    """``blocks``: whether the log of what agents were told keeps the exact blocks."""

    blocks: bool = _setting("log.blocks")


@dataclass(frozen=True, slots=True)
class Guard:
    """``mode``: what happens to what an agent may not do: "off", "warn" or "enforce"."""

    mode: str = _setting("guard.mode")


@dataclass(frozen=True, slots=True)
class Recovery:
    """``spawn``: whether a new session may be begun ("run"), or only its command is told ("show")."""

    spawn: str = _setting("recovery.spawn")


@dataclass(frozen=True, slots=True)
class Learning:
    """``enabled``: whether rules are proposed from what people corrected again and again."""

    enabled: bool = _setting("learning.enabled")


@dataclass(frozen=True, slots=True)
class Sync:
    """Files for agents that are kept up to date, and those that say what the hook says, too."""

    targets: tuple[str, ...] = _setting("sync.targets")
    repeat: tuple[str, ...] = _setting("sync.repeat")


@dataclass(frozen=True, slots=True)
class Commands:
    """Star-commands that begin a task, and commands that activate an agent."""

    develop: tuple[str, ...] = _setting("commands.develop")
    activate: tuple[str, ...] = _setting("commands.activate")


@dataclass(frozen=True, slots=True)
class Activation:
    """How agents are brought up: what they greet with, whom, how long that may take, and whether a
    session that begins with an agent says where the project stands.
    """

    greeting: str = _setting("activation.greeting")
    user_profile: str = _setting("activation.user_profile")
    timeout_ms: int = _setting("activation.timeout_ms")
    session_start: bool = _setting("activation.session_start")


@dataclass(frozen=True, slots=True)
class Workflow:
    """Other ids of workflows, and by workflow other names of its phases."""

    aliases: Mapping[str, str] = _setting("workflow.aliases")
    phases: Mapping[str, Mapping[str, str]] = _setting("workflow.phases")


@dataclass(frozen=True, slots=True)
class Lint:
    """Which rules run (all, where ``select`` is empty), where, and how severe they are.

    ``exclude``: patterns of files and folders that are left alone. ``vendored``: in the files of
    frameworks too.
    """

    select: tuple[str, ...] = _setting("lint.select")
    ignore: tuple[str, ...] = _setting("lint.ignore")
    severity: Mapping[str, str] = _setting("lint.severity")
    per_path: Mapping[str, tuple[str, ...]] = _setting("lint.per_path")
    exclude: tuple[str, ...] = _setting("lint.exclude")
    vendored: bool = _setting("lint.vendored")


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
    log: Log = field(default_factory=Log)
    guard: Guard = field(default_factory=Guard)
    sync: Sync = field(default_factory=Sync)
    commands: Commands = field(default_factory=Commands)
    activation: Activation = field(default_factory=Activation)
    memory: Memory = field(default_factory=Memory)
    brainiac: Brainiac = field(default_factory=Brainiac)
    plain: Plain = field(default_factory=Plain)
    section: tuple[SectionSpec, ...] = ()
    recovery: Recovery = field(default_factory=Recovery)
    learning: Learning = field(default_factory=Learning)
    workflow: Workflow = field(default_factory=Workflow)
    profiles: Mapping[str, Mapping[str, Any]] = _setting("profiles")
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
    "log": Log,
    "guard": Guard,
    "sync": Sync,
    "commands": Commands,
    "activation": Activation,
    "memory": Memory,
    "brainiac": Brainiac,
    "plain": Plain,
    "recovery": Recovery,
    "learning": Learning,
    "workflow": Workflow,
    "lint": Lint,
}


def parse(text: str) -> Parsed[Config]:
    """Read a configuration; the empty text gives the defaults.

    Problem kinds: ``invalid-toml`` (all defaults hold, and `unread` says what of them does not),
    ``unknown-config-key``, ``bad-config-value``, ``path-leaves-root``. Never raises.
    """
    if not text.strip():
        return Parsed(Config(), ())
    strict = _strict(text)
    effect = "the whole configuration is ignored and the defaults hold"
    if strict:
        said = " and ".join(f'`{path}` counts as "{value}"' for path, value in strict.items())
        effect += f", but {said}"
    data, problem = load(text, "The configuration", effect)
    if problem:
        return Parsed(_config(strict), (problem,))
    reader = Reader(places(text))
    values = reader.read(data)
    return Parsed(_config(values), tuple(sorted(reader.problems, key=lambda p: p.span)))


def unread() -> Config:
    """What holds where there is a configuration that nobody can read."""
    return _config(_strict(None))


def _strict(text: str | None) -> dict[str, Any]:
    """The strict settings that a broken text seems to speak of; all, where there is none to look at."""
    return {
        option.path: option.strict
        for option in OPTIONS
        if option.strict and (text is None or _speaks_of(text, option.path))
    }


def _speaks_of(text: str, path: str) -> bool:
    return re.search(rf"^[^#\n]*\b{path.partition('.')[0]}\b", text, re.MULTILINE) is not None


def _config(values: Mapping[str, Any]) -> Config:
    groups: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        group, _, name = path.rpartition(".")
        groups.setdefault(group, {})[name] = value
    top = groups.pop("", {})
    top["section"] = sections = specs(top.get("section", ()))
    if files := tuple(dict.fromkeys(one.file for one in sections if one.file)):
        groups.setdefault("paths", {})["sections"] = files
    return Config(**top, **{name: _GROUPS[name](**own) for name, own in groups.items()})
