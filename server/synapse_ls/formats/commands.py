"""Star-commands: the rules that ``*brief`` in a prompt brings in for that prompt.

Three shapes are read, also mixed in one file: ``COMMANDS_RULE_BRIEF_0=…`` (SYNAPSE) with headers in
comments, ``COMMANDS_CMD_BRIEF_0=…`` and plain lines under a bare ``[*brief] COMMAND:`` header, and
CARL's ``BRIEF_RULE_0=…``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.key_lines import KeyLines
from synapse_ls.formats.layout import Line, content_lines
from synapse_ls.formats.problem import Parsed, Problem
from synapse_ls.formats.prose import passages
from synapse_ls.formats.rule_keys import parse_key, upper_snake
from synapse_ls.formats.rules import Rule, forged, in_order, plain_rule
from synapse_ls.text.span import Span

_HEADER = re.compile(
    r"(?P<comment>#+\s*)?\[\*(?P<name>[A-Za-z][\w-]{0,99})\]\s*(?P<sub>SUB-?)?COMMAND",
    re.IGNORECASE,
)
_TITLE = re.compile(r"#+\s*\*(?P<name>[A-Za-z][\w-]{0,99})\s+[-–—:]\s")
_COMMENTED_KEY = re.compile(r"#+\s*([A-Z][A-Z0-9_]{0,199})\s*=")


@dataclass(frozen=True, slots=True)
class Command:
    """A star-command: its name in lower case without ``*``, where it is defined, its rules.

    ``span`` is the name in the header, or the key of the first rule where there is no header.
    """

    name: str
    span: Span
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Commands:
    """A ``commands`` file, in the order of first mention."""

    text: str
    commands: tuple[Command, ...]


@dataclass(slots=True)
class _Draft:
    """A command while the file is read."""

    name: str
    span: Span
    rules: list[Rule] = field(default_factory=list)
    has_header: bool = False
    is_group: bool = False
    is_switched_off: bool = False


def parse(text: str) -> Parsed[Commands]:
    """Read a commands file. Never raises; takes time linear in the text."""
    said = without(text, Comments.BOTH)
    reader = KeyLines(said)
    drafts: dict[str, _Draft] = {}
    plain: list[tuple[_Draft, list[Line]]] = []
    bare: list[Line] | None = None
    for line in content_lines(said):
        header = _HEADER.match(said, *line.body)
        if header:
            draft = _define(drafts, header["name"].lower(), Span(*header.span("name")))
            draft.is_group |= header["sub"] is not None
            draft.has_header = True
            bare = None
            if not header["comment"]:
                bare = []
                plain.append((draft, bare))
        elif said[line.body.start] == "#":
            _read_comment(said, line, drafts)
        elif not reader.read(line):
            if bare is None:
                reader.prose(line)
            else:
                bare.append(line)
    problems = reader.problems()
    for rule in reader.rules:
        command = _command_of(rule)
        if command:
            name = command.lower().replace("_", "-")
            draft = drafts.setdefault(command, _Draft(name, rule.key_span))
            draft.rules.append(_as_command(rule, command))
        else:
            problems.append(_nameless(rule))
    for draft, lines in plain:
        # Every line is a rule, as in the shape's original reader.
        found = passages(said, lines, joined=False)
        draft.rules += (
            replace(plain_rule(passage, n), kind="command", qualifier=upper_snake(draft.name))
            for n, passage in enumerate(found, len(draft.rules))
        )
    commands = tuple(
        Command(draft.name, draft.span, tuple(draft.rules))
        for draft in sorted(drafts.values(), key=lambda draft: draft.span)
        if draft.rules
    )
    problems += _without_rules(drafts)
    rules = sorted((rule for c in commands for rule in c.rules), key=lambda rule: rule.span)
    problems += forged(said, rules)
    return Parsed(Commands(text, commands), in_order(problems))


def _define(drafts: dict[str, _Draft], name: str, span: Span) -> _Draft:
    """The command of this name; its first header gives its spelling."""
    return drafts.setdefault(upper_snake(name), _Draft(name, span))


def _read_comment(text: str, line: Line, drafts: dict[str, _Draft]) -> None:
    """A comment may spell a command's name, or hold rules that are switched off."""
    title = _TITLE.match(text, *line.body)
    if title:
        _define(drafts, title["name"].lower(), Span(*title.span("name")))
        return
    match = _COMMENTED_KEY.match(text, *line.body)
    key = parse_key(match[1]) if match else None
    command = (key.qualifier or key.domain) if key else ""
    if command in drafts:
        drafts[command].is_switched_off = True


def _command_of(rule: Rule) -> str:
    """The command in a rule's key, in upper snake; "" for ``COMMANDS_RULE_0`` and the like."""
    if rule.kind == "command":
        return rule.qualifier
    return "" if rule.domain == "COMMANDS" else rule.domain


def _as_command(rule: Rule, command: str) -> Rule:
    return rule if rule.kind == "command" else replace(rule, kind="command", qualifier=command)


def _nameless(rule: Rule) -> Problem:
    return Problem(
        "malformed-line",
        rule.key_span,
        f"`{rule.key}` names no command, so no prompt can bring it in.",
        "Write COMMANDS_RULE_NAME_n.",
        (("key", rule.key),),
    )


def _without_rules(drafts: dict[str, _Draft]) -> Iterator[Problem]:
    """Headers that promise a command and define none; a group of sub-commands needs one of them."""
    for key, draft in drafts.items():
        if draft.rules or not draft.has_header or draft.is_switched_off:
            continue
        if draft.is_group and any(
            name.startswith(f"{key}_") and other.rules for name, other in drafts.items()
        ):
            continue
        yield Problem(
            "command-without-rules",
            draft.span,
            f"`*{draft.name}` has a header but no rules, so it does nothing in a prompt.",
            f"Write COMMANDS_RULE_{key}_0= below it, or delete the header.",
            (("command", draft.name),),
        )
