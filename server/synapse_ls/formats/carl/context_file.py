"""This module parses CARL v1's ``context`` file: ``{BRACKET}_RULE_n`` and the switches
``{BRACKET}_RULES=true|false``.

The bracket is what stands before the first ``_RULE_``; a bracket without a switch is on. CRITICAL
has neither rules nor a switch of its own: DEPLETED's hold there. CARL's documents call the switch
``{BRACKET}_ENABLED``, which its reader does not know.
"""

from __future__ import annotations

from synapse_ls.formats import keyvalue_values
from synapse_ls.formats.carl.assignment_lines import (
    CARL_BRACKETS,
    Assignment,
    parse_assignments,
    suggestion_data,
)
from synapse_ls.formats.carl.domain_rules import build_document, complete_problems, parse_rule
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.formats.rule_syntax import BRACKETS as ALL
from synapse_ls.formats.rule_syntax import Rule
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.parse_result import ParseResult, Problem
from synapse_ls.text.span import Span

GENERAL_DOMAIN = "CONTEXT"
"""What rules begin with that are told in every bracket."""

_SWITCHES = ("_RULES", "_ENABLED")


def parse(text: str) -> ParseResult[ContextDocument]:
    """Parses a context file. Never raises; takes time linear in the text."""
    problems: list[Problem] = []
    rules: list[Rule] = []
    general: list[Rule] = []
    switches: dict[str, bool] = {}
    for line in parse_assignments(text, problems):
        suffix = next((s for s in _SWITCHES if line.key.value.endswith(s)), "")
        if suffix:
            _read_switch(line, suffix, switches, problems)
            continue
        rule = parse_rule(line, problems)
        if rule is None:
            continue
        problem = _unknown_bracket_problem(rule)
        if problem is not None:
            problems.append(problem)
        if rule.domain in CARL_BRACKETS:
            rules.append(rule._replace(kind="bracket", qualifier=rule.domain))
        else:
            rules.append(rule)
            if rule.domain == GENERAL_DOMAIN:
                general.append(rule)
    found = ContextDocument(
        build_document(text, rules, switches),
        {bracket: tuple(r for r in rules if r.qualifier == bracket) for bracket in ALL},
        tuple(general),
        switches,
    )
    return ParseResult(found, complete_problems(text, rules, problems))


def _read_switch(
    line: Assignment, suffix: str, switches: dict[str, bool], problems: list[Problem]
) -> None:
    key = line.key.value
    bracket = key.removesuffix(suffix)
    meant = bracket if bracket in CARL_BRACKETS else nearest_word(bracket, CARL_BRACKETS)
    if suffix == "_RULES" and bracket in CARL_BRACKETS:
        switches[bracket], problem = keyvalue_values.read_bool(line.value)
        # CARL reads the other spellings too; only what it takes for something else is a mistake.
        if problem is not None and line.value.value.lower() not in keyvalue_values.TRUE | {
            "no",
            "0",
        }:
            problems.append(problem)
        return
    if suffix == "_ENABLED" and meant:
        why = "CARL's documents call the switch so, but its reader does not"
    elif bracket == "CRITICAL":
        why, meant = "DEPLETED's switch counts in CRITICAL", ""
    else:
        why = f"`{bracket[:40]}` is not a bracket with rules"
    written = f"{meant}_RULES" if meant else ""
    problems.append(
        Problem(
            "unknown-bracket-key",
            line.key.span,
            f"`{key[:80]}` switches nothing, because {why}.",
            f"Write `{written}`." if written else "Delete the line.",
            suggestion_data(written),
        )
    )


def _unknown_bracket_problem(rule: Rule) -> Problem | None:
    """Returns the problem of the bracket of a rule's key, or None."""
    word = rule.domain
    span = Span(rule.key_span.start, rule.key_span.start + len(word))
    if word in CARL_BRACKETS:
        return None
    if word == GENERAL_DOMAIN:
        named = next((b for b in ALL if f"_RULE_{b}_" in rule.key), "")
        if not named:
            return None
        return Problem(
            "unknown-bracket-key",
            rule.key_span,
            f"To CARL `{rule.key[:80]}` is a rule of CONTEXT, which it tells in every bracket.",
            f"Write `{named}_RULE_n`.",
        )
    if word == "CRITICAL":
        return Problem(
            "unknown-bracket-key",
            span,
            "The rule is never injected, because CARL tells DEPLETED's rules in CRITICAL.",
            "Write `DEPLETED`, or move the rule to `.synapse/context`.",
            suggestion_data("DEPLETED"),
        )
    meant = nearest_word(word, CARL_BRACKETS)
    return Problem(
        "unknown-bracket-key",
        span,
        f"The rule is never injected, because `{word[:40]}` is not a bracket with rules.",
        f"Write `{meant}`." if meant else "Write FRESH, MODERATE or DEPLETED.",
        suggestion_data(meant),
    )
