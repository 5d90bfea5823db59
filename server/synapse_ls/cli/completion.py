"""``synapse completion``: make a shell complete commands, options and names of the tree."""

import re
from argparse import Action, Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from synapse_ls.cli.command_parser import Parser, create_program_parser
from synapse_ls.cli.command_table import (
    ROWS,
    ChoiceType,
    command,
    family_members,
    match_command,
    option,
)
from synapse_ls.cli.console import Console, escape_controls
from synapse_ls.cli.help_pages import ALL_WORDS, all_words
from synapse_ls.ide.tree_view import CompiledTree
from synapse_ls.integrations.instruction_files import TARGETS
from synapse_ls.lint.rule_registry import all_rules
from synapse_ls.queries.profile_report import list_profiles
from synapse_ls.queries.session_report import CURRENT_NAME
from synapse_ls.queries.situation_choices import choices_report
from synapse_ls.storage.session_archive import list_sessions
from synapse_ls.storage.session_store import sessions_folder
from synapse_ls.workspace.file_kinds import LoadScope
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_discovery import find_root
from synapse_ls.workspace.tree_loader import load_tree

# What stands in place of candidates where the shell completes files or folders itself.
FILES, FOLDERS = ":files", ":folders"

_PLAIN_NAME = re.compile(r"[\w][\w./@:+,-]*")
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
    *before, typed = _join_equals(words) if words else [""]
    prefix = ""
    if typed.startswith("--") and "=" in typed:
        option, _, typed = typed.partition("=")
        prefix = "" if "=" in words[-2:] else f"{option}="
        before = [*before, option]
    candidates = list(_candidates(before, typed))
    if candidates and candidates[0].word in (FILES, FOLDERS):
        return candidates[:1]
    fitting = {
        candidate.word: Candidate(f"{prefix}{candidate.word}", candidate.summary)
        for candidate in candidates
        if candidate.word.startswith(typed)
        and (candidate.word.startswith("-") or _is_plain(candidate.word))
    }
    return list(fitting.values())


def _is_plain(word: str) -> bool:
    return _PLAIN_NAME.fullmatch(word) is not None


def _join_equals(words: Sequence[str]) -> list[str]:
    joined: list[str] = []
    for word in words:
        if joined and (word == "=" or joined[-1].endswith("=")) and joined[-1].startswith("--"):
            joined[-1] += word
        else:
            joined.append(word)
    return joined


def _candidates(before: Sequence[str], typed: str) -> Iterator[Candidate]:
    # The words from the command on.
    rest = list(before)
    while rest and rest[0].startswith("-"):
        takes_value = rest[0] in ("--root", "--color")
        del rest[: 2 if takes_value else 1]
    if rest[:1] == ["help"]:
        # What `synapse help` explains: commands, and word that they print.
        candidate_before = rest[1:]
        candidate_name = match_command(candidate_before)
        if list(candidate_before) == candidate_name.split():
            for member, summary in (
                family_members(candidate_name) if candidate_name not in ROWS else []
            ):
                yield Candidate(member.rpartition(" ")[2], summary)
        if not candidate_before:
            yield from map(Candidate, (ALL_WORDS, *all_words()))
        return
    name = match_command(rest)
    if name not in ROWS:
        if rest != name.split():
            return
        if typed.startswith("-") or (before and before[-1] in ("--root", "--color")):
            yield from _argument_candidates(create_program_parser(), before, typed)
            return
        members = family_members(name)
        yield from (Candidate(member.rpartition(" ")[2], summary) for member, summary in members)
        return
    parser = Parser(name, ROWS[name].summary, ROWS[name].load())
    yield from _argument_candidates(parser, rest[len(name.split()) :], typed, before)


def _argument_candidates(
    parser: Parser, words: Sequence[str], typed: str, every: Sequence[str] = ()
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
        has_list = action.type.takes_list and "," in typed
        start = f"{typed.rpartition(',')[0]}," if has_list else ""
        yield from (Candidate(start + name) for name in action.type.names)
        return
    metavar = str(action.metavar or "")
    names = [f"{name} {metavar}" for name in action.option_strings]
    names += [] if action.option_strings else [f"{command} {metavar}", metavar]
    if list_names := next((_VALUES[name] for name in names if name in _VALUES), None):
        yield from list_names(_NamedTree(words))
    elif metavar in _FOLDER_METAVARS:
        yield Candidate(FOLDERS)
    elif metavar in _FILE_METAVARS:
        yield Candidate(FILES)


class _NamedTree:
    """The tree that the words are about, read when its first name is asked for."""

    def __init__(self, words: Sequence[str]) -> None:
        start = next((b for a, b in pairwise(words) if a == "--root"), ".")
        self._start = str(Path(start).expanduser().absolute())
        self.root = find_root(self._start) or ""

    def read(self) -> CompiledTree | None:
        """Return the tree; None where there is none."""
        if not self.root:
            return None
        return CompiledTree(Tree(load_tree(self.root, LoadScope.ALL).index.snapshot()), self.root)


def _situation_names(kind: str) -> Callable[[_NamedTree], Iterable[Candidate]]:
    """Return what lists one kind of the choices of a situation."""

    def list_names(named: _NamedTree) -> Iterator[Candidate]:

        if (compiled := named.read()) is not None:
            report = choices_report(compiled)
            if kind == "brackets":
                yield from (Candidate(choice.name) for choice in report.brackets)
            elif kind == "phases":
                yield from (
                    Candidate(name) for choice in report.workflows for name in choice.phases
                )
            else:
                yield from (Candidate(choice.id, choice.title) for choice in getattr(report, kind))

    return list_names


def _domain_names(named: _NamedTree) -> Iterator[Candidate]:
    if (compiled := named.read()) is not None:
        yield from map(Candidate, compiled.tree.domains_by_label)


def _rule_names(named: _NamedTree) -> Iterator[Candidate]:
    if (compiled := named.read()) is not None:
        for domain in compiled.tree.domains_by_label.values():
            yield from (Candidate(rule.key, rule.text) for rule in compiled.tree.rules_of(domain))


def _profile_names(named: _NamedTree) -> Iterator[Candidate]:

    if (compiled := named.read()) is not None:
        for profile in list_profiles(compiled.tree):
            yield Candidate(profile["name"], profile.get("summary", ""))


def _session_names(named: _NamedTree) -> Iterator[Candidate]:
    if named.root:
        yield Candidate(CURRENT_NAME)
        for info in list_sessions(sessions_folder(named.root)):
            yield Candidate(info.session_id)


def _rule_codes(_named: _NamedTree) -> Iterator[Candidate]:

    for rule in all_rules():
        yield Candidate(rule.code, rule.name)


# An option or a place, with its metavar -> what lists its values.
_VALUES: Mapping[str, Callable[[_NamedTree], Iterable[Candidate]]] = {
    "--agent ID": _situation_names("agents"),
    "AGENT": _situation_names("agents"),
    "--workflow ID": _situation_names("workflows"),
    "--phase NAME": _situation_names("phases"),
    "--task ID": _situation_names("tasks"),
    "--story ID": _situation_names("stories"),
    "--squad NAME": _situation_names("squads"),
    "--bracket NAME": _situation_names("brackets"),
    "--domain NAME": _domain_names,
    "DOMAIN": _domain_names,
    "domain show NAME": _domain_names,
    "domain toggle NAME": _domain_names,
    "domain rename NAME": _domain_names,
    "RULE": _rule_names,
    "--profile NAME": _profile_names,
    "profile show NAME": _profile_names,
    "profile use NAME": _profile_names,
    "ONE": _profile_names,
    "OTHER": _profile_names,
    "--session ID": _session_names,
    "session show ID": _session_names,
    "session set ID": _session_names,
    "session reset ID": _session_names,
    "--select CODES": _rule_codes,
    "--ignore CODES": _rule_codes,
    "CODE": _rule_codes,
    "TARGET": lambda _: map(Candidate, TARGETS),
}


# Shell -> how the file with its script beside this module ends.
_SCRIPTS = {"bash": "bash", "zsh": "zsh", "fish": "fish", "powershell": "ps1"}


@command(option("shell SHELL", "{}", choices=_SCRIPTS))
def print_script(options: Namespace, console: Console) -> None:
    """Prints a script that makes a shell complete commands, options, rules of the linter, and the
    names that the tree of the working directory has: agents, workflows, domains, rules, sessions.
    What it offers is found anew each time, so the script stays as it is when Synapse LS gets newer.

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
    script = Path(__file__).with_name(f"completion.{_SCRIPTS[options.shell]}")
    console.write(script.read_text(encoding="utf-8"))


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
