"""Parse the configuration file ``.synapse/config.toml`` into a Config, checked against the table in
`config_settings`, and edit its profile.

A setting that cannot be used is reported and keeps its default; the others count. What keeps agents
in bounds is read strictly where something is written that cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from synapse_ls.formats.config_settings import (
    BY_PATH,
    CONFIG_OPTIONS,
    GROUPS,
    BrainiacSettings,
    MemorySettings,
    PlainSettings,
    SectionSpec,
    section_specs,
)
from synapse_ls.formats.option_reader import OptionReader
from synapse_ls.formats.toml_document import key_positions, load_toml
from synapse_ls.text.finding import ParseResult

_BRACKET_TABLE = re.compile(r"^\[profiles\.[\w-]+\.brackets\.([\w-]+)\]", re.MULTILINE)


def _default_field(path: str) -> Any:
    """Return a dataclass field whose default is that of the table."""
    return field(default_factory=lambda: BY_PATH[path].default)


@dataclass(frozen=True, slots=True)
class PathSettings:
    """The part of the configuration file with places inside the root, with ``/`` and without a
    slash at either end.
    """

    agents: tuple[str, ...] = _default_field("paths.agents")
    tasks: tuple[str, ...] = _default_field("paths.tasks")
    workflows: tuple[str, ...] = _default_field("paths.workflows")
    patterns: tuple[str, ...] = _default_field("paths.patterns")
    chains: tuple[str, ...] = _default_field("paths.chains")
    states: tuple[str, ...] = _default_field("paths.states")
    stories: tuple[str, ...] = _default_field("paths.stories")
    squads: tuple[str, ...] = _default_field("paths.squads")
    constitution: tuple[str, ...] = _default_field("paths.constitution")
    sections: tuple[str, ...] = ()
    """Files that ``[[section]]`` tables name."""
    dormant: tuple[str, ...] = ()
    """Folders of rules that nobody reads, because another one is served; no setting."""
    manifest_rule_files: tuple[str, ...] = ()
    """Rule files that only count because the manifest of CARL names them; no setting."""


@dataclass(frozen=True, slots=True)
class UsageSettings:
    """The part of the configuration file with the sizes of context windows, in tokens.

    ``windows`` are by the start of a model's id; the others are what the last estimator of the
    usage counts with.
    """

    avg_tokens_per_prompt: int = _default_field("usage.avg_tokens_per_prompt")
    max_context: int = _default_field("usage.max_context")
    windows: Mapping[str, int] = _default_field("usage.windows")


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The part of the configuration file about sessions: ``stale_hours``, the hours without
    activity after which a session is archived, and ``kept_megabytes``, how much is kept of archived
    sessions and digests.
    """

    stale_hours: int = _default_field("session.stale_hours")
    kept_megabytes: int = _default_field("session.kept_megabytes")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """The part of the configuration file about the log: ``blocks`` says whether the injection log
    keeps the exact blocks that agents were sent.
    """

    blocks: bool = _default_field("log.blocks")


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """The part of the configuration file about the guard: ``mode`` says what happens to what an
    agent may not do, "off", "warn" or "enforce".
    """

    mode: str = _default_field("guard.mode")


@dataclass(frozen=True, slots=True)
class RecoverySettings:
    """The part of the configuration file about recovery: ``spawn`` says whether a new session may
    be begun ("run"), or only its command is shown ("show").
    """

    spawn: str = _default_field("recovery.spawn")


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """The part of the configuration file about learning: ``enabled`` says whether rules are
    proposed from what people corrected again and again.
    """

    enabled: bool = _default_field("learning.enabled")


@dataclass(frozen=True, slots=True)
class SyncSettings:
    """The part of the configuration file with the instruction files for agents that are kept up to
    date (``targets``), and those that repeat what the hook says (``repeat``).
    """

    targets: tuple[str, ...] = _default_field("sync.targets")
    repeat: tuple[str, ...] = _default_field("sync.repeat")


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """The part of the configuration file with the star-commands that begin a task, and the commands
    that activate an agent.
    """

    develop: tuple[str, ...] = _default_field("commands.develop")
    activate: tuple[str, ...] = _default_field("commands.activate")


@dataclass(frozen=True, slots=True)
class ActivationSettings:
    """The part of the configuration file that says how agents are brought up: how and whom they
    greet, how long that may take, and whether a session that begins with an agent says where the
    project stands.
    """

    greeting: str = _default_field("activation.greeting")
    user_profile: str = _default_field("activation.user_profile")
    timeout_ms: int = _default_field("activation.timeout_ms")
    session_start: bool = _default_field("activation.session_start")


@dataclass(frozen=True, slots=True)
class WorkflowSettings:
    """The part of the configuration file with other ids of workflows, and other names of phases by
    workflow.
    """

    aliases: Mapping[str, str] = _default_field("workflow.aliases")
    phases: Mapping[str, Mapping[str, str]] = _default_field("workflow.phases")


@dataclass(frozen=True, slots=True)
class LintSettings:
    """The part of the configuration file that says which lint rules run (all, where ``select`` is
    empty), where, and how severe they are.

    ``exclude``: patterns of files and folders that are left alone. ``vendored``: in the files of
    frameworks too. ``brackets``: those that the tree's own profiles have, in upper case.
    """

    select: tuple[str, ...] = _default_field("lint.select")
    ignore: tuple[str, ...] = _default_field("lint.ignore")
    severity: Mapping[str, str] = _default_field("lint.severity")
    per_path: Mapping[str, tuple[str, ...]] = _default_field("lint.per_path")
    exclude: tuple[str, ...] = _default_field("lint.exclude")
    vendored: bool = _default_field("lint.vendored")
    brackets: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration of a tree; `config_settings.OPTIONS` says what each setting means."""

    profile: str = _default_field("profile")
    matching: str = _default_field("matching")
    match_everything: bool = _default_field("match_everything")
    injection: str = _default_field("injection")
    refresh: str = _default_field("refresh")
    devmode: bool | None = _default_field("devmode")
    paths: PathSettings = field(default_factory=PathSettings)
    usage: UsageSettings = field(default_factory=UsageSettings)
    session: SessionSettings = field(default_factory=SessionSettings)
    log: LogSettings = field(default_factory=LogSettings)
    guard: GuardSettings = field(default_factory=GuardSettings)
    sync: SyncSettings = field(default_factory=SyncSettings)
    commands: CommandSettings = field(default_factory=CommandSettings)
    activation: ActivationSettings = field(default_factory=ActivationSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    brainiac: BrainiacSettings = field(default_factory=BrainiacSettings)
    plain: PlainSettings = field(default_factory=PlainSettings)
    section: tuple[SectionSpec, ...] = ()
    recovery: RecoverySettings = field(default_factory=RecoverySettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    workflow: WorkflowSettings = field(default_factory=WorkflowSettings)
    profiles: Mapping[str, Mapping[str, Any]] = _default_field("profiles")
    lint: LintSettings = field(default_factory=LintSettings)

    @property
    def workflow_aliases(self) -> Mapping[str, str]:
        """Other ids of workflows."""
        return self.workflow.aliases

    @property
    def workflow_phases(self) -> Mapping[str, Mapping[str, str]]:
        """Other names of phases, by workflow."""
        return self.workflow.phases


_SETTINGS_CLASSES: Mapping[str, type] = {
    "paths": PathSettings,
    "usage": UsageSettings,
    "session": SessionSettings,
    "log": LogSettings,
    "guard": GuardSettings,
    "sync": SyncSettings,
    "commands": CommandSettings,
    "activation": ActivationSettings,
    "memory": MemorySettings,
    "brainiac": BrainiacSettings,
    "plain": PlainSettings,
    "recovery": RecoverySettings,
    "learning": LearningSettings,
    "workflow": WorkflowSettings,
    "lint": LintSettings,
}


def parse(text: str) -> ParseResult[Config]:
    """Parse the configuration file; the empty text gives the defaults.

    Problem kinds: ``invalid-toml`` (all defaults hold, except those of `unreadable_config`),
    ``unknown-config-key``, ``bad-config-value``, ``path-leaves-root``. Never raises.
    """
    if not text.strip():
        return ParseResult(Config(), ())
    strict = _strict_values(text)
    effect = "the whole configuration is ignored and the defaults hold"
    if strict:
        said = " and ".join(f'`{path}` counts as "{value}"' for path, value in strict.items())
        effect += f", but {said}"
    data, problem = load_toml(text, "The configuration", effect)
    if problem:
        config = _build_config(strict)
        # A rule for a bracket of this file is not to be renamed while the file cannot be read.
        brackets = frozenset(name.upper() for name in _BRACKET_TABLE.findall(text))
        config = replace(config, lint=replace(config.lint, brackets=brackets))
        return ParseResult(config, (problem,))
    reader = OptionReader(key_positions(text), BY_PATH, GROUPS)
    values = reader.read(data)
    return ParseResult(_build_config(values), tuple(sorted(reader.problems, key=lambda p: p.span)))


def unreadable_config() -> Config:
    """Return the configuration that holds where there is a file that nobody can read: the defaults,
    with strict settings.
    """
    return _build_config(_strict_values(None))


def _strict_values(text: str | None) -> dict[str, Any]:
    """Return the strict settings that a broken text seems to mention; all of them where ``text`` is
    None.
    """
    return {
        option.path: option.strict
        for option in CONFIG_OPTIONS
        if option.strict
        and (
            text is None
            or re.search(rf"^[^#\n]*\b{option.path.partition('.')[0]}\b", text, re.MULTILINE)
            is not None
        )
    }


def _build_config(values: Mapping[str, Any]) -> Config:
    groups: dict[str, dict[str, Any]] = {}
    for path, value in values.items():
        group, _, name = path.rpartition(".")
        groups.setdefault(group, {})[name] = value
    top = groups.pop("", {})
    top["section"] = sections = section_specs(top.get("section", ()))
    own = (table.get("brackets", {}) for table in top.get("profiles", {}).values())
    if brackets := frozenset(name.upper() for table in own for name in table):
        groups.setdefault("lint", {})["brackets"] = brackets
    if files := tuple(dict.fromkeys(section.file for section in sections if section.file)):
        groups.setdefault("paths", {})["sections"] = files
    return Config(**top, **{name: _SETTINGS_CLASSES[name](**own) for name, own in groups.items()})
