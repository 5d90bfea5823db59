"""Every setting of ``.synapse/config.toml``, as classes with default, validation and documentation.

Layer and section names in ``[profiles.NAME]`` depend on the extended profile, so the engine checks
them. Constants of ``[memory]`` are those of the MIS ("attention score") and of Chati's memory
layer; `synapse_ls.memory.attention_score` explains the others.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any

from synapse_ls.formats.memory_file import SECTORS
from synapse_ls.formats.setting_validation import Option
from synapse_ls.text.span import Span

SECTION_FIELDS: tuple[Option, ...] = (
    Option("label", "text", "", "The heading of the section."),
    Option("content", "text", "", "Its text."),
    Option("file", "path", "", "The file that has its text, below the root."),
    Option("priority", "int", 0, "Lower comes earlier; of equal ones the first that is written."),
    Option("every_n_turns", "int", 0, "Injected at every n-th prompt only.", minimum=1),
    Option(
        "on_tokens", "int", None, "Injected only from this number of used tokens on.", minimum=0
    ),
)


ADOPTED_FIELDS: tuple[Option, ...] = (
    Option("path", "path", "", "The file, or a folder of which every rule file is taken."),
    Option("heading", "text", "", "Only the section below this heading, nested ones included."),
    Option("lines", "line-range", None, 'Only these lines, such as "10-40".'),
    Option("paths", "texts", None, "Globs of the files that the rules are for."),
    Option("always", "bool", False, "The rules hold for every prompt."),
    Option("domain", "text", "", "The name of the domain; empty means one made from the path."),
)


# How much of a memory is told (Chati Context Engine, "Integration with Memory Layer").
MEMORY_LEVELS = ("none", "metadata", "summary", "chunks", "full")

# The keys of ``[profiles.NAME.brackets.BRACKET]``; what is absent is as in the bracket changed.
BRACKET_OPTIONS: tuple[Option, ...] = (
    Option("floor", "int", None, "Percent left from which the bracket holds.", minimum=0),
    Option("budget", "int", None, "Tokens of a block.", minimum=1),
    Option("layers", "texts", None, "The layers that are active."),
    Option("memory", "text", None, "How much of a memory is injected.", MEMORY_LEVELS),
    Option("memory_tokens", "int", None, "Tokens that memories may take.", minimum=0),
    Option("handoff", "bool", None, "Whether to warn that the window ends."),
    Option("refresh", "int", None, "Prompts after which rules are injected again.", minimum=1),
)

# The keys of ``[profiles.NAME]``; what is absent is as in the profile that is extended.
PROFILE_OPTIONS: tuple[Option, ...] = (
    Option("extends", "text", "synapse", "The profile that this one changes."),
    Option("renderer", "text", None, "The profile whose frame the block has."),
    Option("tag", "text", None, "The tag around the block, in place of the renderer's."),
    Option(
        "headings",
        "text-by-name",
        None,
        "Headings by section; {name} is the agent, workflow or squad.",
    ),
    Option("layers", "texts", None, "The layers that there are, in the order they are asked."),
    Option("order", "texts", None, "Sections that come first, in this order."),
    Option("drop", "texts", None, "Classes of entries that go first, in this order."),
    Option("protect", "texts", None, "Classes of entries that no budget removes."),
    Option("recall_prompts", "int", None, "Prompts that a match lasts.", minimum=1),
    Option("whole_first_block", "bool", None, "Whether budgets spare a window's first block."),
    Option("use_brackets", "texts", None, "The brackets that there are, where not all."),
    Option(
        "brackets",
        "records-by-name",
        None,
        "Brackets, new ones or changed.",
        fields=BRACKET_OPTIONS,
    ),
)


# The framework's folder, under its present and its former name.
FRAMEWORK_FOLDERS = (".aiox-core", ".aios-core")

# What `synapse sync` can write, by the names of `synapse_ls.integrations.instruction_files`.
SYNC_TARGETS = ("cursor", "copilot", "agents", "claude", "gemini")


def _framework_paths(path: str) -> tuple[str, ...]:
    return tuple(f"{core}/{path}" for core in FRAMEWORK_FOLDERS)


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


_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class AdoptedSource:
    """A file of instructions, or a folder of them, that a tree refers to (``[[adopted]]``).

    ``heading`` and ``lines`` (first and last, from 1) take a part of it; ``paths`` and ``always``
    say when it counts in place of what the file itself says. ``span`` is where the table begins,
    ``number`` which one it is, from 0, both in the configuration.
    """

    path: str
    heading: str = ""
    lines: tuple[int, int] | None = None
    paths: tuple[str, ...] = ()
    always: bool = False
    domain: str = ""
    span: Span = _NOWHERE
    number: int = 0


# Type of a default -> the kind of most settings with such a one, see `Option`.
_KINDS = {int: "int", bool: "bool", float: "number", str: "text", tuple: "texts"}


def setting(default: object, about: str, *choices: Any, kind: str = "", **limits: Any) -> Any:
    """Return a dataclass field for a setting of a ``kind``, "" for that of its default; the other
    arguments are those of `Option`. In the bundle of bytecode an annotation is a mere text.
    """
    option = Option("", kind or _KINDS[type(default)], default, about, *choices, **limits)
    return field(default_factory=lambda: default, metadata={"option": option})


def paths_setting(default: tuple[str, ...], about: str) -> Any:
    """Return a dataclass field for places below the root."""
    return setting(default, about, kind="paths")


@dataclass(frozen=True, slots=True)
class PathSettings:
    """The part of the configuration file with places inside the root, with ``/`` and without a
    slash at either end.
    """

    agents: tuple[str, ...] = paths_setting(
        (*_framework_paths("development/agents"), ".claude/agents"),
        "Folders with agent definitions.",
    )
    tasks: tuple[str, ...] = paths_setting(
        _framework_paths("development/tasks"), "Folders with task files."
    )
    workflows: tuple[str, ...] = paths_setting(
        _framework_paths("development/workflows"), "Folders with workflows."
    )
    patterns: tuple[str, ...] = paths_setting(
        _framework_paths("data/workflow-patterns.yaml"), "Workflow patterns."
    )
    chains: tuple[str, ...] = paths_setting(
        _framework_paths("data/workflow-chains.yaml"), "Chains of workflows."
    )
    states: tuple[str, ...] = paths_setting(
        (".aiox", ".aios"), "Folders with workflow state files."
    )
    stories: tuple[str, ...] = paths_setting(("docs/stories",), "Folders with stories.")
    squads: tuple[str, ...] = paths_setting(("squads",), "Folders whose folders are squads.")
    constitution: tuple[str, ...] = paths_setting(
        _framework_paths("constitution.md"), "Sources of the constitution."
    )
    # Files that ``[[section]]`` tables name.
    sections: tuple[str, ...] = ()
    # Files of the project that ``extends`` names.
    extended: tuple[str, ...] = ()
    # Files and folders that ``[[adopted]]`` tables name.
    adopted: tuple[str, ...] = ()
    # Folders of rules that nobody reads, because another one is served; no setting.
    dormant: tuple[str, ...] = ()
    # Rule files that only count because the manifest of CARL names them; no setting.
    manifest_rule_files: tuple[str, ...] = ()

    @property
    def named(self) -> tuple[str, ...]:
        """Files that the configuration names, whose text counts wherever they lie."""
        return (*self.extended, *self.sections)


@dataclass(frozen=True, slots=True)
class UsageSettings:
    """The part of the configuration file with the sizes of context windows, in tokens.

    ``windows`` are by the start of a model's id; the others are what the last estimator of the
    usage counts with.
    """

    avg_tokens_per_prompt: int = setting(
        1500, "Tokens that a prompt and its answer take, where nothing better is known.", minimum=1
    )
    max_context: int = setting(200_000, "Tokens of the window, where none is known.", minimum=1)
    windows: Mapping[str, int] = setting(
        {},
        "Tokens of the window by the start of a model's id; the longest that fits counts.",
        kind="ints-by-name",
        minimum=1,
    )


@dataclass(frozen=True, slots=True)
class SessionSettings:
    """The part of the configuration file about sessions: ``stale_hours``, the hours without
    activity after which a session is archived, and ``kept_megabytes``, how much is kept of archived
    sessions, digests and earlier continuations.
    """

    stale_hours: int = setting(168, "Hours until an idle session is archived.", minimum=1)
    kept_megabytes: int = setting(
        25,
        "Megabytes of archived sessions, digests and earlier continuations that are kept.",
        minimum=0,
    )


@dataclass(frozen=True, slots=True)
class LogSettings:
    """The part of the configuration file about the log: ``blocks`` says whether the injection log
    keeps the exact blocks that agents were sent.
    """

    blocks: bool = setting(
        True, "Keep the exact blocks that agents were sent, in the user's cache folder."
    )


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """The part of the configuration file about the audit log, which a policy can switch on: its
    ``megabytes`` are all that is kept of it.
    """

    enabled: bool = setting(
        False,
        "Keep an audit log: what was injected, as digests, "
        "and what the guard said of which command.",
    )
    megabytes: int = setting(
        100, "Megabytes of the audit log that are kept; the oldest go first.", minimum=1
    )


@dataclass(frozen=True, slots=True)
class GuardSettings:
    """The part of the configuration file about the guard: ``mode`` says what happens to what an
    agent may not do, "off", "warn" or "enforce".
    """

    mode: str = setting(
        "warn",
        "What happens when an agent is about to do what it may not: nothing, a word, or a refusal.",
        ("off", "warn", "enforce"),
        strict="enforce",
    )


@dataclass(frozen=True, slots=True)
class RecoverySettings:
    """The part of the configuration file about recovery: ``spawn`` says whether a new session may
    be begun ("run"), or only its command is shown ("show").
    """

    spawn: str = setting(
        "show",
        "How a new session is begun when one is needed: say the command, or run it, once a "
        "session.",
        ("show", "run"),
    )


@dataclass(frozen=True, slots=True)
class LearningSettings:
    """The part of the configuration file about learning: ``enabled`` says whether rules are
    proposed from what people corrected again and again.
    """

    enabled: bool = setting(
        False,
        "Propose rules from what people corrected again and again; nothing changes by itself.",
    )


@dataclass(frozen=True, slots=True)
class SyncSettings:
    """The part of the configuration file with the instruction files for agents that are kept up to
    date (``targets``), and those that repeat what the hook says (``repeat``).
    """

    targets: tuple[str, ...] = setting(
        (),
        "Files for agents that `synapse sync` writes, beside those that it wrote before.",
        SYNC_TARGETS,
    )
    repeat: tuple[str, ...] = setting(
        (), "Those of them that hold the rules even where the hook injects them.", SYNC_TARGETS
    )


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """The part of the configuration file with the star-commands that begin a task, and the commands
    that activate an agent.
    """

    develop: tuple[str, ...] = setting(
        ("develop", "develop-yolo", "develop-interactive", "develop-preflight", "develop-story"),
        "Star-commands that make the story they name the active task.",
    )
    activate: tuple[str, ...] = setting(
        ("/AIOX:agents:{agent}", "/AIOS:agents:{agent}"),
        "Commands that activate an agent; `{agent}` is its id.",
    )


@dataclass(frozen=True, slots=True)
class ActivationSettings:
    """The part of the configuration file that says how agents are brought up: how and whom they
    greet, how long that may take, and whether a session that begins with an agent says where the
    project stands.
    """

    greeting: str = setting(
        "",
        "How agents greet: with all sections, or in words of one length; empty means as the "
        "framework's core-config.yaml says.",
        ("", "auto", "minimal", "named", "archetypal"),
    )
    user_profile: str = setting(
        "",
        "Whom agents greet: somebody who knows them all, or only the project manager (bob); empty "
        "means as the framework's core-config.yaml says.",
        ("", "advanced", "bob"),
    )
    timeout_ms: int = setting(
        350,
        "Milliseconds in which everything about an agent has to be found out, the start of the "
        "command included.",
        minimum=20,
    )
    session_start: bool = setting(
        True, "When a session begins or goes on, inject the state of the project."
    )


@dataclass(frozen=True, slots=True)
class WorkflowSettings:
    """The part of the configuration file with other ids of workflows, and other names of phases by
    workflow.
    """

    aliases: Mapping[str, str] = setting(
        {}, 'Other ids of a workflow: other = "id".', kind="text-by-name"
    )
    phases: Mapping[str, Mapping[str, str]] = setting(
        {}, "Other names of phases, by workflow.", kind="tables-by-name"
    )


@dataclass(frozen=True, slots=True)
class LintSettings:
    """The part of the configuration file that says which lint rules run (all, where ``select`` is
    empty), where, and how severe they are.

    ``exclude``: patterns of files and folders that are left alone. ``vendored``: in the files of
    frameworks too. ``brackets``: those that the tree's own profiles have, in upper case.
    ``policy_severities``: what each policy says of severity, the most powerful first.
    """

    select: tuple[str, ...] = setting((), "Codes or code prefixes of the only rules that run.")
    ignore: tuple[str, ...] = setting((), "Codes or code prefixes of rules that do not run.")
    severity: Mapping[str, str] = setting(
        {},
        "Severity by code or code prefix.",
        ("error", "warning", "info", "hint", "off"),
        kind="text-by-name",
    )
    per_path: Mapping[str, tuple[str, ...]] = setting(
        {}, "Codes ignored in files, by glob.", kind="texts-by-name"
    )
    exclude: tuple[str, ...] = setting((), "Globs of files and folders that are not linted.")
    vendored: bool = setting(False, "Lint the files of the framework too.")
    brackets: frozenset[str] = frozenset()
    policy_severities: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class MemorySettings:
    """The values of ``[memory]``."""

    enabled: bool = setting(True, "Inject what agents remember.")
    digests: bool = setting(True, "Keep digests of sessions, and notes to continue by.")
    disclosure: str = setting(
        "profile",
        "How much is injected by bracket: as the profile says, or the three levels of ADR-001.",
        ("profile", "adr"),
    )
    tokens: Mapping[str, int] = setting(
        {"metadata": 50, "summary": 200, "full": 1000},
        "Tokens of all memories in a block, by level, where the profile's bracket says nothing.",
        kind="ints-by-name",
        minimum=0,
    )
    providers: tuple[str, ...] = setting(
        (), "Providers of installed packages that are asked beside the tree's own memories."
    )
    patience_ms: int = setting(
        15, "Milliseconds that a prompt waits for changed memories beyond the first 16.", minimum=0
    )
    sectors: Mapping[str, tuple[str, ...]] = setting(
        {},
        "Sectors that an agent prefers, by its id; without a line of its own as documented.",
        SECTORS,
        kind="texts-by-name",
    )
    other_sector: float = setting(
        0.8,
        "What memories of sectors that an agent does not prefer are worth, from 0 to 1.",
        minimum=0,
    )
    relevant: float = setting(
        0.2, "How well a WARM memory has to match a prompt to be injected, from 0 to 1.", minimum=0
    )
    hot: float = setting(0.7, "The score above which a memory can be HOT.", minimum=0)
    warm: float = setting(0.3, "The score from which on a memory is WARM.", minimum=0)
    archive: float = setting(
        0.1, "The score below which a memory that nobody uses is put away.", minimum=0
    )
    archive_days: int = setting(
        90, "Days without use after which a memory below that score is put away.", minimum=1
    )
    gc: bool = setting(
        True,
        "Put away once a day what has expired or nobody needs; else only `synapse memory gc` does.",
    )
    explicit_floor: float = setting(
        0.75, "The least score of what a person said outright, such as a correction.", minimum=0
    )
    growth: float = setting(
        0.3,
        "The part of what is missing by which confidence grows with each piece of evidence.",
        minimum=0,
    )
    full_evidence: int = setting(
        10, "Pieces of evidence at which that factor of the score is 1.", minimum=1
    )
    access_step: float = setting(0.1, "What each use adds to that factor.", minimum=0)
    access_most: float = setting(2.0, "The most that uses can multiply.", minimum=1)
    decay: Mapping[str, float] = setting(
        {"session": 0.5, "daily": 0.1, "durable": 0.01},
        "How fast memories fade, by storage: the exponent for each day without use.",
        kind="numbers-by-name",
        minimum=0,
    )
    expiry: Mapping[str, int] = setting(
        {"session": 1, "daily": 30, "durable": 0},
        "Days without use after which memories expire, by storage; 0 is never.",
        kind="ints-by-name",
        minimum=0,
    )
    sector_days: Mapping[str, int] = setting(
        {"episodic": 7, "semantic": 365, "procedural": 30, "reflective": 0},
        "The same by sector, for memories that are not durable; the fewer days count.",
        kind="ints-by-name",
        minimum=0,
    )


@dataclass(frozen=True, slots=True)
class BrainiacSettings:
    """How long a text of the ``brainiac`` profile is: ``budget`` in tokens."""

    budget: int = setting(8_000, "Tokens of a text, the prompt included.", minimum=1)
    memories: int = setting(10, "Memories that a text injects at most.", minimum=0)


@dataclass(frozen=True, slots=True)
class AdoptionSettings:
    """The part of the configuration file that says for whom the rules of files of instructions are
    injected.
    """

    inject: str = setting(
        "missing",
        "Who gets the rules of files that are referred to: clients that read none that always "
        "hold (missing), each client those it does not read (all), or nobody.",
        ("missing", "all", "none"),
    )


@dataclass(frozen=True, slots=True)
class PlainSettings:
    """How long a text of the ``plain`` profile is: ``budget`` in tokens, 0 for no limit."""

    budget: int = setting(
        0,
        "Tokens of a text of the profile `plain`, 0 for no limit; the last sections go first.",
        minimum=0,
    )


@dataclass(frozen=True, slots=True)
class Config:
    """The configuration of a tree. written: what its file says, by dotted path. origins: where
    each setting comes from that is not the default, by dotted path. policy: the policies that hold
    over it, as sentences name them.
    """

    extends: tuple[str, ...] = setting(
        (),
        "Files whose settings are taken over, later ones over earlier: a path below the root, "
        "`user:NAME` in the user's configuration folder, `package:NAME/FILE` of an installed one.",
    )
    profile: str = setting("", "The profile of this tree; detected where it is empty.")
    matching: str = setting(
        "",
        "How recall and exclude words match; empty means as the profile says.",
        ("", "word", "substring"),
    )
    match_everything: bool = setting(
        False,
        "Match in fenced blocks and long pastes of a prompt too, not only in the user's own words.",
    )
    injection: str = setting(
        "delta",
        "Send only what is not in context yet, or the full block always.",
        ("delta", "always"),
    )
    refresh: str = setting(
        "essentials",
        "Which rules are injected again now and then though they are in context: the essentials "
        "(titles of articles, authority, non-negotiable domains), all, or none.",
        ("essentials", "all", "never"),
    )
    devmode: bool | None = setting(
        None, "Show the DEVMODE section; else as the manifest says.", kind="bool"
    )
    paths: PathSettings = field(default_factory=PathSettings)
    usage: UsageSettings = field(default_factory=UsageSettings)
    session: SessionSettings = field(default_factory=SessionSettings)
    log: LogSettings = field(default_factory=LogSettings)
    audit: AuditSettings = field(default_factory=AuditSettings)
    guard: GuardSettings = field(default_factory=GuardSettings)
    recovery: RecoverySettings = field(default_factory=RecoverySettings)
    learning: LearningSettings = field(default_factory=LearningSettings)
    sync: SyncSettings = field(default_factory=SyncSettings)
    commands: CommandSettings = field(default_factory=CommandSettings)
    activation: ActivationSettings = field(default_factory=ActivationSettings)
    memory: MemorySettings = field(default_factory=MemorySettings)
    brainiac: BrainiacSettings = field(default_factory=BrainiacSettings)
    section: tuple[SectionSpec, ...] = setting(
        (),
        "Sections of the profile `plain`, each a table of its own: `[[section]]`.",
        kind="records",
        fields=SECTION_FIELDS,
        exactly_one=(("label",), ("content", "file")),
    )
    adopted: tuple[AdoptedSource, ...] = setting(
        (),
        "Files of instructions whose rules count where they are, each a table of its own: "
        "`[[adopted]]`.",
        kind="records",
        fields=ADOPTED_FIELDS,
        exactly_one=(("path",),),
        is_located=True,
    )
    adoption: AdoptionSettings = field(default_factory=AdoptionSettings)
    plain: PlainSettings = field(default_factory=PlainSettings)
    workflow: WorkflowSettings = field(default_factory=WorkflowSettings)
    profiles: Mapping[str, Mapping[str, Any]] = setting(
        {}, "Profiles of your own.", kind="records-by-name", fields=PROFILE_OPTIONS
    )
    lint: LintSettings = field(default_factory=LintSettings)
    written: Mapping[str, Any] = field(default_factory=dict, compare=False, repr=False)
    origins: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    policy: str = ""


def _list_options(settings: type, prefix: str = "") -> Iterator[Option]:
    for row in fields(settings):
        if option := row.metadata.get("option"):
            yield option._replace(path=f"{prefix}{row.name}")
        elif row.name in GROUP_CLASSES:
            yield from _list_options(GROUP_CLASSES[row.name], f"{row.name}.")


# The classes of the tables that hold settings, by name.
GROUP_CLASSES: Mapping[str, Any] = {
    row.name: row.default_factory for row in fields(Config) if is_dataclass(row.default_factory)
}

# The settings in the order of their documentation.
CONFIG_OPTIONS = tuple(_list_options(Config))

# The settings by their dotted path.
BY_PATH: Mapping[str, Option] = {option.path: option for option in CONFIG_OPTIONS}

# The tables that hold settings.
GROUPS = frozenset(option.path.rpartition(".")[0] for option in CONFIG_OPTIONS) - {""}


def table_options(table: str) -> tuple[Option, ...]:
    """Return the settings of a table of the configuration that somebody has named, such as
    ``profiles.NAME``, and of each table in a list, such as ``section``; () for others.
    """
    if (known_option := BY_PATH.get(table)) and known_option.kind == "records":
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
