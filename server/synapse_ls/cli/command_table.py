"""The table of all commands, and what a command is made of.

A new command is a function under `command` and a row of the table. `synapse --help` needs the table
only; a command's module is imported when it is called.
"""

from __future__ import annotations

import re
from argparse import ArgumentTypeError, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from synapse_ls.cli.console import Console
from synapse_ls.text.edit_distance import nearest_word
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


class ChoiceType:
    """An argparse type for options that take one of a few words.

    names: the words. aliases: other words for them. takes_list: several, with commas; then the
    value is a list.
    """

    def __init__(
        self,
        names: Iterable[str],
        *,
        aliases: Mapping[str, str] = MappingProxyType({}),
        takes_list: bool = False,
    ) -> None:
        self.names = tuple(names)
        self.takes_list = takes_list
        self._aliases = aliases

    def __call__(self, value: str) -> Any:
        """Return the word, or the list; raise ArgumentTypeError for any other."""
        if self.takes_list:
            return [self._check_word(word.strip()) for word in value.split(",")]
        return self._check_word(value)

    def _check_word(self, value: str) -> str:
        if (value := self._aliases.get(value, value)) not in self.names:
            nearest = nearest_word(value, self.names)
            hint = f' (did you mean "{nearest}"?)' if nearest else ""
            raise ArgumentTypeError(f'takes {self}, not "{value}"{hint}')
        return value

    def __str__(self) -> str:
        return f"{', '.join(self.names[:-1])} or {self.names[-1]}"


def option(
    name_and_value: str, text: str, *, choices: Iterable[str] | ChoiceType = (), **settings: Any
) -> Option:
    """Return an argument that takes a value, such as "--agent ID": what it means, and what argparse
    takes for it. An option for any text is "" where it is not given.

    choices: the words of which it takes one; they stand for ``{}`` in the text.
    """
    name, metavar = name_and_value.split()
    if choices:
        settings["type"] = choices if isinstance(choices, ChoiceType) else ChoiceType(choices)
        text = text.replace("{}", str(settings["type"]))
    elif name.startswith("-") and settings.keys().isdisjoint(("action", "nargs", "type")):
        settings.setdefault("default", "")
    return Option((name,), {"metavar": metavar, "help": text, **settings})


def repeated_option(name_and_value: str, text: str, **settings: Any) -> Option:
    """Return an option that may be given again; its value is a list."""
    return option(name_and_value, text, action="append", default=[], **settings)


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

    arguments: positionals and options, in order. run: does it and returns the exit code; its
    docstring is the page of the command.
    """

    arguments: tuple[Option | OptionGroup, ...]
    run: Callable[[Namespace, Console], int | None]

    @property
    def examples(self) -> list[tuple[str, str]]:
        """What the command is good for: (what for, the command line)."""
        return re.findall(r"(?m)^# (.*)\n\$ (.*)$", self._page()[1])

    @property
    def description(self) -> str:
        """What the command does, in paragraphs."""
        return self._page()[0]

    def _page(self) -> tuple[str, str]:
        from inspect import cleandoc  # it takes longer to import than all that is left here

        text, _, listed = cleandoc(self.run.__doc__ or "").partition("\n\nExamples:\n")
        return text, listed


def command(
    *arguments: Option | OptionGroup,
) -> Callable[[Callable[[Namespace, Console], int | None]], Command]:
    """Make the function that runs it a command, which its docstring describes, with examples."""
    return lambda run: Command(arguments, run)


class CommandRow(NamedTuple):
    """A line of the table. name: the words that call it. target: module and attribute."""

    name: str
    target: str
    summary: str

    def load(self) -> Command:
        """Import the command's module and return the command."""
        module, _, attribute = self.target.partition(":")
        return cast("Command", getattr(load_module(f"synapse_ls.cli.{module}"), attribute))


# A heading, and a line for each command below it: its name, where it is, and what it does.
_TABLE = """\
See what an agent gets
context | explain:run_context | Print the block that an agent would get
explain | explain:run | Account for every rule: in the block, or why not
why | explain:run_why | Say why one rule is in or out, and how to change that
status | status:run | Show what the next prompt would be answered with
domains | domain:run_domains | List the domains of the tree
guard | guard:run | Say whether an agent may run a command
log | log:run | Show what agents got, when and why
replay | replay:run | Play a past session against the tree of today
coverage | coverage:run | Say which rules never reach an agent
audit | audit:run | Say which rules are followed, and which broken
diagnose | doctor:run_diagnose | Report on everything, and on what is missing
compact | compact:run | Make the history of a conversation fit a limit

Keep the tree sound
check | check:run | Find what is malformed or dead in the tree
fmt | fmt:run | Lay out manifests, rule files and squads
rule | rule:run | Explain a rule of the linter
schema | schema:run | Print the JSON Schema of a format
test | test:run | Check that the block says what it has to
diff | diff:run | Show what a change to the tree does to the blocks

Change the tree
init | init:run | Create a tree, or adopt the rules you have
migrate | migrate:run | Turn a CARL tree into one of .synapse/
constitution build | constitution:run_build | Write the constitution from its Markdown source
constitution check | constitution:run_check | Say what in it is out of date with the source
rename | domain:run_rename_everywhere | Rename a domain, an agent or a squad everywhere
domain new | domain:run_new | Declare a domain and create its file
domain show | domain:run_show | Show one domain: settings, triggers and rules
domain toggle | domain:run_toggle | Switch a domain on or off
domain rename | domain:run_rename | Rename a domain wherever it is named
domain suggest | domain:run_suggest | Say which domain a new rule belongs in
domain rule add | domain:run_rule_add | Add a rule to a domain
domain rule edit | domain:run_rule_edit | Give a rule another text
domain rule remove | domain:run_rule_remove | Take a rule out

Choose a profile
profile list | profile:run_list | List the profiles, and which one is in force
profile show | profile:run_show | Show what a profile says
profile diff | profile:run_diff | Show where two profiles differ
profile use | profile:run_use | Name the profile of the tree

Remember
memory add | memory_maintenance:run_add | Remember something
memory list | memory:run_list | List what is remembered, with what it is worth
memory show | memory:run_show | Show one memory, and what its score is made of
memory search | memory:run_search | Find memories by what they are about
memory confirm | memory_maintenance:run_confirm | Count one more piece of evidence
memory forget | memory_maintenance:run_forget | Put memories away; they can come back
memory restore | memory_maintenance:run_restore | Bring forgotten memories back
memory stats | memory:run_stats | Count memories by tier, sector and owner
memory gc | memory_maintenance:run_gc | Put away what has expired or nobody needs
memory short-term show | memory_maintenance:run_show | Show the short-term memory (Brainiac)
memory short-term set | memory_maintenance:run_set | Change its summary and its data
memory short-term log | memory_maintenance:run_log | Put an event on top of its log
memory short-term clear | memory_maintenance:run_clear | Leave only what is still open
memory migrate | memory_maintenance:run_migrate | Bring memories of other tools here
recover | recover:run_recover | Say whether a session should go on, and how
handoff | recover:run_handoff | Write down where a session is, for the next one
learn list | learn:run_list | List rules that could be made of corrections
learn show | learn:run_show | Show what a proposal is made of, and would change
learn accept | learn:run_accept | Make a proposal a rule
learn reject | learn:run_reject | Refuse a proposal
learn revert | learn:run_revert | Take back what was accepted or refused

Serve editors
serve | protocol_servers:run_serve | Speak the Language Server Protocol (editors call this)

Serve shells
completion | completion:print_script | Make a shell complete what you type
completion candidates | completion:run_words | Say how a command line can go on (shells call this)

Serve agents
install | install:run | Have agent clients call the hook
uninstall | install:run_uninstall | Take the hook out of agent clients
doctor | doctor:run | Call the hook as clients do, and say what is wrong
sync | sync:run | Write the rules into files that agents read by themselves
activate | activate:run | Activate an agent: greeting, project, workflow
trust | trust:run | Name the trees that a hook of the user may serve
policy | trust:run_policy | Say which settings hold, and who decided them
hook | hook:run_hook | Answer an event of an agent client (clients call this)
mcp | protocol_servers:run_mcp | Speak the Model Context Protocol (agent clients call this)
hook-server | hook:run_server | Answer all events of an agent client (clients start this)
statusline | protocol_servers:run_statusline | Show Claude Code what is left of the window
session list | session:run_list | List the sessions, the latest first
session show | session:run_show | Show what is known of a session
session set | session:run_set | Set a session's agent, workflow, task or squad
session reset | session:run_reset | Have everything injected into a session again
session clean | session:run_clean | Archive sessions nobody has used for long
session migrate | session:run_migrate | Bring sessions of other tools here
"""


def _read_table() -> Iterator[tuple[str, tuple[CommandRow, ...]]]:
    for group in _TABLE.rstrip().split("\n\n"):
        title, *lines = group.split("\n")
        yield title, tuple(CommandRow(*line.split(" | ")) for line in lines)


GROUPS = tuple(_read_table())

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
        if (name := " ".join(words[:length])) in ROWS or name in FAMILIES:
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
