"""A rule of a bracket says something else about the layers than the bracket's table.

## What it does

Reads rules of the `context` file that say that layers are left out (`Skip L6`), that only some are
injected (`Only L0 and L1`), or that all of them are, in English or Portuguese, and compares that
with the layers that the profile activates in the bracket.

## Why it matters

Layers are chosen by the profile, not by prose. An agent that reads such a rule believes that rules
are missing which are in the block, or the other way round.

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

SYNAPSE Context Brackets keeps every layer active from MODERATE on and adds the hand-off in
CRITICAL. The `context` file that the SYNAPSE reference ships asks to skip L6 in DEPLETED and all
but L0 and L1 in CRITICAL."""

import re
from collections.abc import Iterator
from functools import lru_cache, reduce

from synapse_ls.engine.compiled_plan import Bracket, Profile
from synapse_ls.engine.reason_phrases import LAYER_NAMES
from synapse_ls.formats.context_file import ContextDocument
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import tree_profile
from synapse_ls.text.finding import Finding, Related
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span

_CLAUSE = lazy_pattern(r"[.;:]\s|\s[—–-]\s")
_LAYER = lazy_pattern(r"\bL([0-7])\b(?!\s*cache)")
_LEFT_OUT = lazy_pattern(
    r"\b(?:skip|omit|drop|disabl|ignor|exclu|suppress|pul[ae]|desativ)\w*", re.IGNORECASE
)
_ONLY = lazy_pattern(r"\b(?:only|just|apenas|somente|só)\b", re.IGNORECASE)
_ALL = lazy_pattern(
    r"\b(?:all|every|full|todas\s+as)\s+(?:\w+\s+)?(?:layers?|camadas)\b", re.IGNORECASE
)
_INJECTED = lazy_pattern(
    r"\b(?:active|available|awake|enabled|inject\w*|loaded|ativas?|disponíveis|injetadas?)\b",
    re.IGNORECASE,
)
_NOT = lazy_pattern(
    r"\b(?:not|never|don't|don’t|unless|except|não|nunca|exceto|salvo)\b", re.IGNORECASE
)


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for all rules of brackets that are wrong about the layers, at the first."""
    if not isinstance(context := facts.document, ContextDocument):
        return
    profile = tree_profile(tree)
    claims: list[tuple[Span, str, str]] = []
    for name, rules in context.brackets.items():
        if (bracket := profile.find_bracket(name)) is None or not context.switches.get(name, True):
            continue
        for rule in rules:
            layer_claim = _layer_claim(rule.text)
            wrong = _false_claim(*layer_claim, bracket, profile) if layer_claim else None
            if wrong:
                claims.append((rule.text_span, *wrong))
    if not claims:
        return
    sentence = reduce(  # one sentence of the catalogues
        lambda before, after: f"{before}; that {after}",
        (f"{claim}, but {truth}" for _, claim, truth in claims),
    )
    yield Finding(
        claims[0][0],
        f"Synapse LS differs: agents read that {sentence}.",
        "Reword the rule." if len(claims) == 1 else f"Reword the {len(claims)} rules.",
        related=tuple(Related(facts.path, span, f"But {truth}.") for span, _, truth in claims[1:]),
    )


@lru_cache(maxsize=1024)
def _layer_claim(text: str) -> tuple[str, frozenset[str]] | None:
    """Return what the first clause about layers claims: ("out", "only" or "all", layers), None for
    nothing.
    """
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


def _false_claim(
    claim_kind: str, layers: frozenset[str], bracket: Bracket, profile: Profile
) -> tuple[str, str] | None:
    """Return what a claim says of a bracket and what is true instead, None where the claim is
    right.
    """
    every = frozenset(layer for layer, _ in profile.layers)
    if claim_kind == "out":
        differing = layers & bracket.layers
    else:
        differing = bracket.layers - layers if claim_kind == "only" else every - bracket.layers
    if not differing:
        return None
    true = _join_layers(differing)
    if claim_kind == "out":
        return f"{_join_layers(layers)} left out in {bracket.name}", f"{true} active there"
    if claim_kind == "only":
        return f"only {_join_layers(layers)} injected in {bracket.name}", f"{true} as well there"
    return f"all layers are active in {bracket.name}", f"{true} inactive there"


def _join_layers(layers: frozenset[str]) -> str:
    """Return layers as text, such as ``L3 (workflow) and L6 (keyword) are``; more than three
    without names.
    """
    differing = sorted(layers)
    if len(differing) <= 3:
        differing = [f"{layer} ({LAYER_NAMES[layer]})" for layer in differing]
    if len(differing) == 1:
        return f"{differing[0]} is"
    return f"{', '.join(differing[:-1])} and {differing[-1]} are"
