"""``synapse domain rule add|edit|remove``: single rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from synapse_ls.cli.commands import Command
from synapse_ls.cli.errors import CliError
from synapse_ls.cli.writing import add_dry_run, carry_out, loaded_tree

if TYPE_CHECKING:
    from argparse import Namespace

    from synapse_ls.cli.console import Console
    from synapse_ls.cli.parser import Parser

_DOMAIN = "a domain, in any spelling"
_WHICH = "its key (TESTING_RULE_3), or the number in it; in plain text, its place counted from 0"
# Option -> kind of rule, and whether its value says what the rule belongs to.
_KINDS = {
    "auth": ("auth", False, "an authority boundary of an agent"),
    "deny": ("deny", False, "what the guard refuses; it is not told to the agent"),
    "allow": ("allow", False, "what the guard lets through; it is not told to the agent"),
    "article": ("article", True, "a line of this article of the constitution"),
    "bracket": ("bracket", True, "a rule for this bracket, in CONTEXT"),
    "command": ("command", True, "a line of this star-command, in COMMANDS"),
}
_METAVARS = {"article": "NUMBER", "bracket": "NAME", "command": "NAME"}


def _add_arguments(parser: Parser) -> None:
    parser.add_argument("name", metavar="DOMAIN", help=_DOMAIN)
    parser.add_argument("text", metavar="TEXT", help="the rule, in quotes")
    kinds = parser.add_argument_group("Kind").add_mutually_exclusive_group()
    for option, (_, qualified, text) in _KINDS.items():
        if qualified:
            kinds.add_argument(f"--{option}", metavar=_METAVARS[option], help=text)
        else:
            kinds.add_argument(f"--{option}", action="store_true", help=text)
    add_dry_run(parser)


def _add(options: Namespace, console: Console) -> int:
    from synapse_ls.manage.rules import add_rule

    kind, qualifier = "rule", ""
    for option, (name, qualified, _) in _KINDS.items():
        value = getattr(options, option)
        if value:
            kind, qualifier = name, value.removeprefix("*") if qualified else ""
        elif value == "":
            raise CliError(f"--{option} is empty.", f"Say which {option} the rule belongs to.")
    root, tree = loaded_tree(options)
    plan = add_rule(tree, options.name, options.text, kind=kind, qualifier=qualifier)
    return carry_out(root, plan, options, console)


def _edit_arguments(parser: Parser) -> None:
    parser.add_argument("name", metavar="DOMAIN", help=_DOMAIN)
    parser.add_argument("which", metavar="RULE", help=_WHICH)
    parser.add_argument("text", metavar="TEXT", help="its new text, in quotes")
    add_dry_run(parser)


def _edit(options: Namespace, console: Console) -> int:
    from synapse_ls.manage.rules import edit_rule

    root, tree = loaded_tree(options)
    plan = edit_rule(tree, options.name, options.which, options.text)
    return carry_out(root, plan, options, console)


def _remove_arguments(parser: Parser) -> None:
    parser.add_argument("name", metavar="DOMAIN", help=_DOMAIN)
    parser.add_argument("which", metavar="RULE", help=_WHICH)
    add_dry_run(parser)


def _remove(options: Namespace, console: Console) -> int:
    from synapse_ls.manage.rules import remove_rule

    root, tree = loaded_tree(options)
    return carry_out(root, remove_rule(tree, options.name, options.which), options, console)


ADD = Command(
    description="""\
Writes the rule behind the last one of its kind, with the next number. A text that would not be read
as one rule is refused. `synapse domain suggest` says where a rule belongs.""",
    examples=(
        ("A rule", 'synapse domain rule add testing "One behaviour per test"'),
        ("An authority boundary", 'synapse domain rule add agent-dev --auth "NEVER git push: delegate to @devops"'),
        ("For a bracket", 'synapse domain rule add context --bracket CRITICAL "Commit what works"'),
        ("For a star-command, and only to look", 'synapse domain rule add commands --command brief "Five items at most" --dry-run'),
    ),
    arguments=_add_arguments,
    run=_add,
)  # fmt: skip

EDIT = Command(
    description="Replaces the text of one rule. Its key, and everything around it, stays.",
    examples=(
        ("By its key", 'synapse domain rule edit testing TESTING_RULE_1 "One behaviour per test"'),
        ("By its number, and only to look", 'synapse domain rule edit testing 1 "One behaviour per test" --dry-run'),
    ),
    arguments=_edit_arguments,
    run=_edit,
)  # fmt: skip

REMOVE = Command(
    description="""\
Takes one rule out, its line with it. The others keep their numbers: people and stories refer to
them.""",
    examples=(
        ("Look first", "synapse domain rule remove testing 1 --dry-run"),
        ("Then do it", "synapse domain rule remove testing TESTING_RULE_1"),
    ),
    arguments=_remove_arguments,
    run=_remove,
)
