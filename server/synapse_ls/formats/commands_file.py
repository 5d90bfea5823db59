"""Parse the ``commands`` file: the rules of star-commands, ``*brief`` in a prompt.

Three shapes, also mixed: ``COMMANDS_RULE_BRIEF_0=…`` (SYNAPSE) with headers in comments;
``COMMANDS_CMD_BRIEF_0=…`` and plain lines under a header ``[*brief] COMMAND:``; and CARL's
``BRIEF_RULE_0=…``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from synapse_ls.formats import (
    domain_file,
    plain_text_rules,
    rule_file_lines,
    rule_syntax,
    suppression_comments,
)
from synapse_ls.formats.rule import Rule
from synapse_ls.text.finding import Finding, ParseResult, problem_data, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

_HEADER = lazy_pattern(
    r"(?P<comment>#+\s*)?\[\*(?P<name>[A-Za-z][\w-]{0,99})\]\s*(?P<sub>SUB-?)?COMMAND",
    re.IGNORECASE,
)
_OPEN_HEADER = lazy_pattern(
    r"(?P<start>\[\*(?P<name>[A-Za-z][\w-]{0,99}))(?P<end>\s+(?:SUB-?)?COMMAND\b:?)", re.IGNORECASE
)
_TITLE = lazy_pattern(r"#+\s*\*(?P<name>[A-Za-z][\w-]{0,99})\s+[-–—:]\s")
_COMMENTED_KEY = lazy_pattern(r"#+\s*([A-Z][A-Z0-9_]{0,199})\s*=")


class StarCommand(NamedTuple):
    """A command of the ``commands`` file: its name in lower case without ``*``, the place where it
    is defined, and its rules.

    ``span`` is the name in the header, or the key of the first rule where there is no header.
    """

    name: str
    span: Span
    rules: tuple[Rule, ...]


class StarCommands(NamedTuple):
    """A parsed ``commands`` file, its commands in the order of first mention."""

    text: str
    commands: tuple[StarCommand, ...]


@dataclass(slots=True)
class _CommandDraft:
    """A command while the file is read."""

    name: str
    span: Span
    rules: list[Rule] = field(default_factory=list)
    has_header: bool = False
    is_group: bool = False
    is_switched_off: bool = False


def parse(text: str) -> ParseResult[StarCommands]:
    """Parse a commands file. Never raises; takes time linear in the text."""
    directives = suppression_comments.blank_directives(text, suppression_comments.CommentStyle.BOTH)
    reader = rule_file_lines.KeyValueReader(directives)
    drafts: dict[str, _CommandDraft] = {}
    plain: list[tuple[_CommandDraft, list[rule_file_lines.ContentLine]]] = []
    bare: list[rule_file_lines.ContentLine] | None = None
    headers: list[Finding] = []
    for line in rule_file_lines.find_content_lines(directives):
        if header := _HEADER.match(directives, *line.body):
            draft = _define_command(drafts, header["name"].lower(), Span(*header.span("name")))
            draft.is_group |= header["sub"] is not None
            draft.has_header = True
            bare = None
            if not header["comment"]:
                bare = []
                plain.append((draft, bare))
        elif directives[line.body.start] == "#":
            # Reads a comment, which may spell a command's name or hold rules that are switched off.
            if title := _TITLE.match(directives, *line.body):
                _define_command(drafts, title["name"].lower(), Span(*title.span("name")))
                continue
            match = _COMMENTED_KEY.match(directives, *line.body)
            key = rule_syntax.parse_key(match[1]) if match else None
            comment_command = (key.qualifier or key.domain) if key else ""
            if comment_command in drafts:
                drafts[comment_command].is_switched_off = True
        elif not reader.read_line(line):
            if unclosed := _unclosed_header_problem(directives, line.body):
                headers.append(unclosed)
            elif bare is None:
                reader.report_prose(line)
            else:
                bare.append(line)
    problems = [*headers, *rule_file_lines.merge_odd_indexes(reader.collect_problems())]
    for rule in reader.rules:
        # The command in a rule's key, in upper snake; "" for `COMMANDS_RULE_0` and the like.
        domain = "" if rule.domain == "COMMANDS" else rule.domain
        if command := rule.qualifier if rule.kind == "command" else domain:
            name = command.lower().replace("_", "-")
            draft = drafts.setdefault(command, _CommandDraft(name, rule.key_span))
            draft.rules.append(
                rule if rule.kind == "command" else rule.replace(kind="command", qualifier=command)
            )
        else:
            problems.append(
                Finding(
                    rule.key_span,
                    f"`{rule.key}` names no command, so no prompt can activate it.",
                    "Write COMMANDS_RULE_NAME_n.",
                    kind="malformed-line",
                    data=(("key", rule.key),),
                )
            )
    for draft, lines in plain:
        # Every line is a rule, as in the shape's original reader.
        passages = plain_text_rules.find_passages(directives, lines, join_lines=False)
        problems += domain_file.untold_code_problems(passages)
        draft.rules += (
            domain_file.rule_from_passage(passage, n).replace(
                kind="command", qualifier=rule_syntax.to_upper_snake(draft.name)
            )
            for n, passage in enumerate(passages.passages, len(draft.rules))
        )
    commands = tuple(
        StarCommand(draft.name, draft.span, tuple(draft.rules))
        for draft in sorted(drafts.values(), key=lambda draft: draft.span)
        if draft.rules
    )
    problems += _empty_header_problems(drafts)
    rules = sorted((rule for c in commands for rule in c.rules), key=lambda rule: rule.span)
    problems += domain_file.forged_markup_problems(directives, rules)
    return ParseResult(StarCommands(text, commands), sort_problems(problems))


def _empty_header_problems(drafts: dict[str, _CommandDraft]) -> Iterator[Finding]:
    """Yield the problem of each header that promises a command and defines none; a group of
    sub-commands needs one of them.
    """
    filled = [name for name, draft in drafts.items() if draft.rules]
    for name, draft in drafts.items():
        is_met = draft.is_group and any(other.startswith(f"{name}_") for other in filled)
        if draft.rules or not draft.has_header or draft.is_switched_off or is_met:
            continue
        yield Finding(
            draft.span,
            f"`*{draft.name}` has a header but no rules, so it does nothing in a prompt.",
            f"Write its first rule below it, for example `COMMANDS_RULE_{name}_0=Answer in one "
            "line.`, or delete the line.",
            kind="command-without-rules",
            data=(("command", draft.name),),
        )


def _unclosed_header_problem(text: str, body: Span) -> Finding | None:
    """Return the problem of a line that would be the header of a command if it had its ``]``."""
    if not (match := _OPEN_HEADER.match(text, *body)):
        return None
    meant = f"{match['start']}]{match['end']}"
    return Finding(
        Span(*match.span()),
        f"The `]` is missing, so this is not read as the header of `*{match['name']}`.",
        f"Write `{meant}`.",
        kind="malformed-line",
        data=problem_data(suggestion=meant),
    )


def _define_command(drafts: dict[str, _CommandDraft], name: str, span: Span) -> _CommandDraft:
    """Return the draft of the command of this name; create it if need be; its first header
    gives its spelling.
    """
    return drafts.setdefault(rule_syntax.to_upper_snake(name), _CommandDraft(name, span))
