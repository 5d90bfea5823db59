"""How a configuration or a comment names rules.

A selector is the code of a rule, the beginning of codes (``SYN3``), a rule's name, or ``ALL``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Protocol

from synapse_ls.lint.registry import rules

ALL = "ALL"


class Named(Protocol):
    """A rule, or what a rule has found."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...


@cache
def is_known(selector: str) -> bool:
    """Whether a selector means any rule at all."""
    return any(takes((selector,), rule) for rule in rules())


def takes(selectors: Iterable[str], rule: Named) -> bool:
    """Whether one of the selectors means the rule."""
    return specificity(selectors, rule) > 0


def names(selectors: Iterable[str], rule: Named) -> bool:
    """Whether one of the selectors means the rule on purpose: by its code, its name or ``ALL``."""
    return not {ALL, rule.code, rule.name}.isdisjoint(selectors)


def specificity(selectors: Iterable[str], rule: Named) -> int:
    """0 where no selector means the rule, else the more, the fewer rules the closest one means."""
    return max((_length(selector, rule) for selector in selectors), default=0)


def _length(selector: str, rule: Named) -> int:
    if selector in (ALL, rule.name):
        return 1 if selector == ALL else len(rule.code)
    return len(selector) if selector and rule.code.startswith(selector) else 0
