"""This module suggests the names that an unknown name was probably meant to be (did you mean …?)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from synapse_ls.text.edit_distance import edit_distance
from synapse_ls.workspace.naming_conventions import kebab_case, rule_file_stem

_MAX_NEAR_MISSES = 3  # near misses worth showing


def near_misses(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Returns at most three of ``names`` that are suggested for ``name``, since it was probably
    meant to be one of them, the likeliest first.

    Letter case, ``_`` for ``-``, an extension and a plural count least, then a missing or
    additional word (``dev`` for ``agent-dev``); only where there is none of that, misspellings
    are looked for. The name itself is not among them.
    """
    wanted = _name_shape(name)
    shapes = {other: _name_shape(other) for other in names if other != name}
    for likeness in (_spelling_likeness, _misspelling_score):
        scored = ((-likeness(wanted, shape), other) for other, shape in shapes.items())
        found = sorted((score, other) for score, other in scored if score)
        if found:
            return tuple(other for _, other in found[:_MAX_NEAR_MISSES])
    return ()


def suggest_names(
    name: str, names: Iterable[str], otherwise: str = "", *, shown: str = "{}"
) -> str:
    """Asks whether one of ``names`` was meant by ``name``; ``otherwise`` where none is near.

    ``shown`` is how a name is written in the question, with ``{}`` for the name.
    """
    near = [shown.format(one) for one in near_misses(name, names)]
    return f"Did you mean {' or '.join(near)}?" if near else otherwise


def _spelling_likeness(a: tuple[str, str, int], b: tuple[str, str, int]) -> float:
    """Rates two name shapes from 3 (two spellings of one name) down to 1 (one name inside the
    other); 0 for unlike names.
    """
    if not (a[0] and b[0]):
        return 0.0
    if a[0] == b[0]:
        return 3.0
    if a[1] == b[1]:
        return 2.0
    shorter, longer = sorted((a[1], b[1]), key=len)
    if longer.startswith(f"{shorter}-") or longer.endswith(f"-{shorter}"):
        return 1.0 + len(shorter) / len(longer)
    return 0.0


def _misspelling_score(a: tuple[str, str, int], b: tuple[str, str, int]) -> float:
    """Rates two name shapes by typing errors: nearly 1 for one slip, less for two (in a long
    name), 0 for more.
    """
    limit = min(max(len(a[0]) // 4, 1), 2)
    # A slip adds and removes one character, so this quick test never hides a near miss.
    if not b[0] or (a[2] ^ b[2]).bit_count() > 2 * limit:
        return 0.0
    slips = edit_distance(a[0], b[0], limit)
    return 1.0 - slips / (len(a[0]) + 1) if slips <= limit else 0.0


@lru_cache(maxsize=65_536)
def _name_shape(name: str) -> tuple[str, str, int]:
    """Returns what names are compared by: the kebab-case name, the same in the singular, its
    characters as a bit set.
    """
    spelled = kebab_case(rule_file_stem(name))
    bits = 0
    for character in spelled:
        bits |= 1 << (ord(character) & 127)
    return spelled, "-".join(_singular_form(word) for word in spelled.split("-")), bits


def _singular_form(word: str) -> str:
    """Returns an English word without its plural ending."""
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word
