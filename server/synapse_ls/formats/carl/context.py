"""CARL v1's ``context`` file: ``{BRACKET}_RULE_n`` and the switches ``{BRACKET}_RULES=true|false``.

The bracket is what stands before the first ``_RULE_``; a bracket without a switch is on. CRITICAL has
neither rules nor a switch of its own: DEPLETED's hold there. CARL's documents call the switch
``{BRACKET}_ENABLED``, which its reader does not know.
"""

from __future__ import annotations

from dataclasses import replace

from synapse_ls.formats import values
from synapse_ls.formats.carl.lines import BRACKETS, Assignment, assignments, suggested
from synapse_ls.formats.carl.rules import document, finished, rule_of
from synapse_ls.formats.context import ContextDocument
from synapse_ls.formats.problem import Parsed, Problem
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_keys import BRACKETS as ALL
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span

OWN = "CONTEXT"
"""What rules begin with that are told in every bracket."""

_SWITCHES = ("_RULES", "_ENABLED")


def parse(text: str) -> Parsed[ContextDocument]:
    """Read a context file. Never raises; takes time linear in the text."""
    problems: list[Problem] = []
    rules: list[Rule] = []
    general: list[Rule] = []
    switches: dict[str, bool] = {}
    for line in assignments(text, problems):
        suffix = next((s for s in _SWITCHES if line.key.value.endswith(s)), "")
        if suffix:
            _switch(line, suffix, switches, problems)
            continue
        rule = rule_of(line, problems)
        if rule is None:
            continue
        problem = _unknown(rule)
        if problem is not None:
            problems.append(problem)
        if rule.domain in BRACKETS:
            rules.append(replace(rule, kind="bracket", qualifier=rule.domain))
        else:
            rules.append(rule)
            if rule.domain == OWN:
                general.append(rule)
    found = ContextDocument(
        document(text, rules, switches),
        {bracket: tuple(r for r in rules if r.qualifier == bracket) for bracket in ALL},
        tuple(general),
        switches,
    )
    return Parsed(found, finished(text, rules, problems))


def _switch(
    line: Assignment, suffix: str, switches: dict[str, bool], problems: list[Problem]
) -> None:
    key = line.key.value
    bracket = key.removesuffix(suffix)
    meant = bracket if bracket in BRACKETS else nearest(bracket, BRACKETS)
    if suffix == "_RULES" and bracket in BRACKETS:
        switches[bracket], problem = values.read_bool(line.value)
        # CARL reads the other spellings too; only what it takes for something else is a mistake.
        if problem is not None and line.value.value.lower() not in values.TRUE | {"no", "0"}:
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
            suggested(written),
        )
    )


def _unknown(rule: Rule) -> Problem | None:
    """What is wrong with the bracket of a rule's key."""
    word = rule.domain
    span = Span(rule.key_span.start, rule.key_span.start + len(word))
    if word in BRACKETS:
        return None
    if word == OWN:
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
            suggested("DEPLETED"),
        )
    meant = nearest(word, BRACKETS)
    return Problem(
        "unknown-bracket-key",
        span,
        f"The rule is never injected, because `{word[:40]}` is not a bracket with rules.",
        f"Write `{meant}`." if meant else "Write FRESH, MODERATE or DEPLETED.",
        suggested(meant),
    )
