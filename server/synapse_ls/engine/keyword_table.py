"""This module finds which recall and exclude keywords of a tree a prompt contains, by a table
that is compiled once per plan.

A keyword is a tuple ``(needle, shown, owner, kind)``: folded and written form, position of
its domain (or of its scope, for a global exclude), and its kind. They stay packed, in
shelves of buckets that begin alike, until a prompt has such a word.
"""

from __future__ import annotations

from marshal import dumps, loads

from synapse_ls.engine.word_matching import bucket_of, buckets_of, contains_word, fold_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from synapse_ls.engine.compiled_plan import NamedSlices

    Keyword = tuple[str, str, int, int]
    KeywordTable: TypeAlias = (
        "dict[str, bytes] | NamedSlices"  # what buckets begin with -> buckets, packed
    )

RECALL, EXCLUDE, GLOBAL_EXCLUDE = 0, 1, 2
SHELF_LENGTH = 3  # code points by which buckets are put together


def compile_keywords(keywords: Iterable[tuple[str, int, int]]) -> KeywordTable:
    """Returns the table for ``(keyword, owner, kind)`` rows; keywords without content are left
    out.
    """
    table: dict[str, list[Keyword]] = {}
    for shown, owner, kind in keywords:
        needle = fold_text(shown)
        if needle:
            table.setdefault(bucket_of(needle), []).append((needle, shown, owner, kind))
    shelves: dict[str, dict[str, tuple[Keyword, ...]]] = {}
    for bucket, rows in table.items():
        shelves.setdefault(bucket[:SHELF_LENGTH], {})[bucket] = tuple(rows)
    return {shelf: dumps(buckets) for shelf, buckets in shelves.items()}


class KeywordMatches:
    """A KeywordMatches is what of a table a prompt contains.

    recall: domain position -> keywords, longest first. excludes: domain position -> the word
    that excludes it. global_excludes: scope -> the word that stops all recall there.
    """

    __slots__ = ("excludes", "global_excludes", "recall")

    def __init__(self) -> None:
        self.recall: dict[int, tuple[str, ...]] = {}
        self.excludes: dict[int, str] = {}
        self.global_excludes: dict[int, str] = {}


def match_keywords(table: KeywordTable, folded: str, *, substring: bool = False) -> KeywordMatches:
    """Returns the matches of a folded prompt; ``substring`` is CARL's way (ADR-001 A4), without
    words.
    """
    found = KeywordMatches()
    if not folded:
        return found
    recalled: dict[int, list[str]] = {}
    for needle, shown, owner, kind in (
        _all_keywords(table) if substring else _possible_keywords(table, folded)
    ):
        if needle not in folded if substring else not contains_word(folded, needle):
            continue
        if kind == RECALL:
            recalled.setdefault(owner, []).append(shown)
        else:
            target = found.excludes if kind == EXCLUDE else found.global_excludes
            # The least word, so that the reason does not hang on the order of a set.
            target[owner] = min(target.get(owner, shown), shown)
    for owner, shown_words in recalled.items():
        found.recall[owner] = tuple(sorted(set(shown_words), key=lambda w: (-len(w), w)))
    return found


def _all_keywords(table: KeywordTable) -> Iterator[Keyword]:
    for shelf in table:
        for rows in loads(table[shelf]).values():
            yield from rows


def _possible_keywords(table: KeywordTable, folded: str) -> Iterator[Keyword]:
    """Yields the keywords whose first word the text has."""
    wanted: dict[str, list[str]] = {}
    for bucket in buckets_of(folded):
        wanted.setdefault(bucket[:SHELF_LENGTH], []).append(bucket)
    for shelf, buckets in wanted.items():
        if shelf in table:
            kept = loads(table[shelf])
            for bucket in buckets:
                yield from kept.get(bucket, ())
