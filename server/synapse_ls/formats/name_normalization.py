"""Normalize names as people write them (case, accents, slugs, mentions), for comparison."""

import unicodedata

from synapse_ls.text.lazy_pattern import lazy_pattern

_WORD = lazy_pattern(r"[^\W_]+")
_AGENT = lazy_pattern(r"@?(?:[a-z]+:)?@?([a-z][a-z0-9_-]*)")
_NOBODY = frozenset({"", "none", "null", "various", "any", "all", "tbd", "n/a", "na"})


def fold_case(text: str) -> str:
    """Normalize a name to lower case without accents: ``"Critérios"`` -> ``"criterios"``."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()


def to_slug(text: str) -> str:
    """Normalize a name to its folded words, one space apart: ``"✅ Critérios_de aceite!"`` ->
    ``"criterios de aceite"``.
    """
    return " ".join(_WORD.findall(fold_case(text)))


def normalize_agent_id(raw: str) -> str:
    """Normalize the name of the agent that a definition or state file gives; "" where it names
    nobody in particular.

    ``@po`` -> ``po``; ``analyst/pm`` -> ``analyst``; ``core:dev`` -> ``dev``; ``various`` and
    ``${story.executor}`` -> "".
    """
    first = fold_case(raw.strip().strip("\"'`"))
    match = _AGENT.match(first)
    name = match.group(1) if match else ""
    return "" if name in _NOBODY or first in _NOBODY else name
