"""List the commands by name: a new one is a `Command` in a module here and a line below.

The table is all that `synapse --help` needs; a command's module is imported when it is called.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, cast

from synapse_ls.cli.console import Console
from synapse_ls.text.lazy_import import load_module


class Option(NamedTuple):
    """An argument of a command: its names, and what argparse takes for it."""

    names: tuple[str, ...]
    settings: dict[str, Any]


class OptionGroup(NamedTuple):
    """Options under a heading; of those that are exclusive, which have none, one can be given."""

    items: tuple[Option | OptionGroup, ...]
    title: str = ""
    description: str | None = None
    is_exclusive: bool = False


def option(*names: str, **settings: Any) -> Option:
    """Return an argument that takes a value, with what argparse takes for it."""
    return Option(names, settings)


def switch(*names_and_help: str, **settings: Any) -> Option:
    """Return an option without a value; what it does is the last of its texts."""
    *names, text = names_and_help
    return Option(tuple(names), {"action": "store_true", "help": text, **settings})


def option_group(
    title: str, *items: Option | OptionGroup, description: str | None = None
) -> OptionGroup:
    """Return options under a heading."""
    return OptionGroup(items, title, description)


def exclusive(*items: Option) -> OptionGroup:
    """Return options of which one can be given."""
    return OptionGroup(items, is_exclusive=True)


class Command(NamedTuple):
    """A command as its own module describes it.

    examples: (what it is for, the command line). arguments: positionals and options, in order. run:
    does it and returns the exit code.
    """

    description: str
    examples: tuple[tuple[str, str], ...]
    arguments: tuple[Option | OptionGroup, ...]
    run: Callable[[Namespace, Console], int]


class CommandRow(NamedTuple):
    """A line of the table. name: the words that call it. target: module and attribute."""

    name: str
    target: str
    summary: str

    def load(self) -> Command:
        """Import the command's module and return the command."""
        module, _, attribute = self.target.partition(":")
        return cast("Command", getattr(load_module(f"synapse_ls.cli.{module}"), attribute))


GROUPS: tuple[tuple[str, tuple[CommandRow, ...]], ...] = (
    (
        "See what an agent gets",
        (
            CommandRow("context", "context:CONTEXT", "Print the block that an agent would get"),
            CommandRow(
                "explain", "explain:EXPLAIN", "Account for every rule: in the block, or why not"
            ),
            CommandRow("why", "why:WHY", "Say why one rule is in or out, and how to change that"),
            CommandRow(
                "status", "status:STATUS", "Show what the next prompt would be answered with"
            ),
            CommandRow("domains", "domain:DOMAINS", "List the domains of the tree"),
            CommandRow("guard", "guard:GUARD", "Say whether an agent may run a command"),
            CommandRow("log", "log:LOG", "Show what agents were told, when and why"),
            CommandRow("replay", "replay:REPLAY", "Play a past session against the tree of today"),
            CommandRow("coverage", "coverage:COVERAGE", "Say which rules never reach an agent"),
            CommandRow("audit", "audit:AUDIT", "Say which rules are followed, and which broken"),
            CommandRow(
                "diagnose", "diagnose:DIAGNOSE", "Report on everything, and on what is missing"
            ),
            CommandRow(
                "compact", "compact:COMPACT", "Make the history of a conversation fit a limit"
            ),
        ),
    ),
    (
        "Keep the tree sound",
        (
            CommandRow("check", "check:CHECK", "Find what is malformed or dead in the tree"),
            CommandRow("fmt", "fmt:FMT", "Lay out manifests, rule files and squads"),
            CommandRow("rule", "rule:RULE", "Explain a rule of the linter"),
            CommandRow("schema", "schema:SCHEMA", "Print the JSON Schema of a format"),
            CommandRow("test", "test:TEST", "Check that the block says what it has to"),
            CommandRow("diff", "diff:DIFF", "Show what a change to the tree does to the blocks"),
        ),
    ),
    (
        "Change the tree",
        (
            CommandRow("init", "init:INIT", "Create a tree, or adopt the rules you have"),
            CommandRow("migrate", "migrate:MIGRATE", "Turn a CARL tree into one of .synapse/"),
            CommandRow(
                "constitution build",
                "constitution:BUILD",
                "Write the constitution from its Markdown source",
            ),
            CommandRow(
                "constitution check",
                "constitution:CHECK",
                "Say what in it is out of date with the source",
            ),
            CommandRow(
                "rename",
                "domain:RENAME_EVERYWHERE",
                "Rename a domain, an agent or a squad everywhere",
            ),
            CommandRow("domain new", "domain:NEW", "Declare a domain and create its file"),
            CommandRow(
                "domain show", "domain:SHOW", "Show one domain: settings, triggers and rules"
            ),
            CommandRow("domain toggle", "domain:TOGGLE", "Switch a domain on or off"),
            CommandRow("domain rename", "domain:RENAME", "Rename a domain wherever it is named"),
            CommandRow(
                "domain suggest", "domain:SUGGEST", "Say which domain a new rule belongs in"
            ),
            CommandRow("domain rule add", "domain:ADD_RULE", "Add a rule to a domain"),
            CommandRow("domain rule edit", "domain:EDIT_RULE", "Give a rule another text"),
            CommandRow("domain rule remove", "domain:REMOVE_RULE", "Take a rule out"),
        ),
    ),
    (
        "Choose a profile",
        (
            CommandRow(
                "profile list", "profile:LIST", "List the profiles, and which one is in force"
            ),
            CommandRow("profile show", "profile:SHOW", "Show what a profile says"),
            CommandRow("profile diff", "profile:DIFF", "Show where two profiles differ"),
            CommandRow("profile use", "profile:USE", "Name the profile of the tree"),
        ),
    ),
    (
        "Remember",
        (
            CommandRow("memory add", "memory_maintenance:ADD", "Remember something"),
            CommandRow(
                "memory list", "memory:LIST", "List what is remembered, with what it is worth"
            ),
            CommandRow(
                "memory show", "memory:SHOW", "Show one memory, and what its score is made of"
            ),
            CommandRow("memory search", "memory:SEARCH", "Find memories by what they are about"),
            CommandRow(
                "memory confirm", "memory_maintenance:CONFIRM", "Count one more piece of evidence"
            ),
            CommandRow(
                "memory forget",
                "memory_maintenance:FORGET",
                "Put memories away; they can come back",
            ),
            CommandRow(
                "memory restore", "memory_maintenance:RESTORE", "Bring forgotten memories back"
            ),
            CommandRow("memory stats", "memory:STATS", "Count memories by tier, sector and owner"),
            CommandRow(
                "memory gc", "memory_maintenance:GC", "Put away what has expired or nobody needs"
            ),
            CommandRow(
                "memory short-term show",
                "memory_maintenance:SHORT_TERM_SHOW",
                "Show the short-term memory (Brainiac)",
            ),
            CommandRow(
                "memory short-term set",
                "memory_maintenance:SHORT_TERM_SET",
                "Change its summary and its data",
            ),
            CommandRow(
                "memory short-term log",
                "memory_maintenance:SHORT_TERM_LOG",
                "Put an event on top of its log",
            ),
            CommandRow(
                "memory short-term clear",
                "memory_maintenance:SHORT_TERM_CLEAR",
                "Leave only what is still open",
            ),
            CommandRow(
                "memory migrate", "memory_maintenance:MIGRATE", "Bring memories of other tools here"
            ),
            CommandRow("recover", "recover:RECOVER", "Say whether a session should go on, and how"),
            CommandRow(
                "handoff",
                "recover:HANDOFF_COMMAND",
                "Write down where a session is, for the next one",
            ),
            CommandRow("learn list", "learn:LIST", "List rules that could be made of corrections"),
            CommandRow(
                "learn show", "learn:SHOW", "Show what a proposal is made of, and would change"
            ),
            CommandRow("learn accept", "learn:ACCEPT", "Make a proposal a rule"),
            CommandRow("learn reject", "learn:REJECT", "Refuse a proposal"),
            CommandRow("learn revert", "learn:REVERT", "Take back what was accepted or refused"),
        ),
    ),
    (
        "Serve editors",
        (
            CommandRow(
                "serve",
                "protocol_servers:SERVE",
                "Speak the Language Server Protocol (editors call this)",
            ),
        ),
    ),
    (
        "Serve shells",
        (
            CommandRow(
                "completion", "completion:COMPLETION", "Make a shell complete what you type"
            ),
            CommandRow(
                "completion candidates",
                "completion:CANDIDATES",
                "Say how a command line can go on (shells call this)",
            ),
        ),
    ),
    (
        "Serve agents",
        (
            CommandRow("install", "install:INSTALL", "Have agent clients call the hook"),
            CommandRow("uninstall", "uninstall:UNINSTALL", "Take the hook out of agent clients"),
            CommandRow(
                "doctor", "doctor:DOCTOR", "Call the hook as clients do, and say what is wrong"
            ),
            CommandRow(
                "sync", "sync:SYNC", "Write the rules into files that agents read by themselves"
            ),
            CommandRow(
                "activate", "activate:ACTIVATE", "Bring an agent up: greeting, project, workflow"
            ),
            CommandRow("trust", "trust:TRUST", "Name the trees that a hook of the user may serve"),
            CommandRow(
                "hook", "hook:HOOK", "Answer an event of an agent client (clients call this)"
            ),
            CommandRow(
                "mcp",
                "protocol_servers:MCP",
                "Speak the Model Context Protocol (agent clients call this)",
            ),
            CommandRow(
                "hook-server",
                "hook:HOOK_SERVER",
                "Answer all events of an agent client (clients start this)",
            ),
            CommandRow(
                "statusline",
                "protocol_servers:STATUSLINE",
                "Show Claude Code what is left of the window",
            ),
            CommandRow("session list", "session:LIST", "List the sessions, the latest first"),
            CommandRow("session show", "session:SHOW", "Show what is known of a session"),
            CommandRow(
                "session set", "session:SET", "Set a session's agent, workflow, task or squad"
            ),
            CommandRow("session reset", "session:RESET", "Have everything told to a session again"),
            CommandRow(
                "session clean", "session:CLEAN", "Archive sessions nobody has used for long"
            ),
            CommandRow("session migrate", "session:MIGRATE", "Bring sessions of other tools here"),
        ),
    ),
)

ROWS = {row.name: row for _, rows in GROUPS for row in rows}

# What a newcomer needs, in the order of a first day: it leads `synapse --help`.
FIRST_COMMANDS = ("init", "install", "doctor", "context", "check")

# What stands for several commands in `synapse --help`, and heads their own help.
FAMILIES = {
    "constitution": "Build the constitution from its source, and check it",
    "learn": "List, show, accept, reject and revert what could be learned",
    "memory": "Add, list, search, forget and restore what agents remember",
    "memory short-term": "Show, change and clear the short-term memory of Brainiac",
    "domain": "Create, show, switch, rename and fill domains",
    "domain rule": "Add, edit and remove single rules",
    "profile": "List, show, compare and choose profiles",
    "session": "List, show, set, reset, archive and migrate sessions",
}


def match_command(words: Sequence[str]) -> str:
    """Return the longest name of a command or a family in the table that ``words`` begin with, ""
    for none.
    """
    for length in range(min(len(words), 3), 0, -1):
        name = " ".join(words[:length])
        if name in ROWS or name in FAMILIES:
            return name
    return ""


def family_members(family: str) -> list[tuple[str, str]]:
    """Return (name, summary) of the commands in the table directly under ``family``; "" is the
    program itself.
    """
    start = f"{family} " if family else ""
    summaries: dict[str, str] = {}
    for name, row in ROWS.items():
        if name.startswith(start):
            child = start + name[len(start) :].partition(" ")[0]
            summaries[child] = FAMILIES.get(child) or ROWS.get(child, row).summary
    return list(summaries.items())
