"""Every setting of ``.synapse/config.toml``: one table for defaults, validation and documentation."""

from __future__ import annotations

from collections.abc import Mapping

from synapse_ls.formats.brainiac.config import OPTIONS as BRAINIAC
from synapse_ls.formats.memory_options import OPTIONS as MEMORY
from synapse_ls.formats.option import Option
from synapse_ls.formats.profile_schema import PROFILE
from synapse_ls.formats.sections import OPTIONS as SECTIONS

CORES = (".aiox-core", ".aios-core")
"""The framework's folder, under its present and its former name."""

SYNCED = ("cursor", "copilot", "agents", "claude", "gemini")
"""What `synapse sync` can write, by the names of `synapse_ls.sync.registry`."""


def _both(path: str) -> tuple[str, ...]:
    return tuple(f"{core}/{path}" for core in CORES)


OPTIONS: tuple[Option, ...] = (
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
    Option("devmode", "bool", None, "Show the DEVMODE section; else as the manifest says."),
    Option(
        "paths.agents",
        "paths",
        (*_both("development/agents"), ".claude/agents"),
        "Folders with agent definitions.",
    ),
    Option("paths.tasks", "paths", _both("development/tasks"), "Folders with task files."),
    Option("paths.workflows", "paths", _both("development/workflows"), "Folders with workflows."),
    Option("paths.patterns", "paths", _both("data/workflow-patterns.yaml"), "Workflow patterns."),
    Option("paths.chains", "paths", _both("data/workflow-chains.yaml"), "Chains of workflows."),
    Option("paths.states", "paths", (".aiox", ".aios"), "Folders with workflow state files."),
    Option("paths.stories", "paths", ("docs/stories",), "Folders with stories."),
    Option("paths.squads", "paths", ("squads",), "Folders whose folders are squads."),
    Option("paths.constitution", "paths", _both("constitution.md"), "Sources of the constitution."),
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
        "How a new session is begun when one is needed: say the command, or run it, once a session.",
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
        SYNCED,
    ),
    Option(
        "sync.repeat",
        "texts",
        (),
        "Those of them that hold the rules even where the hook brings them.",
        SYNCED,
    ),
    Option(
        "commands.develop",
        "texts",
        (
            "develop",
            "develop-yolo",
            "develop-interactive",
            "develop-preflight",
            "develop-story",
        ),
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
        "Milliseconds in which everything about an agent has to be found out, the start of the command "
        "included.",
        minimum=20,
    ),
    Option(
        "activation.session_start",
        "bool",
        True,
        "Tell an agent that a session begins or goes on with where the project stands.",
    ),
    *MEMORY,
    *BRAINIAC,
    *SECTIONS,
    Option("workflow.aliases", "text-by-name", {}, 'Other ids of a workflow: other = "id".'),
    Option("workflow.phases", "tables-by-name", {}, "Other names of phases, by workflow."),
    Option("profiles", "records-by-name", {}, "Profiles of your own.", fields=PROFILE),
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

OTHER_NAMES: Mapping[str, str] = {
    "lint.disable": "ignore",
    "lint.enable": "select",
    "lint.extend-exclude": "exclude",
    "lint.extend-ignore": "ignore",
    "lint.extend-select": "select",
    "lint.per-file-ignores": "per_path",
}
"""What other linters call settings that there are here: dotted path -> our last name."""

BY_PATH: Mapping[str, Option] = {option.path: option for option in OPTIONS}
"""The settings by their dotted path."""

GROUPS = frozenset(option.path.rpartition(".")[0] for option in OPTIONS) - {""}
"""The tables that hold settings."""


def fields_of(table: str) -> tuple[Option, ...]:
    """The settings of a table that somebody has named, such as ``profiles.NAME``, and of each table in a
    list, such as ``section``; () for others."""
    known = BY_PATH.get(table)
    if known and known.kind == "records":
        return known.fields
    named = _named(table, OPTIONS)
    return named[0].fields if named and not named[1] else ()


def option_at(path: str) -> Option | None:
    """The setting at a dotted path, in tables that somebody has named too."""
    group, _, name = path.rpartition(".")
    inner = next((option for option in fields_of(group) if option.path == name), None)
    return BY_PATH.get(path) or inner


def _named(path: str, options: tuple[Option, ...]) -> tuple[Option, str] | None:
    """The innermost setting with named tables that a path leads into, and the rest of the path."""
    for option in options:
        if option.fields and path.startswith(f"{option.path}."):
            _, _, rest = path[len(option.path) + 1 :].partition(".")
            return _named(rest, option.fields) or (option, rest)
    return None
