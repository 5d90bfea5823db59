"""This module parses CARL v1's domain files: ``{DOMAIN}_RULE_…=text``, in the order of the file.

What follows ``_RULE_`` in a key means nothing to CARL: ``DEV_RULE_AUTH_0`` and ``DEV_RULE_b`` are
rules of DEV like any other. Which domain a file serves is not known here, so every rule has the
domain that its key names; a rule under another domain's name is in the document and in nobody's
block.
"""

from __future__ import annotations

import re

from synapse_ls.formats.carl.assignment_lines import Assignment, parse_assignments, suggestion_data
from synapse_ls.formats.domain_rules import RulesDocument, forged_markup_problems, sort_problems
from synapse_ls.formats.manifest_settings import split_key
from synapse_ls.formats.rule_syntax import Rule, RuleKey, build_rule, leading_phase
from synapse_ls.text.parse_result import ParseResult, Problem

RULE_MARK = "_RULE_"
"""What stands between the domain and the rest of a rule's key."""

_INDEX = re.compile(r"[0-9]{1,9}")
_MISSPELT_KEY = re.compile(r"(?i)(.+?)[_-]+rules?[_-]*([0-9]{1,9})")


def parse(text: str) -> ParseResult[RulesDocument]:
    """Parses a domain file of CARL. Never raises; takes time linear in the text."""
    problems: list[Problem] = []
    rules: list[Rule] = []
    for line in parse_assignments(text, problems):
        rule = parse_rule(line, problems)
        if rule is not None:
            rules.append(rule)
    return ParseResult(build_document(text, rules, {}), complete_problems(text, rules, problems))


def build_document(text: str, rules: list[Rule], switches: dict[str, bool]) -> RulesDocument:
    """Returns the document of the rules of a CARL domain file."""
    return RulesDocument(text, "keyvalue" if rules else "empty", tuple(rules), switches)


def complete_problems(text: str, rules: list[Rule], problems: list[Problem]) -> tuple[Problem, ...]:
    """Returns the problems of a CARL domain file with these rules, in text order: those given,
    duplicate keys and forged markup.
    """
    seen: dict[str, Rule] = {}
    for rule in rules:
        first = seen.setdefault(rule.key, rule)
        if first is not rule:
            problems.append(_duplicate_key_problem(rule, first))
    return sort_problems([*problems, *forged_markup_problems(text, rules)])


def parse_rule(line: Assignment, problems: list[Problem]) -> Rule | None:
    """Returns the rule on a line of a CARL domain file; None, with a problem, where CARL finds
    none.
    """
    key, value = line.key, line.value
    domain, mark, rest = key.value.partition(RULE_MARK)
    if not (mark and domain):
        problems.append(not_a_rule_problem(line))
        return None
    if not value.value:
        problems.append(_empty_rule_problem(line))
        return None
    tail = rest.rpartition("_")[2]
    return build_rule(
        key.value,
        RuleKey("rule", domain, "", int(tail) if _INDEX.fullmatch(tail) else None),
        value.value,
        leading_phase(value.value),
        "",
        line.number,
        line.span,
        key.span,
        value.span,
    )


def not_a_rule_problem(line: Assignment) -> Problem:
    """Returns the problem of a line in a CARL domain file whose key is not that of a rule."""
    key = line.key
    if split_key(key.value)[1]:
        return Problem(
            "manifest-key-in-rules",
            key.span,
            f"`{key.value[:80]}` is a setting of the manifest; here it has no effect.",
            "Set it in the manifest, and delete it here.",
            (("key", key.value),),
        )
    slip = _MISSPELT_KEY.fullmatch(key.value)
    meant = f"{slip[1].upper().replace('-', '_')}{RULE_MARK}{slip[2]}" if slip else ""
    return Problem(
        "malformed-line",
        key.span if meant else line.span,
        f"The line is not injected, because `{key.value[:80]}` is not the key of a rule.",
        f"Write `{meant}`." if meant else "Write DOMAIN_RULE_n=text, or begin the line with `#`.",
        (("key", key.value), *suggestion_data(meant)),
    )


def _empty_rule_problem(line: Assignment) -> Problem:
    return Problem(
        "malformed-line",
        line.span,
        f"`{line.key.value[:80]}` has no text, so nothing is injected.",
        "Write the rule behind the `=`, or delete the line.",
        (("key", line.key.value),),
    )


def _duplicate_key_problem(rule: Rule, first: Rule) -> Problem:
    return Problem(
        "duplicate-index",
        rule.key_span,
        f"Line {first.line + 1} has this key too; CARL tells both rules, one after the other.",
        "Give one of them another number.",
        (("first_start", str(first.span.start)), ("first_end", str(first.span.end))),
    )
