"""Domain files: the rules themselves.

A file is KEY=VALUE if a line has a rule's key (``GLOBAL_RULE_0=…``), or if there is no prose in it;
then only such lines are rules, as in SYNAPSE and CARL v1. Any other file is plain text, read by
``prose``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.key_lines import ASSIGNMENT, UPPER, KeyLines, manifest_key
from synapse_ls.formats.layout import DECORATION, Line, content_lines
from synapse_ls.formats.manifest import split_key
from synapse_ls.formats.markup import forgeries
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.prose import Passage, passages
from synapse_ls.formats.rule import Rule, phase_of
from synapse_ls.formats.rule_keys import parse_key, rule_prefixes, upper_snake
from synapse_ls.text.span import Span

__all__ = [
    "Rule",
    "RulesDocument",
    "forged",
    "in_order",
    "parse",
    "plain_rule",
    "rule_prefixes",
]

_AUTH = re.compile(r"AUTH:\s*(?=\S)")
_FORGED = {
    "tag": "A tag that means something to agents stands in a rule; it is neutralised when injected.",
    "heading": "A section heading of the block stands in a rule; it is neutralised when injected.",
    "break": "A line-breaking control character stands in a rule; it is neutralised when injected.",
}


@dataclass(frozen=True, slots=True)
class RulesDocument:
    """A file's rules in text order; ``mode`` is "keyvalue", "plain" or "empty".

    ``switches`` holds CARL's ``{BRACKET}_RULES=true|false``.
    """

    text: str
    mode: str
    rules: tuple[Rule, ...]
    switches: Mapping[str, bool]


def parse(text: str) -> Parsed[RulesDocument]:
    """Read a domain file. Never raises; takes time linear in the text."""
    said = without(text, Comments.BOTH)
    lines = content_lines(said)
    mode = _mode(said, lines)
    switches: dict[str, bool] = {}
    if mode == "keyvalue":
        reader = KeyLines(said)
        for line in lines:
            if not reader.read(line):
                reader.prose(line)
        rules, switches, problems = reader.rules, reader.switches, reader.problems()
    else:
        kept, problems = _without_manifest_keys(said, lines)
        rules = [plain_rule(passage, n) for n, passage in enumerate(passages(said, kept))]
    if not rules:
        problems = _one_of_many(problems)
    problems += forged(said, rules)
    document = RulesDocument(text, mode, tuple(rules), switches)
    return Parsed(document, in_order(problems))


def _one_of_many(problems: list[Problem]) -> list[Problem]:
    """Without rules, many settings are one mistake, such as a manifest under another name."""
    settings = [p for p in in_order(problems) if p.kind == "manifest-key-in-rules"]
    extra = frozenset(settings[1:])
    return [problem for problem in problems if problem not in extra]


def in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Problems in text order."""
    return tuple(sorted(problems, key=lambda problem: problem.span))


def plain_rule(passage: Passage, index: int) -> Rule:
    """A passage of plain text as a rule; ``AUTH: …`` is an authority boundary."""
    text, text_span, kind = passage.text, passage.text_span, "plain"
    auth = _AUTH.match(text)
    if auth:
        kind = "auth"
        text = text[auth.end() :]
        text_span = Span(min(text_span.start + auth.end(), text_span.end), text_span.end)
    start = passage.text_span.start
    return Rule(
        "",
        kind,
        "",
        "",
        index,
        text,
        phase_of(text),
        passage.group,
        passage.line,
        passage.span,
        Span(start, start),
        text_span,
    )


def forged(text: str, rules: Sequence[Rule]) -> list[Problem]:
    """What in the rules would pass for the block's own markup: the first of each sort in each rule."""
    return [
        Problem("forged-markup", span, _FORGED[what], "Reword the rule.", (("what", what),))
        for span, what in forgeries(text, [rule.text_span for rule in rules])
    ]


def _mode(text: str, lines: Iterable[Line]) -> str:
    """How the file is to be read; a rule's key in a fenced example does not make it KEY=VALUE."""
    prose = assignments = False
    for line in lines:
        if text[line.body.start] == "#":
            continue
        match = ASSIGNMENT.match(text, *line.body)
        if match and parse_key(upper_snake(match[1])):
            if not line.fenced:
                return "keyvalue"
            assignments = True
        elif match and UPPER.fullmatch(match[1]):
            assignments = True
        elif not line.fenced and not DECORATION.fullmatch(text, *line.body):
            prose = True
    if prose:
        return "plain"
    return "keyvalue" if assignments else "empty"


def _without_manifest_keys(text: str, lines: Iterable[Line]) -> tuple[list[Line], list[Problem]]:
    """The lines of a plain file that may be rules, and problems for those that belong elsewhere."""
    kept: list[Line] = []
    problems: list[Problem] = []
    for line in lines:
        match = None if line.fenced else ASSIGNMENT.match(text, *line.body)
        if match and UPPER.fullmatch(match[1]) and split_key(match[1])[1]:
            problems.append(manifest_key(Text(match[1], Span(*match.span(1)))))
        else:
            kept.append(line)
    return kept, problems
