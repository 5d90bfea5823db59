"""What is said of a name that a file mentions and nothing defines."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from synapse_ls.formats.problem import Text
from synapse_ls.lint.diagnostic import Finding
from synapse_ls.lint.fixes import one
from synapse_ls.text.near import distance
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.naming import near_misses

MOST = 1_000
"""Known names among which a misspelt one is looked for."""

_LONG = 9  # letters of a name in which two slips leave no doubt what was meant


@lru_cache(maxsize=4096)
def misspelt(name: str, known: tuple[str, ...]) -> str:
    """The one of ``known`` that ``name`` misspells beyond doubt, else ""; both in one spelling.

    For names of which there may be others: a short one must have the same letters, and neither may
    be the beginning of the other, as in ``review`` and ``reviewed``.
    """
    for other in known:
        if name == other:
            return ""
    for other in known:
        if len(other) < 3 or other.startswith(name) or name.startswith(other):
            continue
        slips = 1 + (len(other) >= _LONG)
        if (len(other) > 4 or sorted(name) == sorted(other)) and distance(
            name, other, slips
        ) <= slips:
            return other
    return ""


def unknown(
    facts: FileFacts, name: Text, message: str, known: Iterable[str], otherwise: str
) -> Finding:
    """The finding for ``name``, with the name that was probably meant as its fix.

    ``otherwise`` is the remedy where none of the ``known`` names is near. What stands around the
    name at its place, such as quotation marks, is left alone.
    """
    place = _bare(facts, name)
    meant = _meant(name.value, tuple(known))
    if not meant:
        return Finding(place, message, otherwise)
    write = f"Write `{meant}`"
    return Finding(place, message, f"{write}.", one(facts, write, place, meant, safe=False))


@lru_cache(maxsize=4096)
def _meant(name: str, known: tuple[str, ...]) -> str:
    """The known name that is nearest; remembered, because most edits change neither."""
    found = near_misses(name, known) if len(known) <= MOST else ()
    return found[0] if found else ""


def _bare(facts: FileFacts, name: Text) -> Span:
    """The place of the name itself within its own, which may take in quotation marks."""
    written = name.span.cut(facts.text)
    start = written.find(name.value)
    if start < 0:
        return name.span
    return Span(start, start + len(name.value)).shift(name.span.start)
