"""Which domain a rule belongs in, judged by its words."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from synapse_ls.engine.words import any_of, contains, fold, words
from synapse_ls.manage.checks import one_line
from synapse_ls.manage.lookup import manifest_of
from synapse_ls.manage.words import distinctive
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.tree import Tree

RECALL, NAME, AGENT, SIMILAR = 3, 2, 1, 1
"""What each sign is worth: a keyword, a word of the name, the agent, a rule that is much alike."""

_ALIKE = 0.6  # share of equal words in order from which two rules are about the same


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A domain's label with the sum of its signs, and what they are, the strongest first."""

    domain: str
    score: int
    reasons: tuple[str, ...]


def suggest(tree: Tree, text: str) -> tuple[Suggestion, ...]:
    """The domains that a rule text fits, the best first; those it does not fit are left out.

    Each sign counts once. Among equals, more matching keywords win, then the order of the tree.
    Raises ManageError where the text is empty or not one line, and where there is no manifest.
    """
    manifest_of(tree)
    folded = fold(one_line(text, "rule"))
    judged = [_judge(tree, domain, folded) for domain in tree.domains]
    ranked = sorted(judged, key=lambda pair: (-pair[0].score, -pair[1]))
    return tuple(suggestion for suggestion, _ in ranked if suggestion.score)


def _judge(tree: Tree, domain: Domain, folded: str) -> tuple[Suggestion, int]:
    """A domain's suggestion for a folded text, and how many of its keywords the text has."""
    declared = domain.declaration
    keywords = declared.recall if declared else ()
    excludes = declared.exclude if declared else ()
    trigger = declared.agent_trigger if declared else ""
    hits = [word for word in keywords if contains(folded, fold(word))]
    if any_of(folded, map(fold, excludes)):
        hits = []
    named = [word for word in distinctive(domain.label) if contains(folded, word)]
    like = _alike(tree, domain, folded)
    signs = (
        (RECALL, f"keyword {_quoted(hits)}" if hits else ""),
        (NAME, f"{_quoted(named)} in its name" if named else ""),
        (AGENT, f"names @{trigger}" if trigger and contains(folded, fold(trigger)) else ""),
        (SIMILAR, f"like {like}" if like else ""),
    )
    found = [(worth, reason) for worth, reason in signs if reason]
    score = sum(worth for worth, _ in found)
    return Suggestion(domain.label, score, tuple(reason for _, reason in found)), len(hits)


def _alike(tree: Tree, domain: Domain, folded: str) -> str:
    """The domain's rule that is most like a folded text, if one is much alike."""
    best, share = "", _ALIKE
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(words(folded))
    for rule in tree.rules_of(domain):
        matcher.set_seq1(words(fold(rule.text)))
        if matcher.quick_ratio() >= share and (ratio := matcher.ratio()) >= share:
            best, share = rule.key or f"rule {rule.index}", ratio
    return best


def _quoted(found: list[str]) -> str:
    return ", ".join(f'"{word}"' for word in found)
