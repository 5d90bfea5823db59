"""Parse domain files, and find rule text that imitates the markup of the block.

A file is KEY=VALUE if a line has a rule's key (``GLOBAL_RULE_0=…``) or none is prose; then only
such lines are rules, as in SYNAPSE and CARL v1. Any other file is plain text (`plain_text_rules`).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from synapse_ls.formats import plain_text_rules, rule_file_lines
from synapse_ls.formats.manifest_settings import split_key
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_file_lines import DECORATION, ContentLine, find_content_lines
from synapse_ls.formats.rule_syntax import (
    RuleKey,
    begins_check,
    build_rule,
    leading_phase,
    parse_check_key,
    parse_key,
    rule_prefixes,
    to_upper_snake,
)
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives, find_directives
from synapse_ls.text.block_markup import BLOCK_TAGS, heading_end, tag_name_end
from synapse_ls.text.finding import Finding, ParseResult, Text, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span

_REST_OF_TAG = lazy_pattern(r"(?:[^<>\n]{0,80}>)?")
_REST_OF_HEADING = lazy_pattern(r"\]?")
_BREAKS = "\v\f\x1c\x1d\x1e\x85\u2028\u2029"
_BREAK = lazy_pattern(f"[{_BREAKS}]+")


def find_forgeries(text: str, places: Sequence[Span]) -> Iterator[tuple[Span, str]]:
    """Yield the first forged "tag", "heading" and "break" in each of the ``places`` of a domain's
    rules in ``text``.

    Rule text can never close or forge the block or one of its headings; what is found here is
    neutralised by the renderer, and its author should hear of it.
    """
    for what, bracket, name_end, rest in (
        ("tag", "<", tag_name_end, _REST_OF_TAG),
        ("heading", "[", heading_end, _REST_OF_HEADING),
    ):
        for place in places if bracket in text else ():
            at = text.find(bracket, *place)
            while at >= 0 and not 0 <= (end := name_end(text, at + 1)) <= place.end:
                at = text.find(bracket, at + 1, place.end)
            if at >= 0 and (match := rest.match(text, end, place.end)):
                yield Span(at, match.end()), what
    if any(sign in text for sign in _BREAKS):  # a set of characters is slow to search for
        for place in places:
            if match := _BREAK.search(text, *place):
                yield Span(*match.span()), "break"


__all__ = [
    "Rule", "RulesDocument", "forged_markup_problems", "parse", "rule_from_passage",
    "rule_prefixes", "untold_code_problems",
]  # fmt: skip

_AUTH = lazy_pattern(r"AUTH:\s*(?=\S)")
_ROUND = str.maketrans("<>[]", "()()")
# What each sort of forgery is.
_FORGERIES = {
    "tag": "`{}` is a tag that begins or ends a block of rules",
    "heading": "`{}` is a section heading of the block",
    "break": "A rule contains a line-breaking control character",
}


@dataclass(slots=True)
class RulesDocument:
    """The rules of a domain's file in text order; ``mode`` is "keyvalue", "plain" or "empty".

    ``switches`` holds CARL's ``{BRACKET}_RULES=true|false``.
    """

    text: str
    mode: str
    rules: tuple[Rule, ...]
    switches: Mapping[str, bool]


def parse(text: str, *, is_merged: bool = True) -> ParseResult[RulesDocument]:
    """Parse a domain file. Never raises; takes time linear in the text.

    ``is_merged`` is whether all keys without a number of their own are one problem.
    """
    directives = blank_directives(text, CommentStyle.BOTH)
    lines = find_content_lines(directives)
    mode = _file_mode(directives, lines)
    if mode == "keyvalue":
        reader = rule_file_lines.KeyValueReader(directives)
        for keyvalue_line in lines:
            if not reader.read_line(keyvalue_line):
                reader.report_prose(keyvalue_line)
        keyvalue_problems = _merge_manifest_key_problems(reader.collect_problems())
        keyvalue_problems = (
            rule_file_lines.merge_odd_indexes(keyvalue_problems) if is_merged else keyvalue_problems
        )
        keyvalue_problems += forged_markup_problems(directives, reader.rules)
        keyvalue_document = RulesDocument(text, "keyvalue", tuple(reader.rules), reader.switches)
        return ParseResult(keyvalue_document, sort_problems(keyvalue_problems))
    # The lines of a plain file that may be rules, and problems for those that belong elsewhere.
    content_lines: list[ContentLine] = []
    problems: list[Finding] = []
    for line in lines:
        match = None if line.block else rule_file_lines.ASSIGNMENT.match(directives, *line.body)
        if match and rule_file_lines.UPPER_SNAKE.fullmatch(match[1]) and split_key(match[1])[1]:
            problems.append(
                rule_file_lines.manifest_key_problem(Text(match[1], Span(*match.span(1))))
            )
        else:
            colon = None if line.block else rule_file_lines.COLON_KEY.match(directives, *line.body)
            if colon and (key := parse_key(colon[1])) and key.number is not None:
                problems.append(
                    Finding(
                        Span(colon.end() - 1, colon.end()),
                        f"`{colon[1]}:` is not read as a key, because a key ends in `=`, so agents "
                        "get it as words of the rule.",
                        "Write `=`.",
                        kind="malformed-line",
                        data=(("suggestion", "="),),
                    )
                )
            content_lines.append(line)
    # The lines that hold nothing but suppression comments.
    alone = [directive for directive in find_directives(text, CommentStyle.BOTH) if directive.alone]
    index = LineIndex(text) if alone else None
    comment_lines = {index.line_of(directive.span.start) for directive in alone} if index else ()
    plain = plain_text_rules.find_passages(directives, content_lines, comment_lines=comment_lines)
    rules = [rule_from_passage(passage, n) for n, passage in enumerate(plain.passages)]
    problems = _merge_manifest_key_problems(problems + untold_code_problems(plain))
    problems = rule_file_lines.merge_odd_indexes(problems) if is_merged else problems
    problems += forged_markup_problems(directives, rules)
    return ParseResult(RulesDocument(text, mode, tuple(rules), {}), sort_problems(problems))


def _merge_manifest_key_problems(problems: list[Finding]) -> list[Finding]:
    """Return the problems with one for all settings of the manifest: they are one mistake, such as
    a domain's settings beside its rules.
    """
    settings = [p for p in sort_problems(problems) if p.kind == "manifest-key-in-rules"]
    if not settings[1:]:
        return problems
    first = Text(dict(settings[0].data)["key"], settings[0].span)
    kept_problems = [problem for problem in problems if problem not in settings]
    return [*kept_problems, rule_file_lines.manifest_key_problem(first, len(settings) - 1)]


def rule_from_passage(passage: plain_text_rules.Passage, index: int) -> Rule:
    """Return a passage of plain text as one of a domain's rules; ``AUTH: …`` is an authority
    boundary.
    """
    text, text_span, kind = passage.text, passage.text_span, "plain"
    if auth := _AUTH.match(text):
        kind = "auth"
        text = text[auth.end() :]
        text_span = Span(min(text_span.start + auth.end(), text_span.end), text_span.end)
    start = passage.text_span.start
    parts, places = RuleKey(kind, "", "", index), (passage.span, Span(start, start), text_span)
    return build_rule("", parts, text, leading_phase(text), passage.group, passage.line, *places)


def forged_markup_problems(text: str, rules: Sequence[Rule]) -> list[Finding]:
    """Return the problems of rule text that would pass for the block's own markup: the first of
    each sort in each rule.
    """
    is_clean = next(find_forgeries(text, [Span(0, len(text))]), None) is None
    return forged_text_problems(text, [] if is_clean else [rule.text_span for rule in rules])


def forged_text_problems(text: str, places: Sequence[Span], effect: str = "") -> list[Finding]:
    """Return a problem for markup that a domain's rules, or another text that agents read, forge at
    any of the places. effect: what comes of it, where it is not injected in a harmless form.
    """
    problems = []
    for span, what in find_forgeries(text, places):
        markup = span.cut(text)
        written = " " if what == "break" else markup.translate(_ROUND)
        harmless = "agents get a space in its place"
        if what != "break":
            harmless = f"agents get `{written}` in its place"
        message = f"{_FORGERIES[what].format(markup)}; {effect or harmless}."
        remedy = "Write a space." if what == "break" else f"Write `{written}`."
        if what == "tag" and not effect:
            why = "is a client's own tag"
            if tag_name_end(markup, 1, BLOCK_TAGS) >= 0:
                why = "closes the block of rules" if "/" in markup else "begins a block of rules"
            message = (
                f"`{markup}` {why}, so it cannot stand in a rule: agents see `{written}` in its "
                "place."
            )
            remedy = f"Write `{written}`, or use other words."
        problems.append(
            Finding(
                span,
                message,
                remedy,
                kind="forged-markup",
                data=(("what", what), ("suggestion", written)),
            )
        )
    return problems


def untold_code_problems(plain: plain_text_rules.PlainText) -> list[Finding]:
    """Return a problem for each block of code that no rule is told with."""
    return [
        Finding(
            block.span,
            f"The code block has {size} characters. A rule with its code has at most "
            f"{plain_text_rules.LONGEST_RULE}, so this code is not injected.",
            "Keep what an agent needs to see, or put the code into a file and name that file "
            "in a rule.",
            kind="untold-code",
            data=(("size", str(size)),),
        )
        for block, size in plain.untold_blocks
    ]


def _file_mode(text: str, lines: Iterable[ContentLine]) -> str:
    """Return how the file is to be read: "keyvalue", "plain" or "empty"; a rule's key in a fenced
    example does not make it KEY=VALUE.
    """
    prose = assignments = code = False
    for line in lines:
        if text[line.body.start] == "#":
            continue
        match = rule_file_lines.ASSIGNMENT.match(text, *line.body)
        if match and (
            parse_key(to_upper_snake(match[1]))
            or (parse_check_key(match[1]) and begins_check(text[match.end() :].lstrip()))
        ):
            if not line.block:
                return "keyvalue"
            assignments = True
        elif match and rule_file_lines.UPPER_SNAKE.fullmatch(match[1]):
            assignments = True
        elif not DECORATION.fullmatch(text, *line.body):
            prose |= not line.block
            code |= bool(line.block)
    if prose or (code and not assignments):
        return "plain"
    return "keyvalue" if assignments else "empty"
