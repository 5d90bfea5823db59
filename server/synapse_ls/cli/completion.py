"""``synapse completion``: make a shell complete commands, options and names of the tree."""

import re
import sys
from argparse import Action, Namespace
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from synapse_ls.cli import command_parser, glossary
from synapse_ls.cli.command_table import (
    ROWS,
    ChoiceType,
    command,
    family_members,
    match_command,
    option,
)
from synapse_ls.cli.console import Console, escape_controls
from synapse_ls.ide.tree_view import CompiledTree
from synapse_ls.integrations.instruction_files import TARGETS
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.queries import profile_report, session_lookup, situation_report
from synapse_ls.storage.session_archive import list_sessions
from synapse_ls.storage.session_store import sessions_folder
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.tree_loader import load_tree
from synapse_ls.workspace.tree_search_upward import find_root

# What stands in place of candidates where the shell completes files or folders itself.
FILES, FOLDERS = ":files", ":folders"

_PLAIN_NAME = re.compile(r"\w[\w./@:+,-]*")
_FILE_METAVARS = frozenset(("FILE", "PATH", "TRANSCRIPT", "HISTORY", "OUT"))
_FOLDER_METAVARS = frozenset(("DIR",))


class Candidate(NamedTuple):
    """A word by which the one that is being typed in a shell can be completed, and what it is."""

    word: str
    summary: str = ""


def complete_words(words: Sequence[str]) -> list[Candidate]:
    """Complete the last of the ``words`` in a shell (those after the program's name): return how it
    can go on.

    A single candidate `FILES` or `FOLDERS` leaves it to the shell. ``--option=value`` may be one
    word, or three as bash parts them.
    """
    joined: list[str] = []
    for word in words:
        if joined and (word == "=" or joined[-1].endswith("=")) and joined[-1].startswith("--"):
            joined[-1] += word
        else:
            joined.append(word)
    *before, typed = joined or [""]
    prefix = ""
    if typed.startswith("--") and "=" in typed:
        option, _, typed = typed.partition("=")
        prefix = "" if "=" in words[-2:] else f"{option}="
        before = [*before, option]
    if (candidates := list(_candidates(before, typed))) and candidates[0].word in (FILES, FOLDERS):
        return candidates[:1]
    fitting = {
        candidate.word: Candidate(f"{prefix}{candidate.word}", candidate.summary)
        for candidate in candidates
        if candidate.word.startswith(typed)
    }
    return list(fitting.values())


def _candidates(before: Sequence[str], typed: str) -> Iterator[Candidate]:
    # The words from the command on.
    rest = list(before)
    while rest and rest[0].startswith("-"):
        del rest[: 2 if rest[0] in ("--root", "--color") else 1]
    if rest[:1] == ["help"]:
        # What `synapse help` explains: commands, and word that they print.
        explained = match_command(rest[1:])
        if rest[1:] == explained.split() and explained not in ROWS:
            yield from _member_candidates(explained)
        if not rest[1:]:
            yield from map(Candidate, (glossary.ALL_WORDS, *glossary.all_words()))
        return
    if (name := match_command(rest)) not in ROWS:
        if rest != name.split():
            return
        if typed.startswith("-") or (before and before[-1] in ("--root", "--color")):
            yield from _argument_candidates(command_parser.create_program_parser(), before, typed)
            return
        yield from _member_candidates(name)
        return
    parser = command_parser.Parser(name)
    yield from _argument_candidates(parser, rest[len(name.split()) :], typed, before)


def _member_candidates(family: str) -> Iterator[Candidate]:
    for member, summary in family_members(family):
        yield Candidate(member.rpartition(" ")[2], summary)


def _argument_candidates(
    parser: command_parser.Parser, words: Sequence[str], typed: str, every: Sequence[str] = ()
) -> Iterator[Candidate]:
    options = parser._option_string_actions
    positionals, previous = 0, None
    for word in words:
        if previous is not None:
            previous = None  # the value of the option before
        elif word in options:
            previous = options[word] if options[word].nargs != 0 else None
        elif not word.startswith("-"):
            positionals += 1
    if previous is not None:
        yield from _value_candidates(previous, typed, parser.name, every or words)
        return
    if typed.startswith("-"):
        yield from (
            Candidate(name, action.help or "")
            for name, action in options.items()
            if name.startswith("--") and action.help
        )
        return
    places = parser._get_positional_actions()
    if places and (positionals < len(places) or places[-1].nargs in ("*", "+")):
        place = places[min(positionals, len(places) - 1)]
        yield from _value_candidates(place, typed, parser.name, every or words)


def _value_candidates(
    action: Action, typed: str, command: str, words: Sequence[str]
) -> Iterator[Candidate]:
    if isinstance(action.type, ChoiceType):
        start = f"{typed.rpartition(',')[0]}," if action.type.takes_list and "," in typed else ""
        yield from (Candidate(start + name) for name in action.type.names)
        return
    metavar = str(action.metavar or "")
    names = [f"{name} {metavar}" for name in action.option_strings]
    names += [] if action.option_strings else [f"{command} {metavar}", metavar]
    if kind := next((_KINDS_OF_VALUES[name] for name in names if name in _KINDS_OF_VALUES), ""):
        # A shell inserts them as they are.
        yield from (c for c in _tree_candidates(kind, words) if _PLAIN_NAME.fullmatch(c.word))
    elif metavar in _FOLDER_METAVARS:
        yield Candidate(FOLDERS)
    elif metavar in _FILE_METAVARS:
        yield Candidate(FILES)


def _tree_candidates(kind: str, words: Sequence[str]) -> Iterator[Candidate]:
    """Yield the values of a kind, most of which the tree that the words are about has."""
    if kind == "codes":
        yield from (Candidate(rule.code, rule.name) for rule in all_rules())
    if kind == "targets":
        yield from map(Candidate, TARGETS)
    start = next((b for a, b in pairwise(words) if a == "--root"), ".")
    root = find_root(str(Path(start).expanduser().absolute()))
    if not root or kind in ("codes", "targets"):
        return
    if kind == "sessions":
        yield Candidate(session_lookup.CURRENT_NAME)
        yield from (Candidate(info.session_id) for info in list_sessions(sessions_folder(root)))
        return
    tree = load_tree(root, LoadScope.ALL).tree
    if kind == "domains":
        yield from map(Candidate, tree.domains_by_label)
    elif kind == "rules":
        for domain in tree.domains_by_label.values():
            yield from (Candidate(rule.key, rule.text) for rule in tree.rules_of(domain))
    elif kind == "profiles":
        yield from (Candidate(profile["name"]) for profile in profile_report.list_profiles(tree))
    else:
        report = situation_report.choices_report(CompiledTree(tree, root))
        if kind == "brackets":
            yield from (Candidate(choice.name) for choice in report.brackets)
        elif kind == "phases":
            yield from (Candidate(name) for choice in report.workflows for name in choice.phases)
        else:
            yield from (Candidate(choice.id, choice.title) for choice in getattr(report, kind))


# An option or a place, with its metavar -> the kind of its values.
_KINDS_OF_VALUES = {
    place: kind
    for kind, places in {
        "agents": ("--agent ID", "AGENT"),
        "workflows": ("--workflow ID",),
        "phases": ("--phase NAME",),
        "tasks": ("--task ID",),
        "stories": ("--story ID",),
        "squads": ("--squad NAME",),
        "brackets": ("--bracket NAME",),
        "domains": (
            "--domain NAME",
            "DOMAIN",
            "domain show NAME",
            "domain toggle NAME",
            "domain rename NAME",
        ),
        "rules": ("RULE",),
        "profiles": ("--profile NAME", "profile show NAME", "profile use NAME", "ONE", "OTHER"),
        "sessions": ("--session ID", "session show ID", "session set ID", "session reset ID"),
        "codes": ("--select CODES", "--ignore CODES", "CODE"),
        "targets": ("TARGET",),
    }.items()
    for place in places
}


# Shell -> how the file with its script beside this module ends, and what is escaped there within
# single quotes, and how.
_SCRIPTS = {
    "bash": ("bash", "'", r"'\\''"),
    "zsh": ("zsh", "'", r"'\\''"),
    "fish": ("fish", r"[\\']", r"\\\g<0>"),
    "powershell": ("ps1", "['\u2018-\u201b]", r"\g<0>\g<0>"),
}


@command(option("shell SHELL", "{}", choices=_SCRIPTS))
def print_script(options: Namespace, console: Console) -> None:
    """Prints a script that makes a shell complete commands, options, rules of the linter, and the
    names that the tree of the working directory has: agents, workflows, domains, rules, sessions.
    What it offers is found anew each time, so the script stays as it is when Synapse LS gets newer.
    It calls this installation by its full path, whichever `synapse` is typed.

    Examples:

    # bash: now, and in each new shell
    $ synapse completion bash >> ~/.bashrc

    # zsh
    $ synapse completion zsh > "${fpath[1]}/_synapse"

    # fish
    $ synapse completion fish > ~/.config/fish/completions/synapse.fish

    # PowerShell
    $ synapse completion powershell >> $PROFILE
    """
    ending, special, escaped = _SCRIPTS[options.shell]
    script = Path(__file__).with_name(f"completion.{ending}").read_text(encoding="utf-8")
    # The program of the line that is typed may be a file of the working directory.
    console.write(script.replace("PYTHON", f"'{re.sub(special, escaped, sys.executable)}'"))


@command(
    option(
        "words WORDS",
        "what is written behind `synapse`, up to the word that is being typed, which may be empty",
        nargs="...",
    )
)
def run_words(options: Namespace, console: Console) -> None:
    """Prints a line for each completion of the last word: the word, a tab, and what it is.
    A line ":files" or ":folders" leaves it to the shell. Names that would mean something to a shell
    are left out.

    Examples:

    # Which options begin like this?
    $ synapse completion candidates -- context --ag

    # Which agents are there?
    $ synapse completion candidates -- context --agent ""
    """
    words = options.words
    with suppress(Exception):  # somebody is typing: a broken tree is not what this is about
        for candidate in complete_words(words[1:] if words[:1] == ["--"] else words):
            summary = escape_controls(" ".join(candidate.summary.split()))
            console.write(f"{candidate.word}\t{summary}\n" if summary else f"{candidate.word}\n")
