"""CARL v1's star-commands: ``{COMMAND}_RULE_n=text`` for ``*command``, all of them in one file.

CARL takes the letters behind a star and compares them in upper case, so a key in lower case defines
nothing. The keys of SYNAPSE (``COMMANDS_RULE_BRIEF_0``) are to CARL those of a command ``*commands``:
they are read as meant, which takes nothing away from a tree that CARL can read.
"""

from __future__ import annotations

from dataclasses import replace

from synapse_ls.formats.carl.lines import assignments, suggested
from synapse_ls.formats.carl.rules import MARK, finished, rule_of
from synapse_ls.formats.commands import Command, Commands
from synapse_ls.formats.problem import Parsed, Problem
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_keys import parse_key

_OWN = "COMMANDS"


def parse(text: str) -> Parsed[Commands]:
    """Read a commands file. Never raises; takes time linear in the text."""
    problems: list[Problem] = []
    rules: list[Rule] = []
    for line in assignments(text, problems):
        rule = rule_of(line, problems)
        if rule is None:
            continue
        name = _command_of(rule)
        if not name:
            problems.append(_nameless(rule))
        elif name != name.upper():
            problems.append(_lower(rule, name))
        else:
            rules.append(replace(rule, kind="command", qualifier=name))
    return Parsed(_grouped(text, rules), finished(text, rules, problems))


def _grouped(text: str, rules: list[Rule]) -> Commands:
    groups: dict[str, list[Rule]] = {}
    for rule in rules:
        groups.setdefault(rule.qualifier, []).append(rule)
    return Commands(
        text,
        tuple(
            Command(name.lower().replace("_", "-"), found[0].key_span, tuple(found))
            for name, found in groups.items()
        ),
    )


def _command_of(rule: Rule) -> str:
    """The command of a rule's key; "" where it names none."""
    if rule.domain != _OWN:
        return rule.domain
    parts = parse_key(rule.key)
    return parts.qualifier if parts is not None and parts.kind == "command" else ""


def _nameless(rule: Rule) -> Problem:
    return Problem(
        "malformed-line",
        rule.key_span,
        f"`{rule.key[:80]}` names no command, so no prompt can bring it in.",
        "Write NAME_RULE_n.",
        (("key", rule.key),),
    )


def _lower(rule: Rule, name: str) -> Problem:
    meant = name.upper() + rule.key[len(name) :] if rule.key.startswith(name) else ""
    return Problem(
        "malformed-line",
        rule.key_span,
        f"`{rule.key[:80]}` is not injected, because CARL looks for commands in upper case.",
        f"Write `{meant}`." if meant else f"Write the command in upper case before `{MARK}`.",
        suggested(meant),
    )
