"""Compare rules: when two are the same, and which of a tree CLAUDE.md and the like repeat."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING
from unicodedata import normalize

from synapse_ls.text.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from synapse_ls.formats.instruction_rules import RuleSource, SourceRule
    from synapse_ls.workspace.rule_tree import Tree

_LABEL = lazy_pattern(
    r"[*_]{0,3}(?P<label>must(?: not| never)?|deve|debe|never|nunca|always|sempre|siempre"
    r"|should(?: not)?"
    r"|may|do not|nao|no)[*_]{0,3}:[*_]{0,3} +(?=\w)"
)
_DEMANDS = frozenset(("must", "deve", "debe"))  # what every rule says
_BOLD = lazy_pattern(r"(?:^|(?<=[\s(]))(\*\*|__)(?=\S)([^*_]+)(?<=\S)\1")
# What parts of a list that are nested in a rule begin with.
_NESTED_ITEM = lazy_pattern(r"[.;,]?\s*\n\s*(?:[-*+]|[0-9]{1,9}[.)])\s+")


def comparable_rule_text(text: str) -> str:
    """Return a rule's text on one line, as a fact: the form in which copies of it are found."""
    return " ".join(text.split())


def told_form(text: str) -> str:
    """Return the form in which a rule that is told twice is the same: without accents, capital
    letters and bold type, and without the label before them, of which what it forbids or weakens
    stays.

    >>> told_form("MUST: Não apague  nada"), told_form("**NEVER:** push"), told_form("Never push")
    ('nao apague nada', 'never push', 'never push')
    """
    plain = _BOLD.sub(r"\2", " ".join(_NESTED_ITEM.sub("; ", text).split()))
    folded = comparable_rule_text(plain).casefold()
    if not folded.isascii():
        folded = "".join(c for c in normalize("NFKD", folded) if not "\u0300" <= c <= "\u036f")
    if not (label := _LABEL.match(folded)):
        return folded
    word, rest = label["label"], folded[label.end() :]
    return rest if word in _DEMANDS else f"{word} {rest}"


def told_texts(tree: Tree) -> frozenset[str]:
    """Return the texts of the rules of a tree's own files that it tells at some time, in a form in
    which those told twice are the same.
    """
    return frozenset(
        told_form(rule.text)
        for domain in tree.domains
        if domain.is_active and domain.adopted is None
        for rule in tree.rules_of(domain)
    )


def repeated_rules(source: RuleSource, told: Collection[str]) -> Iterator[SourceRule]:
    """Yield the rules of a file that are among ``told``, as they stand there or with a heading
    above them before them, as trees that were adopted by earlier versions have them.
    """
    for heading in source.headings:
        for rule in heading.rules:
            own = told_form(rule.text)
            if own in told or any(f"{told_form(title)}: {own}" in told for title in heading.path):
                yield rule
