"""CARL v1's domain files: ``{DOMAIN}_RULE_…=text``, in the order of the file.

What follows ``_RULE_`` in a key means nothing to CARL: ``DEV_RULE_AUTH_0`` and ``DEV_RULE_b`` are rules
of DEV like any other. Which domain a file serves is not known here, so every rule has the domain that
its key names; a rule under another domain's name is in the document and in nobody's block.
"""

from __future__ import annotations

import re

from synapse_ls.formats.carl.lines import Assignment, assignments, suggested
from synapse_ls.formats.manifest_line import split_key
from synapse_ls.formats.problem import Parsed, Problem
from synapse_ls.formats.rule import Rule, phase_of
from synapse_ls.formats.rules import RulesDocument, forged, in_order

MARK = "_RULE_"
"""What stands between the domain and the rest of a rule's key."""

_INDEX = re.compile(r"[0-9]{1,9}")
_SLIP = re.compile(r"(?i)(.+?)[_-]+rules?[_-]*([0-9]{1,9})")


def parse(text: str) -> Parsed[RulesDocument]:
    """Read a domain file. Never raises; takes time linear in the text."""
    problems: list[Problem] = []
    rules: list[Rule] = []
    for line in assignments(text, problems):
        rule = rule_of(line, problems)
        if rule is not None:
            rules.append(rule)
    return Parsed(document(text, rules, {}), finished(text, rules, problems))


def document(text: str, rules: list[Rule], switches: dict[str, bool]) -> RulesDocument:
    """The document of a file's rules."""
    return RulesDocument(text, "keyvalue" if rules else "empty", tuple(rules), switches)


def finished(text: str, rules: list[Rule], problems: list[Problem]) -> tuple[Problem, ...]:
    """The problems of a file with these rules, in text order."""
    seen: dict[str, Rule] = {}
    for rule in rules:
        first = seen.setdefault(rule.key, rule)
        if first is not rule:
            problems.append(_duplicate(rule, first))
    return in_order([*problems, *forged(text, rules)])


def rule_of(line: Assignment, problems: list[Problem]) -> Rule | None:
    """The rule on a line; None, with a problem, where CARL finds none."""
    key, value = line.key, line.value
    domain, mark, rest = key.value.partition(MARK)
    if not (mark and domain):
        problems.append(no_rule(line))
        return None
    if not value.value:
        problems.append(_empty(line))
        return None
    tail = rest.rpartition("_")[2]
    return Rule(
        key.value,
        "rule",
        domain,
        "",
        int(tail) if _INDEX.fullmatch(tail) else None,
        value.value,
        phase_of(value.value),
        "",
        line.number,
        line.span,
        key.span,
        value.span,
    )


def no_rule(line: Assignment) -> Problem:
    """What is said of a line whose key is not that of a rule."""
    key = line.key
    if split_key(key.value)[1]:
        return Problem(
            "manifest-key-in-rules",
            key.span,
            f"`{key.value[:80]}` is a setting of the manifest; here it has no effect.",
            "Set it in the manifest, and delete it here.",
            (("key", key.value),),
        )
    slip = _SLIP.fullmatch(key.value)
    meant = f"{slip[1].upper().replace('-', '_')}{MARK}{slip[2]}" if slip else ""
    return Problem(
        "malformed-line",
        key.span if meant else line.span,
        f"The line is not injected, because `{key.value[:80]}` is not the key of a rule.",
        f"Write `{meant}`." if meant else "Write DOMAIN_RULE_n=text, or begin the line with `#`.",
        (("key", key.value), *suggested(meant)),
    )


def _empty(line: Assignment) -> Problem:
    return Problem(
        "malformed-line",
        line.span,
        f"`{line.key.value[:80]}` has no text, so nothing is injected.",
        "Write the rule behind the `=`, or delete the line.",
        (("key", line.key.value),),
    )


def _duplicate(rule: Rule, first: Rule) -> Problem:
    return Problem(
        "duplicate-index",
        rule.key_span,
        f"Line {first.line + 1} has this key too; CARL tells both rules, one after the other.",
        "Give one of them another number.",
        (("first_start", str(first.span.start)), ("first_end", str(first.span.end))),
    )
