"""Parse the ``context`` file: the rules of context brackets (FRESH, MODERATE, DEPLETED, CRITICAL).

Three shapes: ``CONTEXT_RULE_FRESH_0=…`` (SYNAPSE Context Brackets), CARL's ``FRESH_RULE_0=…`` with
``FRESH_RULES=true|false``, and plain text with headings or labels (``When context is FRESH: …``).
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from synapse_ls.formats import domain_file, rule_file_lines
from synapse_ls.formats.rule import Rule
from synapse_ls.formats.rule_syntax import BRACKETS
from synapse_ls.text.edit_distance import choice_remedy, nearest_choice, nearest_word
from synapse_ls.text.finding import Finding, ParseResult, problem_data, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

_BRACKET_NAME = lazy_pattern(rf"\b(?:{'|'.join(BRACKETS)})\b")
_BRACKET_NAME_ANY_CASE = lazy_pattern(rf"\b(?:{'|'.join(BRACKETS)})\b", re.IGNORECASE)
_BRACKET_KEY = lazy_pattern(r"CONTEXT_RULE_(?P<bracket>.+)_[0-9]+")
_TURNED_KEY = lazy_pattern(rf"CONTEXT_(?P<bracket>{'|'.join(BRACKETS)})_RULE_(?P<index>[0-9]+)")
_CONTEXT_IS = lazy_pattern(r"\bcontext\s+is\b", re.IGNORECASE)
_MAX_LABEL = 60


class ContextDocument(NamedTuple):
    """A parsed context file; ``brackets`` has all four, ``general`` the rules that belong to none.

    ``switches`` are CARL's: a bracket that is false there is off.
    """

    rules: domain_file.RulesDocument
    brackets: Mapping[str, tuple[Rule, ...]]
    general: tuple[Rule, ...]
    switches: Mapping[str, bool]


def parse(text: str) -> ParseResult[ContextDocument]:
    """Parse a context file. Never raises; takes time linear in the text."""
    document, problems = domain_file.parse(text, is_merged=False)
    brackets: dict[str, list[Rule]] = {bracket: [] for bracket in BRACKETS}
    general: list[Rule] = []
    unknown: dict[Span, Finding] = {}
    for rule in document.rules:
        # Return the brackets in which the rule holds.
        named: tuple[str, ...]
        if rule.key:
            named = (rule.qualifier,) if rule.kind == "bracket" else ()
        else:
            label, colon, _ = rule.text[: _MAX_LABEL + 1].partition(":")
            pattern = _BRACKET_NAME_ANY_CASE if _CONTEXT_IS.search(label) else _BRACKET_NAME
            bracket_named = pattern.findall(label) if colon else []
            bracket_named = bracket_named or _BRACKET_NAME.findall(rule.group)
            # `Fresh (60–100%)` names a bracket; `Critical rules` does not.
            first = re.split(r"[^\w]", rule.group, maxsplit=1)[0]
            rest = rule.group[len(first) :].lstrip()
            alone = not rest[:1].isalpha() or rest.lower().startswith(("bracket", "context"))
            if not bracket_named and alone and first.upper() in BRACKETS:
                bracket_named = [first]
            named = tuple(dict.fromkeys(bracket.upper() for bracket in bracket_named))
        for bracket in named:
            brackets[bracket].append(rule.replace(kind="bracket", qualifier=bracket))
        if not named:
            general.append(rule)
            if problem := _unknown_bracket_problem(rule):
                unknown[rule.key_span] = problem
    odd_indexes = rule_file_lines.merge_odd_indexes(
        [p for p in problems if p.kind != "odd-index" or p.span not in unknown]
    )
    parsed = ContextDocument(
        document,
        {bracket: tuple(found_bracket) for bracket, found_bracket in brackets.items()},
        tuple(general),
        document.switches,
    )
    return ParseResult(parsed, sort_problems([*odd_indexes, *unknown.values()]))


def bracket_word(rule: Rule) -> str:
    """Return the word in the place of the bracket in a rule's key of a context file, "" where there
    is none.
    """
    match = _BRACKET_KEY.fullmatch(rule.key)
    return match["bracket"] if match else ""


def _unknown_bracket_problem(rule: Rule) -> Finding | None:
    match = _BRACKET_KEY.fullmatch(rule.key)
    if turned := _TURNED_KEY.fullmatch(rule.key):
        meant = f"CONTEXT_RULE_{turned['bracket']}_{turned['index']}"
        return Finding(
            rule.key_span,
            f"`{turned['bracket']}` comes before `RULE`, so it is not read as a context bracket, "
            "and this rule is injected in every bracket.",
            f"Write `{meant}`.",
            kind="unknown-bracket-key",
            data=problem_data(suggestion=meant),
        )
    word = match["bracket"] if match else rule.domain
    if not match and not nearest_word(word, BRACKETS):
        return None
    start = rule.key_span.start + (match.start("bracket") if match else 0)
    return unknown_bracket_problem(word, Span(start, start + len(word)), BRACKETS)


def unknown_bracket_problem(word: str, span: Span, brackets: Sequence[str]) -> Finding:
    """Return the problem of a context file's key with ``word`` in the place of one of these
    brackets.
    """
    near = nearest_choice(word, brackets)
    remedy = choice_remedy(word, brackets)
    if not near and brackets == BRACKETS:
        remedy = (
            "Write the bracket by how much context is left: `FRESH` (60–100%), `MODERATE` (40–60%),"
            " `DEPLETED` (25–40%) or `CRITICAL` (0–25%)."
        )
    return Finding(
        span,
        f"`{word}` is not a context bracket, so this rule is injected in every bracket.",
        remedy,
        kind="unknown-bracket-key",
        data=problem_data(suggestion=near),
    )
