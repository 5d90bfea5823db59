"""This module suggests which domain a rule belongs in, judged by its words."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from synapse_ls.edits.distinctive_words import distinctive_words
from synapse_ls.edits.edit_targets import require_manifest
from synapse_ls.edits.rule_checks import require_one_line
from synapse_ls.engine.word_matching import contains_word, first_contained, fold_text, split_words
from synapse_ls.workspace.rule_tree import Tree
from synapse_ls.workspace.tree_domains import Domain

RECALL_SCORE, NAME_SCORE, AGENT_SCORE, SIMILAR_SCORE = 3, 2, 1, 1
"""What each sign is worth: a keyword, a word of the name, the agent, a rule that is much alike."""

_LEAST_SIMILARITY = 0.6  # share of equal words in order from which two rules are about the same


@dataclass(frozen=True, slots=True)
class DomainSuggestion:
    """A DomainSuggestion is a domain's label with the sum of its signs, and what they are, the
    strongest first.
    """

    domain: str
    score: int
    reasons: tuple[str, ...]


def suggest_domains(tree: Tree, text: str) -> tuple[DomainSuggestion, ...]:
    """Returns the domains that a rule text fits, the best first; those it does not fit are left
    out.

    Each sign counts once. Among equals, more matching keywords win, then the order of the tree.
    Raises EditError where the text is empty or not one line, and where there is no manifest.
    """
    require_manifest(tree)
    folded = fold_text(require_one_line(text, "rule"))
    judged = [_judge_domain(tree, domain, folded) for domain in tree.domains]
    ranked = sorted(judged, key=lambda pair: (-pair[0].score, -pair[1]))
    return tuple(suggestion for suggestion, _ in ranked if suggestion.score)


def _judge_domain(tree: Tree, domain: Domain, folded: str) -> tuple[DomainSuggestion, int]:
    """Returns a domain's suggestion for a folded text, and how many of its keywords the text has."""
    declared = domain.declaration
    keywords = declared.recall if declared else ()
    excludes = declared.exclude if declared else ()
    trigger = declared.agent_trigger if declared else ""
    hits = [word for word in keywords if contains_word(folded, fold_text(word))]
    if first_contained(folded, map(fold_text, excludes)):
        hits = []
    named = [word for word in distinctive_words(domain.label) if contains_word(folded, word)]
    like = _similar_rule(tree, domain, folded)
    signs = (
        (RECALL_SCORE, f"keyword {_quote_words(hits)}" if hits else ""),
        (NAME_SCORE, f"{_quote_words(named)} in its name" if named else ""),
        (
            AGENT_SCORE,
            f"names @{trigger}" if trigger and contains_word(folded, fold_text(trigger)) else "",
        ),
        (SIMILAR_SCORE, f"like {like}" if like else ""),
    )
    found = [(worth, reason) for worth, reason in signs if reason]
    score = sum(worth for worth, _ in found)
    return DomainSuggestion(domain.label, score, tuple(reason for _, reason in found)), len(hits)


def _similar_rule(tree: Tree, domain: Domain, folded: str) -> str:
    """Returns the domain's rule that is most like a folded text, if one is much alike."""
    best, share = "", _LEAST_SIMILARITY
    matcher = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(split_words(folded))
    for rule in tree.rules_of(domain):
        matcher.set_seq1(split_words(fold_text(rule.text)))
        if matcher.quick_ratio() >= share and (ratio := matcher.ratio()) >= share:
            best, share = rule.key or f"rule {rule.index}", ratio
    return best


def _quote_words(found: list[str]) -> str:
    return ", ".join(f'"{word}"' for word in found)
