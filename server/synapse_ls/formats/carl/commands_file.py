"""This module parses CARL v1's star-commands: ``{COMMAND}_RULE_n=text`` for ``*command``, all of
them in one file.

CARL takes the letters behind a star and compares them in upper case, so a key in lower case
defines nothing. The keys of SYNAPSE (``COMMANDS_RULE_BRIEF_0``) are to CARL those of a command
``*commands``: they are read as meant, which takes nothing away from a tree that CARL can read.
"""

from __future__ import annotations

from synapse_ls.formats.carl.assignment_lines import parse_assignments, suggestion_data
from synapse_ls.formats.carl.domain_rules import RULE_MARK, complete_problems, parse_rule
from synapse_ls.formats.commands_file import StarCommand, StarCommands
from synapse_ls.formats.rule_syntax import Rule, parse_key
from synapse_ls.text.parse_result import ParseResult, Problem

_OWN_DOMAIN = "COMMANDS"


def parse(text: str) -> ParseResult[StarCommands]:
    """Parses a commands file. Never raises; takes time linear in the text."""
    problems: list[Problem] = []
    rules: list[Rule] = []
    for line in parse_assignments(text, problems):
        rule = parse_rule(line, problems)
        if rule is None:
            continue
        name = _command_of(rule)
        if not name:
            problems.append(_nameless_command_problem(rule))
        elif name != name.upper():
            problems.append(_lower_case_problem(rule, name))
        else:
            rules.append(rule._replace(kind="command", qualifier=name))
    return ParseResult(_group_by_command(text, rules), complete_problems(text, rules, problems))


def _group_by_command(text: str, rules: list[Rule]) -> StarCommands:
    groups: dict[str, list[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule.qualifier, []).append(rule)
    return StarCommands(
        text,
        tuple(
            StarCommand(name.lower().replace("_", "-"), found[0].key_span, tuple(found))
            for name, found in groups.items()
        ),
    )


def _command_of(rule: Rule) -> str:
    """Returns the command of a rule's key; "" where it names none."""
    if rule.domain != _OWN_DOMAIN:
        return rule.domain
    parts = parse_key(rule.key)
    return parts.qualifier if parts is not None and parts.kind == "command" else ""


def _nameless_command_problem(rule: Rule) -> Problem:
    return Problem(
        "malformed-line",
        rule.key_span,
        f"`{rule.key[:80]}` names no command, so no prompt can bring it in.",
        "Write NAME_RULE_n.",
        (("key", rule.key),),
    )


def _lower_case_problem(rule: Rule, name: str) -> Problem:
    meant = name.upper() + rule.key[len(name) :] if rule.key.startswith(name) else ""
    return Problem(
        "malformed-line",
        rule.key_span,
        f"`{rule.key[:80]}` is not injected, because CARL looks for commands in upper case.",
        f"Write `{meant}`." if meant else f"Write the command in upper case before `{RULE_MARK}`.",
        suggestion_data(meant),
    )
