"""The keyword lists of a manifest.

What is to be said of a list depends on its text and little else, so that `judged` keeps it: an edit
of a long manifest judges one list and not all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Generic, NamedTuple, ParamSpec, TypeVar

from synapse_ls.formats.manifest import Declaration, Manifest, ManifestEntry
from synapse_ls.formats.problem import Text
from synapse_ls.formats.values import split_list
from synapse_ls.lint.diagnostic import Fix
from synapse_ls.lint.fixes import one, without_item
from synapse_ls.lint.lookup import once
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import CARL
from synapse_ls.workspace.tree import Tree

P = ParamSpec("P")
T = TypeVar("T")

MOST_KEYWORDS = 2_000
"""Keywords of a domain that are looked at; nobody has written a longer list by hand."""

_KEPT = 16_384  # judgements that are remembered, for each way to judge


def judged(judge: Callable[P, T]) -> Callable[P, T]:
    """Remembers what a function says of texts; its arguments must be cheap to hash."""
    return lru_cache(maxsize=_KEPT)(judge)  # type: ignore[return-value]


@once
def recalling(facts: FileFacts) -> tuple[tuple[Declaration, ManifestEntry], ...]:
    """The active domains of a manifest that have keywords, each with its ``_RECALL``."""
    domains = facts.document.domains.values() if isinstance(facts.document, Manifest) else ()
    found = ((domain, domain.entries.get("RECALL")) for domain in domains)
    return tuple(
        (domain, entry)
        for domain, entry in found
        if entry and 0 < len(entry.line.items) <= MOST_KEYWORDS and domain.active
    )


def items_of(value: str) -> tuple[str, ...]:
    """The items of a list by its text, in the order of `ManifestEntry.items`."""
    return tuple(item.value for item in split_list(value, Span(0, len(value)))[0])


def is_substring(tree: Tree) -> bool:
    """Whether the tree matches keywords inside of words, too."""
    said = tree.snapshot.config.matching
    return said == "substring" if said else tree.folder == CARL


class Judged(NamedTuple, Generic[T]):
    """A keyword on which there is something to say: its domain, its list, its place there, and what."""

    domain: str
    items: tuple[Text, ...]
    place: int
    verdict: T

    @property
    def item(self) -> Text:
        """The keyword itself."""
        return self.items[self.place]


def judge_all(
    facts: FileFacts, judge: Callable[[str], tuple[tuple[int, T], ...]]
) -> Iterator[Judged[T]]:
    """Every keyword of a manifest on which ``judge`` has something to say.

    ``judge`` takes the text of a list and answers with places in it.
    """
    for declaration, entry in recalling(facts):
        verdicts = judge(entry.word)
        items = entry.items if verdicts else ()
        for place, verdict in verdicts:
            yield Judged(declaration.name, items, place, verdict)


def deletion(facts: FileFacts, found: Judged[T], *, safe: bool) -> Fix | None:
    """Takes a keyword out of its list; the last one stays, or nothing would bring the domain in."""
    if len(found.items) < 2:
        return None
    span = without_item(found.items, found.place)
    return one(facts, "Delete the keyword", span, "", safe=safe)
