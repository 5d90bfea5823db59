"""Parse the command line with argparse, and render its help."""

import os
import re
import sys
from argparse import (
    SUPPRESS,
    Action,
    ArgumentError,
    ArgumentParser,
    ArgumentTypeError,
    HelpFormatter,
    Namespace,
    _ActionsContainer,
)
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from synapse_ls.cli import command_table
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.naming_conventions import suggest_names

PROGRAM, LONG_PROGRAM = "synapse", "synapse-ls"
_CALL = re.compile(rf"(?:(?<=`)|(?<=  )|(?<=\$ )){PROGRAM}(?=`| [\w<-])")


def name_program(text: str) -> str:
    """Put the name by which this program was called into the commands that a text says to type:
    where another ``synapse`` is installed, ours has a longer name.
    """
    called = Path(sys.argv[0]).name.removesuffix(".exe")
    return _CALL.sub(LONG_PROGRAM, text) if called == LONG_PROGRAM else text


COLORS = ("auto", "always", "never")

_MIN_WIDTH, _MAX_WIDTH = 40, 100
_INTRODUCTION = """\
Synapse LS is a language server and linter for the rule trees that steer AI coding agents.
"""
_CONCLUSION = """\
Examples:
  # What would @dev get now, with half of the context window left?
  $ synapse context --agent dev --remaining 50

  # Why is my rule not in there?
  $ synapse why GLOBAL_RULE_3 --agent dev

  # Are there mistakes in the tree?
  $ synapse check

`synapse <command> --help` says more about a command, and `synapse help WORD` explains a word that
commands print: bracket, domain, inactive. `synapse help words` lists these words.

Exit codes: 0 it is done; 1 it is done, and the answer is no; 2 it could not be done. The answer is
no where `check` shows errors or warnings, `doctor` errors, `guard` does not allow it, or `sync`
leaves a file alone. The help of a command has others.
"""


class _NoOption(str):
    """A word of the command line behind ``--``: no option, whatever it begins with."""


class Parser(ArgumentParser):
    """A Parser parses the command line of one command. What is wrong with a command line is a
    `UserError`.
    """

    def __init__(self, name: str = "") -> None:
        row = command_table.ROWS.get(name)
        self.name = name
        self.summary = row.summary if row else ""
        self.command = row.load() if row else None
        super().__init__(
            prog=f"{PROGRAM} {name}".rstrip(),
            formatter_class=_HelpLayout,
            allow_abbrev=False,
            add_help=False,
            exit_on_error=False,
        )
        self._given: list[Action] = []
        self.color = False  # Python 3.14 would paint what `Console` paints
        if self.command is not None:
            _add_items(self, self.command.arguments)
        _add_items(self, (_COMMON_OPTIONS,))

    def read(self, arguments: Sequence[str], parsed: Namespace | None = None) -> Namespace:
        """Return the options in ``arguments``, on top of those that are ``parsed`` already."""
        whole = any(action.nargs == "..." for action in self._get_positional_actions())
        # Only the second of the two lets a prompt come after options.
        parse = self.parse_known_args if whole else self.parse_known_intermixed_args
        words = list(arguments)
        if "--" in words and not whole:
            at = words.index("--")
            words[at:] = map(_NoOption, words[at + 1 :])
        needed = [action for action in self._actions if action.required]
        for action in needed:
            action.required = False  # it is looked for below, to say so in words of ours
        try:
            options, extra = parse(words, parsed)
        except ArgumentError as error:  # the one that no method below raises in its place
            name = str(error.argument_name).rpartition("/")[2]
            raise UserError(f"{name} takes no value.", f"Write {name} alone.") from error
        if extra:
            raise self._extra_word_error(extra[0])
        if missing := [_argument_name(a) for a in needed if getattr(options, a.dest) is None]:
            raise UserError(f"`{self.prog}` needs {', '.join(missing)}.", self._help_remedy())
        return options

    def _parse_optional(self, arg_string: str) -> Any:
        """Return the option that a word is, or may be; None for one behind ``--``."""
        return None if isinstance(arg_string, _NoOption) else super()._parse_optional(arg_string)

    def _match_argument(self, action: Action, arg_strings_pattern: str) -> int:
        """Return how many words an option takes; it fails where there are too few."""
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except ArgumentError as error:
            name, value = _argument_name(action), action.metavar or action.dest.upper()
            raise UserError(f"{name} needs a value.", f"Write {name} {value}.") from error

    def _get_values(self, action: Action, arg_strings: list[str]) -> Any:
        """Return what an action is given; it fails where one before excludes it."""
        for group in self._mutually_exclusive_groups:
            for other in self._given if action in group._group_actions else ():
                if other is not action and other in group._group_actions:
                    both = f"{_argument_name(action)} and {_argument_name(other)}"
                    raise UserError(f"{both} exclude each other.", "Leave one of them out.")
        self._given.append(action)
        return super()._get_values(action, arg_strings)

    def _get_value(self, action: Action, arg_string: str) -> Any:
        """Return what a word means; it fails where the type of the action does not take it."""
        try:
            return super()._get_value(action, arg_string)
        except ArgumentError as error:
            is_number = action.type in (int, float)
            # Types of ours say themselves what they take.
            what = f'takes a number, not "{arg_string}"' if is_number else error.message
            raise UserError(f"{_argument_name(action)} {what}.", self._help_remedy()) from error

    def format_usage(self) -> str:
        """Return the command, its positionals, and that there are options."""
        words = []
        for action in self._get_positional_actions():
            name = _argument_name(action)
            forms = {"?": f"[{name}]", "*": f"[{name} …]", "+": f"{name} …"}
            words.append(forms.get(str(action.nargs), name))
        return f"Usage:\n  {' '.join([self.prog, *words])} [options]\n"

    def format_help(self) -> str:
        """Return what the command does, how it is called, what it takes, and examples."""
        from shutil import get_terminal_size

        # The columns of the terminal, as far as lines stay readable.
        width = max(_MIN_WIDTH, min(get_terminal_size((_MAX_WIDTH, 0)).columns, _MAX_WIDTH))
        paragraphs = _HelpLayout(self.prog, width)
        for paragraph in (self.command.description if self.command else "").strip().split("\n\n"):
            paragraphs.add_text(paragraph)
        parts = [f"{self.summary}.\n", paragraphs.format_help(), self.format_usage()]
        # The columns that the left side of an action takes, its indent included.
        widths = (len(paragraphs._format_action_invocation(action)) for action in self._actions)
        longest = max(widths) + paragraphs._indent_increment
        for group in self._action_groups:
            formatter = _HelpLayout(self.prog, width)
            formatter._action_max_length = longest
            formatter.start_section(group.title)
            formatter.add_text(group.description)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
            parts.append(formatter.format_help())
        if self.command is not None:
            parts.append(_render_examples(self.command.examples))
        return "\n".join(part for part in parts if part.strip())

    def _extra_word_error(self, word: str) -> UserError:
        if word.startswith("-") and len(word) > 1:
            name = word.partition("=")[0]
            options = [o for o in self._option_string_actions if o.startswith("--")]
            return UserError(
                f"`{self.prog}` has no option {name}.",
                suggest_names(name, options, self._help_remedy()),
            )
        several = any(action.dest == "prompt" for action in self._get_positional_actions())
        return UserError(
            f'`{self.prog}` does not know what to do with "{word}".',
            "Put a prompt of several words in quotes." if several else self._help_remedy(),
        )

    def _help_remedy(self) -> str:
        return f"`{self.prog} --help` shows what it takes."


def create_program_parser() -> Parser:
    """Return the parser of what may stand before the command on the command line."""
    parser = Parser()
    parser.add_argument("-V", "--version", action="store_true", help="print the version and exit")
    parser.add_argument("words", nargs="...")
    return parser


def render_help(name: str) -> str:
    """Render the help of a command, of a family of commands, or ("") of the program, from its
    parser.
    """
    if name in command_table.ROWS or not name:
        return name_program(Parser(name).format_help() if name else _render_program_help())
    rows = command_table.family_members(name)
    longest = max(len(word) for word, _ in rows) + 2
    lines = [f"  {word:<{longest}}{summary}" for word, summary in rows]
    first = next(row for word, row in command_table.ROWS.items() if word.startswith(f"{name} "))
    parts = (
        f"{command_table.FAMILIES[name]}.\n",
        f"Usage:\n  {PROGRAM} {name} <command> [options]\n",
        "Commands:\n" + "\n".join(lines) + "\n",
        _render_examples(first.load().examples),
    )
    return name_program("\n".join(parts))


def _render_program_help() -> str:
    """Return the help of the program itself: every command, grouped by what it is for."""
    parts = [_INTRODUCTION, f"Usage:\n  {PROGRAM} <command> [options]\n"]
    summaries = dict(command_table.family_members(""))
    listed_names = set(command_table.FIRST_COMMANDS)
    first = [f"  {name:<{_INDENT}}{summaries[name]}" for name in command_table.FIRST_COMMANDS]
    parts.append("Begin with:\n" + "\n".join(first) + "\n")
    for title, rows in command_table.GROUPS:
        names = dict.fromkeys(row.name.partition(" ")[0] for row in rows)
        lines = [
            f"  {name:<{_INDENT}}{summaries[name]}" for name in names if name not in listed_names
        ]
        listed_names.update(names)
        if lines:
            parts.append(f"{title}:\n" + "\n".join(lines) + "\n")
    options = (
        ("--root DIR", "the workspace (default: searched from here upward)"),
        ("--color WHEN", "auto, always or never"),
        ("-V, --version", "print the version and exit"),
        ("-h, --help", "show this help, or that of a command"),
    )
    lines = [f"  {name:<{_INDENT}}{text}" for name, text in options]
    return "\n".join([*parts, "Options:\n" + "\n".join(lines) + "\n", _CONCLUSION])


_INDENT = 14


def _parse_folder(value: str) -> str:
    """Return a folder as it was named; ``~`` is that of the user, which shells leave alone in
    ``--root=~``.
    """
    if not value:
        raise ArgumentTypeError("is empty")
    return os.path.expanduser(value)  # noqa: PTH111 - a path stays as it was written


def _add_items(
    container: _ActionsContainer, items: Iterable[command_table.Option | command_table.OptionGroup]
) -> None:
    for item in items:
        if isinstance(item, command_table.Option):
            container.add_argument(*item.names, **item.settings)
        elif item.is_exclusive:
            _add_items(container.add_mutually_exclusive_group(), item.items)
        else:
            _add_items(container.add_argument_group(item.title, item.description), item.items)


# Every command has these, and they may stand before it as well.
_COMMON_OPTIONS = command_table.option_group(
    "General options",
    command_table.option(
        "--root DIR",
        "the workspace, or a folder in it (default: the working directory); the nearest "
        "folder with a tree, from there upward, is its root",
        type=_parse_folder,
        default=SUPPRESS,
    ),
    command_table.option(
        "--color WHEN", "auto (the default), always or never", choices=COLORS, default=SUPPRESS
    ),
    command_table.switch("-q", "--quiet", "no notes on standard error", default=SUPPRESS),
    command_table.switch("-h", "--help", "show this help and exit", default=SUPPRESS),
)


def _render_examples(examples: Iterable[tuple[str, str]]) -> str:
    lines = "\n\n".join(f"  # {purpose}\n  $ {line}" for purpose, line in examples)
    return f"Examples:\n{lines}\n"


def _argument_name(action: Action) -> str:
    """Return what an argument is called: the longest spelling of an option, or its place."""
    return str([action.metavar or action.dest.upper(), *action.option_strings][-1])


class _HelpLayout(HelpFormatter):
    """Argparse's layout: no wider than can be read, names in a column of their own."""

    def __init__(self, prog: str, width: int = _MAX_WIDTH) -> None:
        super().__init__(prog, max_help_position=26, width=width)

    def _format_action_invocation(self, action: Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        return f"{', '.join(action.option_strings)} {action.metavar or action.dest.upper()}"

    def start_section(self, heading: str | None) -> None:
        """Start a section, whose name begins with a capital letter."""
        named = {"positional arguments": "Arguments", "options": "Options"}
        super().start_section(named.get(heading or "", heading))
