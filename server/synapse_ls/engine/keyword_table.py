"""This module finds which recall and exclude keywords of a tree a prompt contains, by a table
that is compiled once per plan.

A keyword is a tuple ``(needle, shown, owner, kind)``: folded and written form, position of
its domain (or of its scope, for a global exclude), and its kind. Keywords with the same first
word are a bucket. A bucket stays packed until a prompt has such a word.
"""

from __future__ import annotations

from marshal import dumps, loads

from synapse_ls.engine.word_matching import bucket_of, buckets_of, contains_word, fold_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Keyword = tuple[str, str, int, int]

RECALL, EXCLUDE, GLOBAL_EXCLUDE = 0, 1, 2


def compile_keywords(keywords: Iterable[tuple[str, int, int]]) -> dict[str, bytes]:
    """Return the keyword table for ``(keyword, owner, kind)`` rows; keywords without content are
    left out.
    """
    buckets: dict[str, list[Keyword]] = {}
    for written, owner, kind in keywords:
        needle = fold_text(written)
        if needle:
            buckets.setdefault(bucket_of(needle), []).append((needle, written, owner, kind))
    return {bucket: dumps(tuple(rows)) for bucket, rows in buckets.items()}


class KeywordMatches:
    """A KeywordMatches is what of a keyword table a prompt contains.

    recall: domain position -> keywords, longest first. excludes: domain position -> the word
    that excludes it. global_excludes: scope -> the word that stops all recall there.
    """

    __slots__ = ("excludes", "global_excludes", "recall")

    def __init__(self) -> None:
        self.recall: dict[int, tuple[str, ...]] = {}
        self.excludes: dict[int, str] = {}
        self.global_excludes: dict[int, str] = {}


def match_keywords(
    table: Mapping[str, bytes], folded: str, *, substring: bool = False
) -> KeywordMatches:
    """Returns the keywords of the table that match a folded prompt; ``substring`` is CARL's way
    (ADR-001 A4), without words.
    """
    matches = KeywordMatches()
    if not folded:
        return matches
    recalled: dict[int, list[str]] = {}
    for needle, written, owner, kind in (
        _all_keywords(table) if substring else _possible_keywords(table, folded)
    ):
        if needle not in folded if substring else not contains_word(folded, needle):
            continue
        if kind == RECALL:
            recalled.setdefault(owner, []).append(written)
        else:
            target = matches.excludes if kind == EXCLUDE else matches.global_excludes
            # The least word, so that the reason does not hang on the order of a set.
            target[owner] = min(target.get(owner, written), written)
    for owner, shown_words in recalled.items():
        matches.recall[owner] = tuple(sorted(set(shown_words), key=lambda w: (-len(w), w)))
    return matches


def _all_keywords(table: Mapping[str, bytes]) -> Iterator[Keyword]:
    for rows in table.values():
        yield from loads(rows)


def _possible_keywords(table: Mapping[str, bytes], folded: str) -> Iterator[Keyword]:
    """Yield the keywords whose first word the text has."""
    for bucket in buckets_of(folded):
        if bucket in table:
            yield from loads(table[bucket])
