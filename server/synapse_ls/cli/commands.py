"""The commands by name: a new one is a `Command` in a module here and a line below.

The table is all that `synapse --help` needs; a command's module is imported when it is called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from synapse_ls.text.lazy import load

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Callable, Sequence

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser


class Command(NamedTuple):
    """A command as its own module describes it.

    examples: (what it is for, the command line). arguments: adds positionals and options. run: does
    it and returns the exit code.
    """

    description: str
    examples: tuple[tuple[str, str], ...]
    arguments: Callable[[Parser], None]
    run: Callable[[Namespace, Console], int]


class Row(NamedTuple):
    """A line of the table. name: the words that call it. place: module and attribute."""

    name: str
    place: str
    summary: str

    def load(self) -> Command:
        """The command, imported."""
        module, _, attribute = self.place.partition(":")
        return cast("Command", getattr(load(f"synapse_ls.cli.{module}"), attribute))


GROUPS: tuple[tuple[str, tuple[Row, ...]], ...] = (
    (
        "See what an agent gets",
        (
            Row("context", "context:CONTEXT", "Print the block that an agent would get"),
            Row("explain", "explain:EXPLAIN", "Account for every rule: in the block, or why not"),
            Row("why", "why:WHY", "Say why one rule is in or out, and how to change that"),
            Row("status", "status:STATUS", "Show what the next prompt would be answered with"),
            Row("domains", "domains:DOMAINS", "List the domains of the tree"),
            Row("guard", "guard:GUARD", "Say whether an agent may run a command"),
            Row("log", "log:LOG", "Show what agents were told, when and why"),
            Row("replay", "replay:REPLAY", "Play a past session against the tree of today"),
            Row("coverage", "coverage:COVERAGE", "Say which rules never reach an agent"),
            Row("diagnose", "diagnose:DIAGNOSE", "Report on everything, and on what is missing"),
            Row("compact", "compact:COMPACT", "Make the history of a conversation fit a limit"),
        ),
    ),
    (
        "Keep the tree sound",
        (
            Row("check", "check:CHECK", "Find what is malformed or dead in the tree"),
            Row("fmt", "fmt:FMT", "Lay out manifests, rule files and squads"),
            Row("rule", "rule:RULE", "Explain a rule of the linter"),
            Row("schema", "schema:SCHEMA", "Print the JSON Schema of a format"),
            Row("test", "test:TEST", "Check that the block says what it has to"),
            Row("diff", "diff:DIFF", "Show what a change to the tree does to the blocks"),
        ),
    ),
    (
        "Change the tree",
        (
            Row("init", "init:INIT", "Create a tree, or adopt the rules you have"),
            Row("migrate", "migrate:MIGRATE", "Turn a CARL tree into one of .synapse/"),
            Row(
                "constitution build",
                "constitution:BUILD",
                "Write the constitution from its Markdown source",
            ),
            Row(
                "constitution check",
                "constitution:CHECK",
                "Say what in it is out of date with the source",
            ),
            Row("rename", "rename:RENAME", "Rename a domain, an agent or a squad everywhere"),
            Row("domain new", "domain:NEW", "Declare a domain and create its file"),
            Row("domain show", "domain:SHOW", "Show one domain: settings, triggers and rules"),
            Row("domain toggle", "domain:TOGGLE", "Switch a domain on or off"),
            Row("domain rename", "domain:RENAME", "Rename a domain wherever it is named"),
            Row("domain suggest", "domain:SUGGEST", "Say which domain a new rule belongs in"),
            Row("domain rule add", "domain_rule:ADD", "Add a rule to a domain"),
            Row("domain rule edit", "domain_rule:EDIT", "Give a rule another text"),
            Row("domain rule remove", "domain_rule:REMOVE", "Take a rule out"),
        ),
    ),
    (
        "Choose a profile",
        (
            Row("profile list", "profile:LIST", "List the profiles, and which one is in force"),
            Row("profile show", "profile:SHOW", "Show what a profile says"),
            Row("profile diff", "profile:DIFF", "Show where two profiles differ"),
            Row("profile use", "profile:USE", "Name the profile of the tree"),
        ),
    ),
    (
        "Remember",
        (
            Row("memory add", "memory_change:ADD", "Remember something"),
            Row("memory list", "memory:LIST", "List what is remembered, with what it is worth"),
            Row("memory show", "memory:SHOW", "Show one memory, and what its score is made of"),
            Row("memory search", "memory:SEARCH", "Find memories by what they are about"),
            Row("memory confirm", "memory_change:CONFIRM", "Count one more piece of evidence"),
            Row("memory forget", "memory_change:FORGET", "Put memories away; they can come back"),
            Row("memory restore", "memory_change:RESTORE", "Bring forgotten memories back"),
            Row("memory stats", "memory:STATS", "Count memories by tier, sector and owner"),
            Row("memory gc", "memory_change:GC", "Put away what has expired or nobody needs"),
            Row(
                "memory short-term show", "short_term:SHOW", "Show the short-term memory (Brainiac)"
            ),
            Row("memory short-term set", "short_term:SET", "Change its summary and its data"),
            Row("memory short-term log", "short_term:LOG", "Put an event on top of its log"),
            Row("memory short-term clear", "short_term:CLEAR", "Leave only what is still open"),
            Row("memory migrate", "memory_migrate:MIGRATE", "Bring memories of other tools here"),
            Row("recover", "recover:RECOVER", "Say whether a session should go on, and how"),
            Row("handoff", "handoff:HANDOFF", "Write down where a session is, for the next one"),
            Row("learn list", "learn:LIST", "List rules that could be made of corrections"),
            Row("learn show", "learn:SHOW", "Show what a proposal is made of, and would change"),
            Row("learn accept", "learn:ACCEPT", "Make a proposal a rule"),
            Row("learn reject", "learn:REJECT", "Refuse a proposal"),
            Row("learn revert", "learn:REVERT", "Take back what was accepted or refused"),
        ),
    ),
    (
        "Serve editors",
        (Row("serve", "serve:SERVE", "Speak the Language Server Protocol (editors call this)"),),
    ),
    (
        "Serve agents",
        (
            Row("install", "install:INSTALL", "Have agent clients call the hook"),
            Row("uninstall", "uninstall:UNINSTALL", "Take the hook out of agent clients"),
            Row("doctor", "doctor:DOCTOR", "Call the hook as clients do, and say what is wrong"),
            Row("sync", "sync:SYNC", "Write the rules into files that agents read by themselves"),
            Row("activate", "activate:ACTIVATE", "Bring an agent up: greeting, project, workflow"),
            Row("trust", "trust:TRUST", "Name the trees that a hook of the user may serve"),
            Row("hook", "hook:HOOK", "Answer an event of an agent client (clients call this)"),
            Row("mcp", "mcp:MCP", "Speak the Model Context Protocol (agent clients call this)"),
            Row(
                "statusline", "statusline:STATUSLINE", "Show Claude Code what is left of the window"
            ),
            Row("session list", "session:LIST", "List the sessions, the latest first"),
            Row("session show", "session:SHOW", "Show what is known of a session"),
            Row(
                "session set",
                "session_change:SET",
                "Set a session's agent, workflow, task or squad",
            ),
            Row("session reset", "session_change:RESET", "Have everything told to a session again"),
            Row(
                "session clean", "session_change:CLEAN", "Archive sessions nobody has used for long"
            ),
            Row("session migrate", "session_migrate:MIGRATE", "Bring sessions of other tools here"),
        ),
    ),
)

ROWS = {row.name: row for _, rows in GROUPS for row in rows}

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


def called(words: Sequence[str]) -> str:
    """The longest name of a command or a family that ``words`` begin with, "" for none."""
    for length in range(min(len(words), 3), 0, -1):
        name = " ".join(words[:length])
        if name in ROWS or name in FAMILIES:
            return name
    return ""


def members(family: str) -> list[tuple[str, str]]:
    """(name, summary) of what stands directly under ``family``; "" is the program itself."""
    start = f"{family} " if family else ""
    found: dict[str, str] = {}
    for name, row in ROWS.items():
        if name.startswith(start):
            child = start + name[len(start) :].partition(" ")[0]
            found[child] = FAMILIES.get(child) or row.summary
    return list(found.items())
