"""Parse CARL v1's KEY=VALUE files: domains, star-commands and the ``context`` file.

Lines are trimmed; blank lines, ``#`` lines and lines without ``=`` are ignored. There is no quoting
and no comment after a value. In ``{DOMAIN}_RULE_…=text`` what follows ``_RULE_`` means nothing, and
the rule belongs to the domain of its key, whatever the file. Commands, ``{COMMAND}_RULE_n=text``,
need upper case; SYNAPSE's ``COMMANDS_RULE_BRIEF_0`` is read as ``*brief``. In the ``context`` file
``{BRACKET}_RULES=true|false`` switches a bracket (``_ENABLED``, as CARL's documents say, has no
effect); CRITICAL uses DEPLETED's rules.
"""

from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.formats import commands_file, context_file, manifest_settings, rule_file_lines
from synapse_ls.formats.domain_file import RulesDocument, forged_markup_problems
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_syntax import BRACKETS as ALL
from synapse_ls.formats.rule_syntax import RuleKey, build_rule, leading_phase, parse_key
from synapse_ls.formats.suppression_comments import CommentStyle, blank_directives
from synapse_ls.text import finding, line_index
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import WHITE_SPACE, Span, trim_span

# The brackets that have rules: CRITICAL is told DEPLETED's.
CARL_BRACKETS = ("FRESH", "MODERATE", "DEPLETED")

_WORD = lazy_pattern(r"\w")
_COLON = lazy_pattern(r"[A-Z][A-Z0-9_]*_RULE_[A-Za-z0-9_]*[ \t]*:")


class Assignment(NamedTuple):
    """A line of a CARL file that has a key: its number from 0, its span without the break, both
    sides of ``=``.
    """

    number: int
    span: Span
    key: finding.Text
    value: finding.Text


def parse_assignments(text: str, problems: list[finding.Finding]) -> Iterator[Assignment]:
    """Yield the lines of a CARL file with a key, in order; what reads like a line and is none goes
    into ``problems``.
    """
    directives = blank_directives(text, CommentStyle.BOTH)
    prose = rule_file_lines.ProseRuns(directives)
    last = -2  # number of the last line with a key
    for number, (start, end) in enumerate(line_index.iter_lines(directives)):
        body = trim_span(directives, start, end)
        if not body.length or directives[body.start] == "#":
            continue
        equals = directives.find("=", *body)
        if equals < 0:
            if _WORD.search(directives, *body) is None:
                continue
            if problem := manifest_settings.comment_sign_problem(directives, body):
                problems.append(problem)
                continue
            if colon := _COLON.match(directives, *body):
                message = "The line is not injected, because a key ends in `=`, not in `:`."
                place = Span(colon.end() - 1, colon.end())
                problems.append(_problem("malformed-line", place, message, "Write `=`.", "="))
                continue
            prose.add(number, start, body, last)
            continue
        name = directives[body.start : equals].rstrip(WHITE_SPACE)
        key = Span(body.start, body.start + len(name))
        if key.length:
            value = trim_span(directives, equals + 1, body.end)
            last = number
            text_of = finding.Text(value.cut(directives), value)
            yield Assignment(number, Span(start, end), finding.Text(name, key), text_of)
        elif _WORD.search(directives, *body):
            message = "The line is not read, because there is no key before `=`."
            remedy = "Write a key before the `=`, or delete the line."
            problems.append(_problem("malformed-line", body, message, remedy))
    problems += prose.problems("CARL reads lines with a key and nothing else")


def _problem(
    kind: str, span: Span, message: str, remedy: str, suggestion: str = "", **data: str
) -> finding.Finding:
    fix_data = finding.problem_data(**data, suggestion=suggestion)
    return finding.Finding(span, message, remedy, kind=kind, data=fix_data)


def byte_order_mark_problems(path: str, text: str, has_mark: bool) -> tuple[finding.Finding, ...]:
    """Return the problem of a file of CARL's that begins with a byte order mark, where CARL loses
    something by it; everybody else takes the mark off.
    """
    if not has_mark or not path.startswith(".carl/"):
        return ()
    message = "CARL reads nothing of this file, because JSON may not begin with a byte order mark."
    if not path.endswith(".json"):
        if all(line.number for line in parse_assignments(text, [])):
            return ()
        message = (
            "CARL takes the byte order mark before it for a part of the first key, and "
            "ignores that."
        )
    return (_problem("byte-order-mark", Span(0, 0), message, "Save the file as UTF-8 without it."),)


# What stands between the domain and the rest of a rule's key.
RULE_MARK = "_RULE_"

_INDEX = lazy_pattern(r"[0-9]{1,9}")
_MISSPELT_KEY = lazy_pattern(r"(?i)(.+?)[_-]+rules?[_-]*([0-9]{1,9})")


def parse_domain_rules(text: str) -> finding.ParseResult[RulesDocument]:
    """Parse a domain file of CARL. Never raises; takes time linear in the text."""
    problems: list[finding.Finding] = []
    lines = parse_assignments(text, problems)
    rules = [rule for line in lines if (rule := parse_rule(line, problems))]
    return finding.ParseResult(
        build_document(text, rules, {}), complete_problems(text, rules, problems)
    )


def build_document(text: str, rules: list[Rule], switches: dict[str, bool]) -> RulesDocument:
    """Return the document of the rules of a CARL domain file."""
    return RulesDocument(text, "keyvalue" if rules else "empty", tuple(rules), switches)


def complete_problems(
    text: str, rules: list[Rule], problems: list[finding.Finding]
) -> tuple[finding.Finding, ...]:
    """Return the problems of a CARL domain file with these rules, in text order: those given,
    duplicate keys and forged markup.
    """
    seen_rules: dict[str, Rule] = {}
    for rule in rules:
        first = seen_rules.setdefault(rule.key, rule)
        if first is not rule:
            problems.append(
                finding.Finding(
                    rule.key_span,
                    f"Line {first.line + 1} has this key too; CARL injects both rules, one after "
                    "the other.",
                    "Give one of them another number.",
                    kind="duplicate-index",
                    data=finding.place_data(first.span),
                )
            )
    return finding.sort_problems([*problems, *forged_markup_problems(text, rules)])


def parse_rule(line: Assignment, problems: list[finding.Finding]) -> Rule | None:
    """Return the rule on a line of a CARL domain file; None, with a problem, where CARL
    finds none.
    """
    key, value = line.key, line.value
    domain, mark, rest = key.value.partition(RULE_MARK)
    if not (mark and domain):
        problems.append(not_a_rule_problem(line))
        return None
    if not value.value:
        message = f"`{key.value[:80]}` has no text, so this rule is not injected."
        remedy = "Write the rule behind the `=`, or delete the line."
        problems.append(_problem("malformed-line", line.span, message, remedy, key=key.value))
        return None
    tail = rest.rpartition("_")[2]
    parts = RuleKey("rule", domain, "", int(tail) if _INDEX.fullmatch(tail) else None)
    phase, places = leading_phase(value.value), (line.span, key.span, value.span)
    return build_rule(key.value, parts, value.value, phase, "", line.number, *places)


def not_a_rule_problem(line: Assignment) -> finding.Finding:
    """Return the problem of a line in a CARL domain file whose key is not that of a rule."""
    key, span = line.key
    if manifest_settings.split_key(key)[1]:
        message = f"`{key[:80]}` is a setting of the manifest; here it has no effect."
        remedy = "Set it in the manifest, and delete it here."
        return _problem("manifest-key-in-rules", span, message, remedy, key=key)
    slip = _MISSPELT_KEY.fullmatch(key)
    meant = f"{slip[1].upper().replace('-', '_')}{RULE_MARK}{slip[2]}" if slip else ""
    message = f"The line is not injected, because `{key[:80]}` is not the key of a rule."
    remedy = (
        f"Write `{meant}`." if meant else "Write DOMAIN_RULE_n=text, or begin the line with `#`."
    )
    return _problem("malformed-line", span if meant else line.span, message, remedy, meant, key=key)


_OWN_DOMAIN = "COMMANDS"


def parse_commands_file(text: str) -> finding.ParseResult[commands_file.StarCommands]:
    """Parse CARL's commands file. Never raises; takes time linear in the text."""
    problems: list[finding.Finding] = []
    rules: list[Rule] = []
    for line in parse_assignments(text, problems):
        if (rule := parse_rule(line, problems)) is None:
            continue
        # The command stands before the mark, unless the key is one of SYNAPSE's.
        parts = parse_key(rule.key) if rule.domain == _OWN_DOMAIN else None
        name = parts.qualifier if parts is not None and parts.kind == "command" else rule.domain
        if name != name.upper():
            meant = name.upper() + rule.key[len(name) :] if rule.key.startswith(name) else ""
            message = (
                f"`{rule.key[:80]}` is not injected, because CARL looks for commands in upper case."
            )
            remedy = (
                f"Write `{meant}`."
                if meant
                else f"Write the command in upper case before `{RULE_MARK}`."
            )
            problems.append(_problem("malformed-line", rule.key_span, message, remedy, meant))
        else:
            rules.append(rule.replace(kind="command", qualifier=name))
    commands = tuple(
        commands_file.StarCommand(name.lower().replace("_", "-"), group[0].key_span, tuple(group))
        for name, group in group_pairs((rule.qualifier, rule) for rule in rules).items()
    )
    problems_in_order = complete_problems(text, rules, problems)
    return finding.ParseResult(commands_file.StarCommands(text, commands), problems_in_order)


# What rules begin with that are told in every bracket.
GENERAL_DOMAIN = "CONTEXT"

_SWITCHES = ("_RULES", "_ENABLED")


def parse_context_file(text: str) -> finding.ParseResult[context_file.ContextDocument]:
    """Parse CARL's context file. Never raises; takes time linear in the text."""
    problems: list[finding.Finding] = []
    rules: list[Rule] = []
    general: list[Rule] = []
    switches: dict[str, bool] = {}
    for line in parse_assignments(text, problems):
        if suffix := next((s for s in _SWITCHES if line.key.value.endswith(s)), ""):
            _read_switch(line, suffix, switches, problems)
            continue
        if (rule := parse_rule(line, problems)) is None:
            continue
        if (problem := _unknown_bracket_problem(rule)) is not None:
            problems.append(problem)
        if rule.domain in CARL_BRACKETS:
            rules.append(rule.replace(kind="bracket", qualifier=rule.domain))
        else:
            rules.append(rule)
            if rule.domain == GENERAL_DOMAIN:
                general.append(rule)
    context_document = context_file.ContextDocument(
        build_document(text, rules, switches),
        {bracket: tuple(r for r in rules if r.qualifier == bracket) for bracket in ALL},
        tuple(general),
        switches,
    )
    return finding.ParseResult(context_document, complete_problems(text, rules, problems))


def _read_switch(
    line: Assignment, suffix: str, switches: dict[str, bool], problems: list[finding.Finding]
) -> None:
    key = line.key.value
    bracket = key.removesuffix(suffix)
    meant = bracket if bracket in CARL_BRACKETS else nearest_word(bracket, CARL_BRACKETS)
    if suffix == "_RULES" and bracket in CARL_BRACKETS:
        switches[bracket], problem = manifest_settings.read_bool(line.value)
        # CARL reads the other spellings too; only what it takes for something else is a mistake.
        known = manifest_settings.TRUE | {"no", "0"}
        if problem is not None and line.value.value.lower() not in known:
            problems.append(problem)
        return
    if suffix == "_ENABLED" and meant:
        why = "CARL's documents call the switch so, but its reader does not"
    elif bracket == "CRITICAL":
        why, meant = "DEPLETED's switch counts in CRITICAL", ""
    else:
        why = f"`{bracket[:40]}` is not a bracket with rules"
    message, written = f"`{key[:80]}` switches nothing, because {why}.", meant and f"{meant}_RULES"
    remedy = f"Write `{written}`." if written else "Delete the line."
    problems.append(_problem("unknown-bracket-key", line.key.span, message, remedy, written))


def _unknown_bracket_problem(rule: Rule) -> finding.Finding | None:
    word = rule.domain
    if word in CARL_BRACKETS:
        return None
    span = Span(rule.key_span.start, rule.key_span.start + len(word))
    near = "DEPLETED" if word == "CRITICAL" else nearest_word(word, CARL_BRACKETS)
    message = f"The rule is never injected, because `{word[:40]}` is not a bracket with rules."
    remedy = f"Write `{near}`." if near else "Write FRESH, MODERATE or DEPLETED."
    if word == GENERAL_DOMAIN:
        named = next((b for b in ALL if f"_RULE_{b}_" in rule.key), "")
        if not named:
            return None
        span, near, key = rule.key_span, "", rule.key[:80]
        message = f"To CARL `{key}` is a rule of CONTEXT, which it injects in every bracket."
        remedy = f"Write `{named}_RULE_n`."
    elif word == "CRITICAL":
        message = "The rule is never injected, because CARL injects DEPLETED's rules in CRITICAL."
        remedy = "Write `DEPLETED`, or move the rule to `.synapse/context`."
    return _problem("unknown-bracket-key", span, message, remedy, near)
