"""This module parses CARL v1's star-commands: ``{COMMAND}_RULE_n=text`` for ``*command``, all of
them in one file.

CARL takes the letters behind a star and compares them in upper case, so a key in lower case
defines nothing. ``COMMANDS_RULE_0`` is a rule of ``*commands``, like those of any other command.
To CARL the keys of SYNAPSE (``COMMANDS_RULE_BRIEF_0``) are so, too; they are read as meant, which
is ``*brief``.
"""

from __future__ import annotations

from synapse_ls.formats.carl.assignment_lines import parse_assignments, suggestion_data
from synapse_ls.formats.carl.domain_rules import RULE_MARK, complete_problems, parse_rule
from synapse_ls.formats.commands_file import StarCommand, StarCommands
from synapse_ls.formats.rule_syntax import Rule, parse_key
from synapse_ls.text.parse_result import ParseResult, Problem

_OWN_DOMAIN = "COMMANDS"


def parse(text: str) -> ParseResult[StarCommands]:
    """Parses CARL's commands file. Never raises; takes time linear in the text."""
    problems: list[Problem] = []
    rules: list[Rule] = []
    for line in parse_assignments(text, problems):
        rule = parse_rule(line, problems)
        if rule is None:
            continue
        name = _command_of(rule)
        if name != name.upper():
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
    """Returns the command of a rule's key: what stands before the mark, unless the key is one of
    SYNAPSE's.
    """
    parts = parse_key(rule.key) if rule.domain == _OWN_DOMAIN else None
    return parts.qualifier if parts is not None and parts.kind == "command" else rule.domain


def _lower_case_problem(rule: Rule, name: str) -> Problem:
    meant = name.upper() + rule.key[len(name) :] if rule.key.startswith(name) else ""
    return Problem(
        "malformed-line",
        rule.key_span,
        f"`{rule.key[:80]}` is not injected, because CARL looks for commands in upper case.",
        f"Write `{meant}`." if meant else f"Write the command in upper case before `{RULE_MARK}`.",
        suggestion_data(meant),
    )
