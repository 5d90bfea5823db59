"""The ``context`` file: rules that hold only while the context window is this full.

Read are ``CONTEXT_RULE_FRESH_0=…`` (SYNAPSE Context Brackets), CARL's ``FRESH_RULE_0=…`` with its
``FRESH_RULES=true|false`` switches, and plain text whose headings or labels name a bracket
(``When context is FRESH: …``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from synapse_ls.formats import rules
from synapse_ls.formats.problem import Parsed, Problem
from synapse_ls.formats.rule_keys import BRACKETS
from synapse_ls.formats.rules import Rule, RulesDocument
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span

_NAMED = re.compile(rf"\b(?:{'|'.join(BRACKETS)})\b")
_ANY_CASE = re.compile(rf"\b(?:{'|'.join(BRACKETS)})\b", re.IGNORECASE)
_KEYED = re.compile(r"CONTEXT_RULE_(?P<bracket>.+)_[0-9]+")
_CONTEXT_IS = re.compile(r"\bcontext\s+is\b", re.IGNORECASE)
_MAX_LABEL = 60


@dataclass(frozen=True, slots=True)
class ContextDocument:
    """A context file; ``brackets`` has all four, ``general`` the rules that belong to none.

    ``switches`` are CARL's: a bracket that is false there is off.
    """

    rules: RulesDocument
    brackets: Mapping[str, tuple[Rule, ...]]
    general: tuple[Rule, ...]
    switches: Mapping[str, bool]


def parse(text: str) -> Parsed[ContextDocument]:
    """Read a context file. Never raises; takes time linear in the text."""
    document, problems = rules.parse(text)
    brackets: dict[str, list[Rule]] = {bracket: [] for bracket in BRACKETS}
    general: list[Rule] = []
    unknown: dict[Span, Problem] = {}
    for rule in document.rules:
        named = _brackets_of(rule)
        for bracket in named:
            brackets[bracket].append(replace(rule, kind="bracket", qualifier=bracket))
        if not named:
            general.append(rule)
            problem = _unknown_bracket(rule)
            if problem:
                unknown[rule.key_span] = problem
    kept = [p for p in problems if p.kind != "odd-index" or p.span not in unknown]
    parsed = ContextDocument(
        document,
        {bracket: tuple(found) for bracket, found in brackets.items()},
        tuple(general),
        document.switches,
    )
    return Parsed(parsed, rules.in_order([*kept, *unknown.values()]))


def _brackets_of(rule: Rule) -> tuple[str, ...]:
    """The brackets in which the rule holds; none stands for all of them."""
    if rule.key:
        return (rule.qualifier,) if rule.kind == "bracket" else ()
    label, colon, _ = rule.text[: _MAX_LABEL + 1].partition(":")
    pattern = _ANY_CASE if _CONTEXT_IS.search(label) else _NAMED
    named = pattern.findall(label) if colon else []
    named = named or _NAMED.findall(rule.group) or _title_brackets(rule.group)
    return tuple(dict.fromkeys(bracket.upper() for bracket in named))


def _title_brackets(group: str) -> list[str]:
    """``Fresh (60–100%)`` names a bracket; ``Critical rules`` does not."""
    words = re.split(r"[^\w]", group, maxsplit=1)
    rest = group[len(words[0]) :].lstrip()
    alone = not rest[:1].isalpha() or rest.lower().startswith(("bracket", "context"))
    return [words[0]] if alone and words[0].upper() in BRACKETS else []


def _unknown_bracket(rule: Rule) -> Problem | None:
    """A key that has a bracket's place with something else in it."""
    match = _KEYED.fullmatch(rule.key)
    word = match["bracket"] if match else rule.domain
    meant = nearest(word, BRACKETS)
    if not meant and not match:
        return None
    start = rule.key_span.start + (match.start("bracket") if match else 0)
    return Problem(
        "unknown-bracket-key",
        Span(start, start + len(word)),
        f"`{word}` is not a bracket, so this rule is injected in every bracket.",
        f"Write `{meant}`." if meant else "Write FRESH, MODERATE, DEPLETED or CRITICAL.",
        (("suggestion", meant),) if meant else (),
    )
