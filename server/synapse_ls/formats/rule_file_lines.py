"""Read the lines of a rule file: which have content, and of KEY=VALUE lines rules and switches.

A value with another upper-case key is injected together with its key. Prose, lower-case keys and
empty values are reported, since they reach no agent.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from synapse_ls.formats import manifest_settings, rule_syntax
from synapse_ls.formats.rule import Rule
from synapse_ls.text import edit_distance, line_index
from synapse_ls.text.finding import Finding, Severity, Text, place_data, problem_data, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.phrases import format_count
from synapse_ls.text.span import Span, new_tuple, trim_span

# A line of these alone is a separator, a table's rule, or an empty list item.
DECORATION = lazy_pattern(r"[-=*_~`|:+.#\s]+")

_FENCE = lazy_pattern(r"(`{3,})[^`]*$|(~{3,})")
_LONGEST_FENCE = 16  # a bound on how often a search for a closing line can be in vain
_FRONT_MATTER_LINE = lazy_pattern(r"\s|#|-\s|[^\s:=]+\s*:(?:\s|$)|$")


class FencedBlock(NamedTuple):
    """The place of a block of code among the content of a rule file, with its fences: its first
    line from 0, and its span from the first fence to the last.
    """

    line: int
    span: Span


class ContentLine(NamedTuple):
    """A line of a rule file that has content: its number from 0, its span without break, the span
    of its text, and the fenced block that it stands in, None for most.
    """

    number: int
    start: int
    end: int
    body: Span
    block: FencedBlock | None = None


def find_content_lines(text: str) -> list[ContentLine]:
    """Return the lines of a rule file that have content, in order; a gap in their numbers stands
    for a blank or skipped line.

    A comment or fence that is never closed is ordinary text: it must not swallow the rules below.
    """
    spans = list(line_index.iter_lines(text))
    fences = _FenceFinder(text, spans)
    lines: list[ContentLine] = []
    comments_close = True
    number = 0
    if trim_span(text, *spans[0]).cut(text) == "---":
        # Between the marks of a front matter nothing but YAML may stand.
        for line_number, (start, end) in enumerate(spans[1:], 1):
            if text[start:end].rstrip() in ("---", "..."):
                number = line_number + 1
                break
            if not _FRONT_MATTER_LINE.match(text, start, end):
                break
    cursor, last_line = 0, len(spans)
    while number < last_line:
        start, end = spans[number]
        body = trim_span(text, max(cursor, start), end)
        if body[0] >= body[1]:
            number += 1
            continue
        if text[body[0]] not in "<`~":  # the usual case: a line of text
            lines.append(new_tuple(ContentLine, (number, start, end, body, None)))
            number += 1
            continue
        if comments_close and text.startswith("<!--", body.start):
            if (close := text.find("-->", body.start + 4)) >= 0:
                cursor = close + 3
                while spans[number][1] < close:
                    number += 1
                continue
            comments_close = False
        if (last := fences.closing_line(number, body)) is None:
            lines.append(ContentLine(number, start, end, body))
            number += 1
            continue
        block = FencedBlock(number, Span(body.start, trim_span(text, *spans[last]).end))
        for inner in range(number + 1, last):
            body = trim_span(text, *spans[inner])
            if body.length:
                lines.append(ContentLine(inner, *spans[inner], body, block))
        number = last + 1
    return lines


class _FenceFinder:
    """The closing lines of fences (CommonMark 4.5), none looked for twice in vain."""

    def __init__(self, text: str, spans: Sequence[tuple[int, int]]) -> None:
        self._text = text
        self._spans = spans
        self._unclosed: dict[str, int] = {}

    def closing_line(self, number: int, body: Span) -> int | None:
        """Return the line that closes the fence which the line ``number`` opens; None where it
        opens none or none closes it.
        """
        text = self._text
        if (match := _FENCE.match(text, *body)) is None:
            return None
        sign, size = text[body.start], min(len(match[1] or match[2]), _LONGEST_FENCE)
        if size >= self._unclosed.get(sign, size + 1):
            return None
        for later in range(number + 1, len(self._spans)):
            start, end = trim_span(text, *self._spans[later])
            if end - start >= size and text[start:end] == sign * (end - start):
                return later
        self._unclosed[sign] = size
        return None


# The key of a line and the white space before its ``=``.
ASSIGNMENT = lazy_pattern(rf"([A-Za-z][\w.-]{{0,{rule_syntax.MAX_KEY - 1}}})([ \t]*)=")

# How a key has to be written.
UPPER_SNAKE = lazy_pattern(r"[A-Z][A-Z0-9_]*")

_SWITCHES = {f"{bracket}_RULES": bracket for bracket in rule_syntax.BRACKETS}
_NUMBERED = lazy_pattern(r"(.+)_([0-9]{1,9})")
COLON_KEY = lazy_pattern(rf"([A-Z][A-Z0-9_]{{0,{rule_syntax.MAX_KEY - 1}}})[ \t]*:")


@lru_cache(maxsize=65_536)
def _split_rule_line(body: str) -> Rule | None:
    """Return the rule of a line with a usual key, ``GLOBAL_RULE_0=text``, as if that was the whole
    file; None for any other.

    While a person types, all lines but one stay what they are; so what they say is kept.
    """
    match = _USUAL_LINE.match(body) if len(body) <= _MAX_KEPT else None
    parts = rule_syntax.parse_key(match[1]) if match else None
    if match is None or parts is None:
        return None
    value = trim_span(body, match.end(), len(body))
    return _build_line_rule(match[1], parts, value, body) if value.length else None


def _build_line_rule(key: str, parts: rule_syntax.RuleKey, value: Span, body: str) -> Rule:
    """Return the rule that is all of ``body``; ``value``: the place of its text there."""
    text = value.cut(body)
    places = (Span(0, len(body)), Span(0, len(key)), value)
    return rule_syntax.build_rule(key, parts, text, rule_syntax.leading_phase(text), "", 0, *places)


_USUAL_LINE = lazy_pattern(rf"([A-Z][A-Z0-9_]{{0,{rule_syntax.MAX_KEY - 1}}})=")
_MAX_KEPT = 512  # characters of a line that is worth keeping


class ProseRun(NamedTuple):
    """Lines of prose that stand one below the other: the number of the last, the span of their
    text, whether they are the rest of the rule above, and the sign by which it goes on there.
    """

    last: int
    span: Span
    is_rest: bool
    sign: str


class ProseRuns:
    """The lines without a key in a file whose rules have keys."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._runs: list[ProseRun] = []

    def add(self, number: int, start: int, body: Span, last_rule: int) -> None:
        """Add a line that begins at ``start``, with its text; ``last_rule``: the number of the last
        line before it that has a rule.
        """
        text, above = self._text, self._runs[-1] if self._runs else None
        if above and above.last != number - 1:
            above = None
        before = text[text.rfind("\n", 0, max(start - 1, 0)) + 1 : start].rstrip()
        sign = "\\" if before.endswith("\\") else ""
        # A rule that goes on shows two of three: small letters, white space, an open sentence.
        first = before.partition("=")[2].lstrip()[:1]
        is_low = text[body.start].islower() and (above.is_rest if above else not first.islower())
        signs = is_low + (body.start > start) + (not before.endswith((".", "!", "?", ":")))
        follows = above.is_rest if above else last_rule == number - 1
        is_rest = follows and (bool(sign) or (signs > 1 and text[body.start] not in "-*•+"))
        if above and above.is_rest == is_rest:
            self._runs.pop()
            body, sign = Span(above.span.start, body.end), above.sign
        self._runs.append(ProseRun(number, body, is_rest, sign))

    def problems(self, why: str) -> Iterator[Finding]:
        """Yield a problem for each run; ``why`` it is not injected, if it goes on with no rule."""
        for run in self._runs:
            what = "These lines are" if "\n" in run.span.cut(self._text) else "This line is"
            message = f"{what} not injected, because {why}."
            remedy = "Write DOMAIN_RULE_n= before the text, or begin the line with `#`."
            if run.is_rest:
                message = "A rule ends where its line ends, so this text is not injected."
                remedy = "Join it to the line above."
                if run.sign:
                    message = (
                        "The `\\` at the end of the line above does not continue the rule, so this "
                        "text is not injected."
                    )
                    remedy = "Delete the `\\`, and join this text to the line above."
            data = problem_data(rest="yes" if run.is_rest else "")
            yield Finding(run.span, message, remedy, kind="prose-in-keyvalue", data=data)


class KeyValueReader:
    """The rules and problems of a KEY=VALUE file, whose lines are read one after another."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.rules: list[Rule] = []
        self.switches: dict[str, bool] = {}
        self._problems: list[Finding] = []
        self._unnamed: dict[str, list[Text]] = {}
        self._foreign: list[Text] = []
        self._prose = ProseRuns(text)

    def read_line(self, line: ContentLine) -> bool:
        """Read a line; return False if it is neither a comment, a separator nor KEY=VALUE."""
        text = self.text
        first, last = line.body
        body = text[first:last]
        if body[0] == "#":
            return True
        if usual := _split_rule_line(body):
            self._add_rule(usual, line)
            return True
        if (match := ASSIGNMENT.match(text, *line.body)) is None:
            return self._read_keyless(line)
        key = Text(match[1], Span(*match.span(1)))
        value = trim_span(text, match.end(), line.body.end)
        if not UPPER_SNAKE.fullmatch(key.value):
            self._reject_case(key, line)
            return True
        parts = rule_syntax.parse_key(key.value)
        if parts is None and rule_syntax.begins_check(value.cut(text)):
            parts = rule_syntax.parse_check_key(key.value)
        if parts:
            self._read_rule(key, parts, value, line)
        elif rule_key := rule_syntax.described_rule(key.value):
            message = f"`{key.value}` is ignored, because a rule has no settings of its own."
            remedy = f"Say in {rule_key} itself how important it is, or delete the line."
            self._report("rule-attribute", key.span, message, remedy)
        elif manifest_settings.split_key(key.value)[1]:
            self._problems.append(manifest_key_problem(key))
        elif key.value in _SWITCHES:
            word, comment = manifest_settings.split_comment(Text(value.cut(text), value))
            is_on, problem = manifest_settings.read_bool(word)
            self.switches[_SWITCHES[key.value]] = is_on
            self._problems += filter(None, (comment, problem))
        elif numbered := _NUMBERED.fullmatch(key.value):  # no rule's key, but a list all the same
            name = numbered[1]
            if rule := self._read_rule(
                key, rule_syntax.RuleKey("rule", name, "", int(numbered[2])), value, line
            ):
                self._unnamed.setdefault(name, []).append(Text(rule.key, rule.key_span))
        elif value.length:
            # The key says what the value is, and not which rule: both are the rule.
            number = rule_syntax.RuleKey("plain", "", "", len(self.rules))
            span, key_span = Span(line.start, line.end), Span(first, first)
            self.rules.append(
                rule_syntax.build_rule(
                    "", number, body, "", "", line.number, span, key_span, line.body
                )
            )
            self._foreign.append(key)
        else:
            self._reject_empty(key, line)
        if match[2] and self.rules and self.rules[-1].key_span == key.span:
            self._report(
                "spaces-around-equals",
                Span(*match.span(2)),
                "The reference reader drops a rule with white space before its `=`.",
                "Delete the white space.",
                suggestion="",
            )
        return True

    def _read_keyless(self, line: ContentLine) -> bool:
        """Read a line without ``=`` behind a key; return False if it is prose."""
        text = self.text
        if DECORATION.fullmatch(text, *line.body):
            return True
        if problem := manifest_settings.comment_sign_problem(text, line.body):
            self._problems.append(problem)
            return True
        colon = COLON_KEY.match(text, *line.body)
        if colon is None or rule_syntax.parse_key(colon[1]) is None:
            return False
        message = "The line is not injected, because a key ends in `=`, not in `:`."
        place = Span(colon.end() - 1, colon.end())
        self._report("malformed-line", place, message, "Write `=`.", suggestion="=")
        return True

    def _report(self, kind: str, span: Span, message: str, remedy: str, **data: str) -> None:
        self._problems.append(Finding(span, message, remedy, kind=kind, data=tuple(data.items())))

    def report_prose(self, line: ContentLine) -> None:
        """Report a line of prose, together with one just above it."""
        last_rule = self.rules[-1].line if self.rules else -2
        self._prose.add(line.number, line.start, line.body, last_rule)

    def collect_problems(self) -> list[Finding]:
        """Return the problems of the lines that were read."""
        return [
            *self._problems,
            *_duplicate_index_problems(self.rules),
            *(_odd_keys_problem(name, keys) for name, keys in self._unnamed.items()),
            *([_foreign_keys_problem(self._foreign)] if self._foreign else []),
            *self._prose.problems("the other rules of the file have keys"),
        ]

    def _read_rule(
        self, key: Text, parts: rule_syntax.RuleKey, value: Span, line: ContentLine
    ) -> Rule | None:
        if not value.length:
            self._reject_empty(key, line)
            return None
        place, body = value.shift(-line.body.start), line.body.cut(self.text)
        return self._add_rule(_build_line_rule(key.value, parts, place, body), line)

    def _add_rule(self, rule: Rule, line: ContentLine) -> Rule:
        """Add a rule that is all of a line's body, at its place; white space around that belongs to
        it.
        """
        number, start, end, body, _ = line
        rule = Rule(
            *(rule.key, rule.kind, rule.index, rule.text, rule.group, rule.phase),
            rule.qualifier,
            number,
            domain=rule.domain,
            span=Span(start, end),
            key_span=rule.key_span.shift(body.start),
            text_span=rule.text_span.shift(body.start),
        )
        self.rules.append(rule)
        if rule.index is None:
            message = (
                f"`{rule.key}` does not end in `_` and a number, so its rule is injected after all "
                "rules with numbered keys."
            )
            self._report("odd-index", rule.key_span, message, "Write DOMAIN_RULE_n.", key=rule.key)
        return rule

    def _reject_case(self, key: Text, line: ContentLine) -> None:
        usual = rule_syntax.to_upper_snake(key.value)
        if rule_syntax.parse_key(usual) is None:
            message = f"The line is not injected, because `{key.value}` is not the key of a rule."
            remedy = "Write DOMAIN_RULE_n=text, or begin the line with `#`."
            self._report("malformed-line", line.body, message, remedy, key=key.value)
            return
        message = (
            f"`{key.value}` is not injected, because a rule's key has upper-case letters, digits "
            "and `_` only."
        )
        if not (usual := rule_syntax.suggest_key_name(key.value)):
            remedy = "Write the key in the letters A to Z."
            self._report("malformed-line", key.span, message, remedy)
            return
        self._report("malformed-line", key.span, message, f"Write `{usual}`.", suggestion=usual)

    def _reject_empty(self, key: Text, line: ContentLine) -> None:
        message = f"`{key.value}` has no text, so this rule is not injected."
        remedy = "Write the rule behind the `=`, or delete the line."
        self._report("malformed-line", line.body, message, remedy, key=key.value)


def _duplicate_index_problems(rules: Iterable[Rule]) -> Iterator[Finding]:
    """Yield a problem for each rule whose number another above it has."""
    first_rules: dict[tuple[object, ...], Rule] = {}
    for rule in rules:
        if rule.index is not None and rule.key:
            first = first_rules.setdefault(
                (rule.kind, rule.domain, rule.qualifier, rule.index), rule
            )
            if first is not rule:
                yield Finding(
                    rule.key_span,
                    f"Line {first.line + 1} has this number too; both rules are injected under it.",
                    "Give one of them another number.",
                    kind="duplicate-index",
                    data=place_data(first.span),
                )


def manifest_key_problem(key: Text, more: int = 0) -> Finding:
    """Return the problem of a KEY=VALUE line with a key of the manifest where rules are expected;
    ``more``: how many others of the file it is about.
    """
    message, remedy = (
        f"`{key.value}` is a setting of the manifest; here it has no effect and is not injected.",
        "Delete it here; where the manifest does not say so, say it there.",
    )
    if more:
        message, remedy = (
            f"`{key.value}` and {format_count(more, 'more key')} are settings of the manifest; "
            "here they have no effect and are not injected.",
            "Delete them here; where the manifest does not say so, say it there.",
        )
    data = (("key", key.value),)
    return Finding(key.span, message, remedy, kind="manifest-key-in-rules", data=data)


def merge_odd_indexes(problems: list[Finding]) -> list[Finding]:
    """Return the problems of KEY=VALUE lines with one for all keys without a number of their own:
    such keys are one decision of the author.
    """
    odd = sort_problems(problem for problem in problems if problem.kind == "odd-index")
    if not odd[1:]:
        return problems
    first, more = odd[0], format_count(len(odd) - 1, "more key")
    key = dict(first.data)["key"]
    merged = first._replace(
        message=f"`{key}` and {more} do not end in a number of their own, so their rules are "
        "injected after all rules with numbered keys."
    )
    return [*(problem for problem in problems if problem.kind != first.kind), merged]


# Words of a key that are one slip away from what people write.
_KEY_WORDS = ("RULE", "AUTH", "DENY", "ALLOW")


def _odd_keys_problem(name: str, keys: list[Text]) -> Finding:
    """Return one problem for a whole list of such keys: it is one decision of the author, repeated
    on every line.
    """
    first, others = keys[0].value, len(keys) - 1
    domain, _, word = name.rpartition("_")
    near = edit_distance.nearest_word(word, _KEY_WORDS) if domain else ""
    if near and near != "RULE":
        return Finding(
            keys[0].span,
            f"`{first}` has `{word}` in place of `{near}`, so it is injected as a rule and sets no "
            "boundary.",
            f"Write `{domain}_{near}_{first.rpartition('_')[2]}`.",
            own_severity=Severity.ERROR,
            kind="odd-key",
            data=(("prefix", name), ("meant", f"{domain}_{near}")),
        )
    message = (
        f"`{first}` is injected here, but other programs do not find it, because it has no "
        "`_RULE_`."
    )
    if others:
        message = (
            f"`{first}` and {format_count(others, 'more key')} are injected here, but other "
            "programs do not find them, because they have no `_RULE_`."
        )
    return Finding(
        keys[0].span,
        message,
        "Write DOMAIN_RULE_n, with a number that no other rule of the domain has.",
        kind="odd-key",
        data=(("prefix", name), ("meant", f"{domain}_RULE" if near else f"{name}_RULE")),
    )


def _foreign_keys_problem(keys: list[Text]) -> Finding:
    """Return one problem for all lines of a file whose keys are no rule's."""
    first, more = keys[0].value, len(keys) - 1
    message = (
        f"`{first}` is not the key of a rule; where the file is injected, the line is in the "
        "block as it is."
    )
    if more:
        message = (
            f"`{first}` is not the key of a rule; where the file is injected, the line and "
            f"{format_count(more, 'line')} like it are in the block as they are."
        )
    return Finding(
        keys[0].span,
        message,
        "Write DOMAIN_RULE_n= before the text.",
        kind="odd-key",
        data=(("count", str(len(keys))),),
    )
