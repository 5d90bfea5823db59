"""A rule of a bracket says something else about the layers than the bracket's table.

## What it does

Reads rules of the `context` file that say that layers are left out (`Skip L6`), that only some are injected
(`Only L0 and L1`), or that all of them are, in English or Portuguese, and compares that with the layers
that the profile wakes in the bracket.

## Why it matters

Layers are chosen by the profile, not by prose. An agent that reads such a rule believes that rules are
missing which are in the block, or the other way round.

## Example

```bad
-- .synapse/context --
CONTEXT_RULE_DEPLETED_0=Skip the keyword layer (L6) to save tokens.
```

```good
-- .synapse/context --
CONTEXT_RULE_DEPLETED_0=Answer briefly to save tokens.
```

## Evidence

SYNAPSE Context Brackets keeps every layer awake from MODERATE on and adds the hand-off in CRITICAL. The
`context` file that the SYNAPSE reference ships asks to skip L6 in DEPLETED and all but L0 and L1 in
CRITICAL.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from synapse_ls.engine.profile import Bracket, Profile
from synapse_ls.formats.context import ContextDocument
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.layers import NAMES, profile_of
from synapse_ls.lint.rule import TreeRule
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

_CLAUSE = re.compile(r"[.;:]\s|\s[—–-]\s")
_LAYER = re.compile(r"\bL([0-7])\b(?!\s*cache)")
_LEFT_OUT = re.compile(
    r"\b(?:skip|omit|drop|disabl|ignor|exclu|suppress|pul[ae]|desativ)\w*", re.IGNORECASE
)
_ONLY = re.compile(r"\b(?:only|just|apenas|somente|só)\b", re.IGNORECASE)
_ALL = re.compile(
    r"\b(?:all|every|full|todas\s+as)\s+(?:\w+\s+)?(?:layers?|camadas)\b", re.IGNORECASE
)
_INJECTED = re.compile(
    r"\b(?:active|available|awake|enabled|inject\w*|loaded|ativas?|disponíveis|injetadas?)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|don't|don’t|unless|except|não|nunca|exceto|salvo)\b", re.IGNORECASE
)


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each rule and bracket, at the rule's text."""
    context = facts.document
    if not isinstance(context, ContextDocument):
        return
    profile = profile_of(tree)
    for name, rules in context.brackets.items():
        bracket = profile.bracket_named(name)
        if bracket is None or not context.switches.get(name, True):
            continue
        for rule in rules:
            said = _claim(rule.text)
            wrong = _wrong(*said, bracket, profile) if said else ""
            if wrong:
                yield Finding(
                    rule.text_span,
                    f"Agents are told that {wrong} there under the profile `{profile.name}`.",
                    "Reword the rule.",
                )


@lru_cache(maxsize=1024)
def _claim(text: str) -> tuple[str, frozenset[str]] | None:
    """What the first clause that speaks of layers says: "out", "only" or "all", and of which."""
    if "L" not in text and "l" not in text and "camadas" not in text:
        return None
    for clause in _CLAUSE.split(text):
        layers = frozenset(f"L{number}" for number in _LAYER.findall(clause))
        if _NOT.search(clause):
            continue
        if layers and _LEFT_OUT.search(clause):
            return "out", layers
        if layers and _ONLY.search(clause):
            return "only", layers
        if _ALL.search(clause) and _INJECTED.search(clause) and not _LEFT_OUT.search(clause):
            return "all", frozenset()
    return None


def _wrong(said: str, layers: frozenset[str], bracket: Bracket, profile: Profile) -> str:
    """What a claim says of a bracket, and what is so; "" where it is right."""
    every = frozenset(layer for layer, _ in profile.layers)
    if said == "out":
        found = layers & bracket.layers
    else:
        found = bracket.layers - layers if said == "only" else every - bracket.layers
    if not found:
        return ""
    if said == "out":
        return f"{_named(layers)} left out in {bracket.name}, but {_named(found)} in the block"
    if said == "only":
        return f"only {_named(layers)} injected in {bracket.name}, but {_named(found)} as well"
    return f"all layers are awake in {bracket.name}, but {_named(found)} asleep"


def _named(layers: frozenset[str]) -> str:
    """``L3 (workflow) and L6 (keyword) are``; more than three without their names."""
    found = sorted(layers)
    if len(found) <= 3:
        found = [f"{layer} ({NAMES[layer]})" for layer in found]
    if len(found) == 1:
        return f"{found[0]} is"
    return f"{', '.join(found[:-1])} and {found[-1]} are"


RULE = TreeRule(
    code="SYN406",
    name="contradicting-bracket-prose",
    severity=Severity.INFO,
    kinds=frozenset({FileKind.CONTEXT}),
    check=check,
)
