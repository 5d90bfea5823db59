"""This module builds the finding, with a suggestion, for a name that a file mentions and nothing
defines.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from synapse_ls.lint.diagnostic import Finding
from synapse_ls.lint.shared_fixes import single_edit_fix
from synapse_ls.text.edit_distance import edit_distance
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span
from synapse_ls.workspace.file_facts import FileFacts
from synapse_ls.workspace.name_suggestions import near_misses

MAX_KNOWN_NAMES = 1_000
"""Known names among which a misspelt one is looked for."""

_LONG_NAME = 9  # letters of a name in which two slips leave no doubt what was meant


@lru_cache(maxsize=4096)
def misspelt_name(name: str, known_names: tuple[str, ...]) -> str:
    """Returns the known name that ``name`` misspells beyond doubt, else ""; both in one spelling.

    It is for names that may well exist elsewhere, so it is strict: a short one must have the same
    letters, and neither may be the beginning of the other, as in ``review`` and ``reviewed``.
    """
    for other in known_names:
        if name == other:
            return ""
    for other in known_names:
        if len(other) < 3 or other.startswith(name) or name.startswith(other):
            continue
        slips = 1 + (len(other) >= _LONG_NAME)
        if (len(other) > 4 or sorted(name) == sorted(other)) and edit_distance(
            name, other, slips
        ) <= slips:
            return other
    return ""


def unknown_name_finding(
    facts: FileFacts,
    name: Text,
    message: str,
    known_names: Iterable[str],
    default_remedy: str,
    *,
    meant: str = "",
) -> Finding:
    """Returns the finding for an unknown name, with a fix that writes the nearest known name.

    ``default_remedy`` is the remedy where no known name is near; ``meant`` is the name that was
    meant, where the caller knows it. Quotation marks and the like
    around the name are left alone.
    """
    place = _bare_name_span(facts, name)
    meant = meant or _nearest_name(name.value, tuple(known_names))
    if not meant:
        return Finding(place, message, default_remedy)
    write = f"Write `{meant}`"
    return Finding(
        place, message, f"{write}.", single_edit_fix(facts, write, place, meant, safe=False)
    )


@lru_cache(maxsize=4096)
def _nearest_name(name: str, known_names: tuple[str, ...]) -> str:
    """Returns the nearest known name, "" if none is near; cached, because most edits change
    neither.
    """
    found = near_misses(name, known_names) if len(known_names) <= MAX_KNOWN_NAMES else ()
    return found[0] if found else ""


def _bare_name_span(facts: FileFacts, name: Text) -> Span:
    """Returns the span of the name itself within its place, which may take in quotation marks."""
    written = name.span.cut(facts.text)
    start = written.find(name.value)
    if start < 0:
        return name.span
    return Span(start, start + len(name.value)).shift(name.span.start)
