"""Every setting of ``.synapse/config.toml``, profiles of one's own included: one table for
defaults, validation and documentation.

The words for layers, sections and classes in ``[profiles.NAME]`` are those of the profile that is
extended, so whether they exist is found out when the profile is made (the engine's custom
profiles), not here.

Define the settings of ``[memory]`` in the configuration: what is told, how
attention is scored, how long memories are kept.

Constants are those of the MIS ("attention score") and of Chati's memory layer; what neither says
is explained in `synapse_ls.memory.attention_score`.

Define the settings of ``[brainiac]`` in the configuration: the token budget and the
number of memories.

Parse the named sections of a system prompt that the profile ``plain`` renders: ``[[section]]``
of the configuration, or a list in JSON.

The profile renders them by priority (neuron-context, ``ContextSection``,
``PersistentContext``); a section may wait for a trigger (``InjectionTrigger``).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from synapse_ls.formats.memory_file import SECTORS
from synapse_ls.formats.option_reader import Option
from synapse_ls.text.fast_json import JsonError, loads

SECTION_FIELDS: tuple[Option, ...] = (
    Option("label", "text", "", "The heading of the section."),
    Option("content", "text", "", "Its text."),
    Option("file", "path", "", "The file that has its text, below the root."),
    Option("priority", "int", 0, "Lower stands earlier; of equal ones the first that is written."),
    Option("every_n_turns", "int", 0, "Told at every n-th prompt only.", minimum=1),
    Option("on_tokens", "int", None, "Told from so many used tokens on only.", minimum=0),
)

SECTION_OPTIONS: tuple[Option, ...] = (
    Option(
        "section",
        "records",
        (),
        "Sections of the profile `plain`, each a table of its own: `[[section]]`.",
        fields=SECTION_FIELDS,
        exactly_one=(("label",), ("content", "file")),
    ),
    Option(
        "plain.budget",
        "int",
        0,
        "Tokens of a text of the profile `plain`, 0 for no limit; the last sections go first.",
        minimum=0,
    ),
)


@dataclass(frozen=True, slots=True)
class PlainSettings:
    """How long a text of the ``plain`` profile is: ``budget`` in tokens, 0 for no limit."""

    budget: int = 0


@dataclass(frozen=True, slots=True)
class SectionSpec:
    """A named section of the ``plain`` profile as it is written. ``file`` is "" where ``content``
    is the text.

    ``every_n_turns`` is 0 and ``on_tokens`` None without such a trigger.
    """

    label: str
    content: str = ""
    file: str = ""
    priority: int = 0
    every_n_turns: int = 0
    on_tokens: int | None = None


def section_specs(records: tuple[Mapping[str, Any], ...]) -> tuple[SectionSpec, ...]:
    """Return the named sections of ``[[section]]`` tables that were read against `FIELDS`."""
    return tuple(SectionSpec(**record) for record in records)


class SectionsError(ValueError):
    """A SectionsError says that a list of sections cannot be read; its text is one sentence that
    says where and why.
    """


_SECTION_TYPES: Mapping[str, tuple[type, str]] = {
    "label": (str, "a text"),
    "content": (str, "a text"),
    "file": (str, "a text"),
    "priority": (int, "a whole number"),
    "every_n_turns": (int, "a whole number"),
    "on_tokens": (int, "a whole number"),
}


def parse_json_sections(text: str) -> tuple[SectionSpec, ...]:
    """Parse plain sections from a JSON list of objects with the keys of `FIELDS`; raise
    `SectionsError` for anything else.
    """
    try:
        data = loads(text)
    except JsonError as error:
        raise SectionsError(f"It is not valid JSON: {error}.") from error
    if isinstance(data, dict):
        data = data.get("sections", data.get("section"))
    if not isinstance(data, list):
        raise SectionsError("It is no list of sections.")
    return tuple(_parse_section(number, item) for number, item in enumerate(data, 1))


def _parse_section(number: int, item: object) -> SectionSpec:
    if not isinstance(item, dict):
        raise SectionsError(f"Section {number} is no object.")
    for key, value in item.items():
        if key not in _SECTION_TYPES:
            known = ", ".join(f"`{name}`" for name in _SECTION_TYPES)
            raise SectionsError(f"Section {number} has no field `{key}`; there are {known}.")
        kind, called = _SECTION_TYPES[key]
        if not isinstance(value, kind) or isinstance(value, bool):
            raise SectionsError(f"`{key}` of section {number} is not {called}.")
        if kind is int and key != "priority" and value < (key == "every_n_turns"):
            raise SectionsError(f"`{key}` of section {number} is too small.")
    if "label" not in item:
        raise SectionsError(f"Section {number} has no `label`.")
    if ("content" in item) == ("file" in item):
        raise SectionsError(f"Section {number} needs either `content` or `file`.")
    return SectionSpec(**item)


MEMORY_OPTIONS: tuple[Option, ...] = (
    Option("memory.enabled", "bool", True, "Tell agents what they remember."),
    Option(
        "memory.disclosure",
        "text",
        "profile",
        "How much is told by bracket: as the profile says, or the three levels of ADR-001.",
        ("profile", "adr"),
    ),
    Option(
        "memory.tokens",
        "ints-by-name",
        {"metadata": 50, "summary": 200, "full": 1000},
        "Tokens of all memories in a block, by level, where the profile's bracket says nothing.",
        minimum=0,
    ),
    Option(
        "memory.providers",
        "texts",
        (),
        "Providers of installed packages that are asked beside the tree's own memories.",
    ),
    Option(
        "memory.patience_ms",
        "int",
        15,
        "Milliseconds that a prompt waits for memories that have changed.",
        minimum=0,
    ),
    Option(
        "memory.sectors",
        "texts-by-name",
        {},
        "Sectors that an agent prefers, by its id; without a line of its own as documented.",
        SECTORS,
    ),
    Option(
        "memory.other_sector",
        "number",
        0.8,
        "What memories of sectors that an agent does not prefer are worth, from 0 to 1.",
        minimum=0,
    ),
    Option(
        "memory.relevant",
        "number",
        0.2,
        "How well a WARM memory has to match a prompt to be told, from 0 to 1.",
        minimum=0,
    ),
    Option("memory.hot", "number", 0.7, "The score above which a memory can be HOT.", minimum=0),
    Option("memory.warm", "number", 0.3, "The score from which on a memory is WARM.", minimum=0),
    Option(
        "memory.archive",
        "number",
        0.1,
        "The score below which a memory that nobody uses is put away.",
        minimum=0,
    ),
    Option(
        "memory.archive_days",
        "int",
        90,
        "Days without use after which a memory below that score is put away.",
        minimum=1,
    ),
    Option(
        "memory.gc",
        "bool",
        True,
        "Put away once a day what has expired or nobody needs; else only `synapse memory gc` does.",
    ),
    Option(
        "memory.explicit_floor",
        "number",
        0.75,
        "The least score of what a person said outright, such as a correction.",
        minimum=0,
    ),
    Option(
        "memory.growth",
        "number",
        0.3,
        "The part of what is missing by which confidence grows with each piece of evidence.",
        minimum=0,
    ),
    Option(
        "memory.full_evidence",
        "int",
        10,
        "Pieces of evidence at which that factor of the score is 1.",
        minimum=1,
    ),
    Option("memory.access_step", "number", 0.1, "What each use adds to that factor.", minimum=0),
    Option("memory.access_most", "number", 2.0, "The most that uses can multiply.", minimum=1),
    Option(
        "memory.decay",
        "numbers-by-name",
        {"session": 0.5, "daily": 0.1, "durable": 0.01},
        "How fast memories fade, by storage: the exponent for each day without use.",
        minimum=0,
    ),
    Option(
        "memory.expiry",
        "ints-by-name",
        {"session": 1, "daily": 30, "durable": 0},
        "Days without use after which memories expire, by storage; 0 is never.",
        minimum=0,
    ),
    Option(
        "memory.sector_days",
        "ints-by-name",
        {"episodic": 7, "semantic": 365, "procedural": 30, "reflective": 0},
        "The same by sector, for memories that are not durable; the fewer days count.",
        minimum=0,
    ),
)


_DEFAULTS = {option.path.rpartition(".")[2]: option.default for option in MEMORY_OPTIONS}


def _default_field(name: str) -> Any:
    return field(default_factory=lambda: _DEFAULTS[name])


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """The values of ``[memory]``; `OPTIONS` says what each of them means."""

    enabled: bool = _default_field("enabled")
    disclosure: str = _default_field("disclosure")
    tokens: Mapping[str, int] = _default_field("tokens")
    providers: tuple[str, ...] = _default_field("providers")
    patience_ms: int = _default_field("patience_ms")
    sectors: Mapping[str, tuple[str, ...]] = _default_field("sectors")
    other_sector: float = _default_field("other_sector")
    relevant: float = _default_field("relevant")
    hot: float = _default_field("hot")
    warm: float = _default_field("warm")
    archive: float = _default_field("archive")
    archive_days: int = _default_field("archive_days")
    gc: bool = _default_field("gc")
    explicit_floor: float = _default_field("explicit_floor")
    growth: float = _default_field("growth")
    full_evidence: int = _default_field("full_evidence")
    access_step: float = _default_field("access_step")
    access_most: float = _default_field("access_most")
    decay: Mapping[str, float] = _default_field("decay")
    expiry: Mapping[str, int] = _default_field("expiry")
    sector_days: Mapping[str, int] = _default_field("sector_days")

    def to_plain_values(self) -> dict[str, Any]:
        """Return the settings as values that a plan can keep."""
        return {
            name: dict(value) if isinstance(value, Mapping) else value
            for name, value in asdict(self).items()
        }


DEFAULT_BUDGET = 8_000
DEFAULT_MEMORIES = 10

BUDGET_OPTIONS: tuple[Option, ...] = (
    Option(
        "brainiac.budget",
        "int",
        DEFAULT_BUDGET,
        "Tokens of a text, the prompt included.",
        minimum=1,
    ),
    Option(
        "brainiac.memories",
        "int",
        DEFAULT_MEMORIES,
        "Memories that a text tells at most.",
        minimum=0,
    ),
)


@dataclass(frozen=True, slots=True)
class BrainiacSettings:
    """How long a text of the ``brainiac`` profile is: ``budget`` in tokens."""

    budget: int = DEFAULT_BUDGET
    memories: int = DEFAULT_MEMORIES


MEMORY_LEVELS = ("none", "metadata", "summary", "chunks", "full")
"""How much of a memory is told (Chati Context Engine, "Integration with Memory Layer")."""

BRACKET_OPTIONS: tuple[Option, ...] = (
    Option("floor", "int", None, "Percent left from which the bracket holds.", minimum=0),
    Option("budget", "int", None, "Tokens of a block.", minimum=1),
    Option("layers", "texts", None, "The layers that are awake."),
    Option("memory", "text", None, "How much of a memory is told.", MEMORY_LEVELS),
    Option("memory_tokens", "int", None, "Tokens that memories may take.", minimum=0),
    Option("handoff", "bool", None, "Whether to warn that the window ends."),
    Option("refresh", "int", None, "Prompts after which rules are told again.", minimum=1),
)
"""The keys of ``[profiles.NAME.brackets.BRACKET]``; what is absent is as in the bracket changed."""

PROFILE_OPTIONS: tuple[Option, ...] = (
    Option("extends", "text", "synapse", "The profile that this one changes."),
    Option("renderer", "text", None, "The profile whose frame the block has."),
    Option("tag", "text", None, "The tag around the block, in place of the renderer's."),
    Option(
        "headings",
        "text-by-name",
        None,
        "Headings by section; {name} stands for the agent, workflow or squad.",
    ),
    Option("layers", "texts", None, "The layers that there are, in the order they are asked."),
    Option("order", "texts", None, "Sections that come first, in this order."),
    Option("drop", "texts", None, "Classes of entries that go first, in this order."),
    Option("protect", "texts", None, "Classes of entries that no budget removes."),
    Option("recall_prompts", "int", None, "Prompts that a match lasts.", minimum=1),
    Option("use_brackets", "texts", None, "The brackets that there are, where not all."),
    Option(
        "brackets",
        "records-by-name",
        None,
        "Brackets, new ones or changed.",
        fields=BRACKET_OPTIONS,
    ),
)
"""The keys of ``[profiles.NAME]``; what is absent is as in the profile that is extended."""


FRAMEWORK_FOLDERS = (".aiox-core", ".aios-core")
"""The framework's folder, under its present and its former name."""

SYNC_TARGETS = ("cursor", "copilot", "agents", "claude", "gemini")
"""What `synapse sync` can write, by the names of `synapse_ls.integrations.instruction_targets`."""


def _framework_paths(path: str) -> tuple[str, ...]:
    return tuple(f"{core}/{path}" for core in FRAMEWORK_FOLDERS)


CONFIG_OPTIONS: tuple[Option, ...] = (
    Option("profile", "text", "", "The profile of this tree; detected where it is empty."),
    Option(
        "matching",
        "text",
        "",
        "How recall and exclude words match; empty means as the profile says.",
        ("", "word", "substring"),
    ),
    Option(
        "match_everything",
        "bool",
        False,
        "Match in fenced blocks and long pastes of a prompt too, not only in the user's own words.",
    ),
    Option(
        "injection",
        "text",
        "delta",
        "Send only what does not stand in the agent's window yet, or the full block always.",
        ("delta", "always"),
    ),
    Option(
        "refresh",
        "text",
        "essentials",
        "Which rules are told again now and then though they stand: the essentials (titles of "
        "articles, authority, non-negotiable domains), all, or none.",
        ("essentials", "all", "never"),
    ),
    Option("devmode", "bool", None, "Show the DEVMODE section; else as the manifest says."),
    Option(
        "paths.agents",
        "paths",
        (*_framework_paths("development/agents"), ".claude/agents"),
        "Folders with agent definitions.",
    ),
    Option(
        "paths.tasks", "paths", _framework_paths("development/tasks"), "Folders with task files."
    ),
    Option(
        "paths.workflows",
        "paths",
        _framework_paths("development/workflows"),
        "Folders with workflows.",
    ),
    Option(
        "paths.patterns",
        "paths",
        _framework_paths("data/workflow-patterns.yaml"),
        "Workflow patterns.",
    ),
    Option(
        "paths.chains",
        "paths",
        _framework_paths("data/workflow-chains.yaml"),
        "Chains of workflows.",
    ),
    Option("paths.states", "paths", (".aiox", ".aios"), "Folders with workflow state files."),
    Option("paths.stories", "paths", ("docs/stories",), "Folders with stories."),
    Option("paths.squads", "paths", ("squads",), "Folders whose folders are squads."),
    Option(
        "paths.constitution",
        "paths",
        _framework_paths("constitution.md"),
        "Sources of the constitution.",
    ),
    Option(
        "usage.avg_tokens_per_prompt",
        "int",
        1500,
        "Tokens that a prompt and its answer take, where nothing better is known.",
        minimum=1,
    ),
    Option(
        "usage.max_context", "int", 200_000, "Tokens of the window, where none is known.", minimum=1
    ),
    Option(
        "usage.windows",
        "ints-by-name",
        {},
        "Tokens of the window by the start of a model's id; the longest that fits counts.",
        minimum=1,
    ),
    Option(
        "session.stale_hours", "int", 168, "Hours until an idle session is archived.", minimum=1
    ),
    Option(
        "session.kept_megabytes",
        "int",
        25,
        "Megabytes of archived sessions and digests that are kept; the oldest are deleted.",
        minimum=0,
    ),
    Option(
        "log.blocks",
        "bool",
        True,
        "Keep the exact blocks that agents were sent, in the user's cache folder.",
    ),
    Option(
        "guard.mode",
        "text",
        "warn",
        "What happens when an agent is about to do what it may not: nothing, a word, or a refusal.",
        ("off", "warn", "enforce"),
        strict="enforce",
    ),
    Option(
        "recovery.spawn",
        "text",
        "show",
        (
            "How a new session is begun when one is needed: say the command, or run it, once a "
            "session."
        ),
        ("show", "run"),
    ),
    Option(
        "learning.enabled",
        "bool",
        False,
        "Propose rules from what people corrected again and again; nothing changes by itself.",
    ),
    Option(
        "sync.targets",
        "texts",
        (),
        "Files for agents that `synapse sync` writes, beside those that it wrote before.",
        SYNC_TARGETS,
    ),
    Option(
        "sync.repeat",
        "texts",
        (),
        "Those of them that hold the rules even where the hook brings them.",
        SYNC_TARGETS,
    ),
    Option(
        "commands.develop",
        "texts",
        ("develop", "develop-yolo", "develop-interactive", "develop-preflight", "develop-story"),
        "Star-commands that make the story they name the active task.",
    ),
    Option(
        "commands.activate",
        "texts",
        ("/AIOX:agents:{agent}", "/AIOS:agents:{agent}"),
        "Commands that activate an agent; `{agent}` stands for its id.",
    ),
    Option(
        "activation.greeting",
        "text",
        "",
        "How agents greet: with all sections, or in words of one length; empty means as the "
        "framework's core-config.yaml says.",
        ("", "auto", "minimal", "named", "archetypal"),
    ),
    Option(
        "activation.user_profile",
        "text",
        "",
        "Whom agents greet: somebody who knows them all, or only the project manager (bob); empty "
        "means as the framework's core-config.yaml says.",
        ("", "advanced", "bob"),
    ),
    Option(
        "activation.timeout_ms",
        "int",
        350,
        "Milliseconds in which everything about an agent has to be found out, the start of the "
        "command included.",
        minimum=20,
    ),
    Option(
        "activation.session_start",
        "bool",
        True,
        "Tell an agent that a session begins or goes on with where the project stands.",
    ),
    *MEMORY_OPTIONS,
    *BUDGET_OPTIONS,
    *SECTION_OPTIONS,
    Option("workflow.aliases", "text-by-name", {}, 'Other ids of a workflow: other = "id".'),
    Option("workflow.phases", "tables-by-name", {}, "Other names of phases, by workflow."),
    Option("profiles", "records-by-name", {}, "Profiles of your own.", fields=PROFILE_OPTIONS),
    Option("lint.select", "texts", (), "Codes or code prefixes of the only rules that run."),
    Option("lint.ignore", "texts", (), "Codes or code prefixes of rules that do not run."),
    Option(
        "lint.severity",
        "text-by-name",
        {},
        "Severity by code or code prefix.",
        ("error", "warning", "info", "hint", "off"),
    ),
    Option("lint.per_path", "texts-by-name", {}, "Codes ignored in files, by glob."),
    Option("lint.exclude", "texts", (), "Globs of files and folders that are not linted."),
    Option("lint.vendored", "bool", False, "Lint the files of the framework too."),
)

BY_PATH: Mapping[str, Option] = {option.path: option for option in CONFIG_OPTIONS}
"""The settings by their dotted path."""

GROUPS = frozenset(option.path.rpartition(".")[0] for option in CONFIG_OPTIONS) - {""}
"""The tables that hold settings."""


def table_options(table: str) -> tuple[Option, ...]:
    """Return the settings of a table of the configuration that somebody has named, such as
    ``profiles.NAME``, and of each table in a list, such as ``section``; () for others.
    """
    known_option = BY_PATH.get(table)
    if known_option and known_option.kind == "records":
        return known_option.fields
    named = _find_named_table(table, CONFIG_OPTIONS)
    return named[0].fields if named and not named[1] else ()


def find_option(path: str) -> Option | None:
    """Return the setting of the configuration at a dotted path, in tables that somebody has named
    too; None where there is none.
    """
    group, _, name = path.rpartition(".")
    inner = next((option for option in table_options(group) if option.path == name), None)
    return BY_PATH.get(path) or inner


def _find_named_table(path: str, options: tuple[Option, ...]) -> tuple[Option, str] | None:
    """Return the innermost setting with named tables that a path leads into, and the rest of the
    path.
    """
    for option in options:
        if option.fields and path.startswith(f"{option.path}."):
            _, _, rest = path[len(option.path) + 1 :].partition(".")
            return _find_named_table(rest, option.fields) or (option, rest)
    return None
