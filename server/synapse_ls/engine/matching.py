"""Recall and exclusion: which keywords of the tree a prompt contains.

The table is compiled once per plan. A keyword is a tuple ``(needle, shown, owner, kind)``: folded
and written form, position of its domain (or of its scope, for a global exclude), and its kind.
"""

from __future__ import annotations

from synapse_ls.engine.words import bucket_of, buckets_of, contains, fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    Keyword = tuple[str, str, int, int]
    Table = dict[str, tuple[Keyword, ...]]

RECALL, EXCLUDE, GLOBAL_EXCLUDE = 0, 1, 2


def compile_table(keywords: Iterable[tuple[str, int, int]]) -> Table:
    """The table for ``(keyword, owner, kind)`` rows; keywords without content are left out."""
    table: dict[str, list[Keyword]] = {}
    for shown, owner, kind in keywords:
        needle = fold(shown)
        if needle:
            table.setdefault(bucket_of(needle), []).append((needle, shown, owner, kind))
    return {bucket: tuple(rows) for bucket, rows in table.items()}


class Matches:
    """What of a table a prompt contains.

    recall: domain position -> keywords, longest first. excludes: domain position -> the word that
    excludes it. global_excludes: scope -> the word that stops all recall there.
    """

    __slots__ = ("excludes", "global_excludes", "recall")

    def __init__(self) -> None:
        self.recall: dict[int, tuple[str, ...]] = {}
        self.excludes: dict[int, str] = {}
        self.global_excludes: dict[int, str] = {}


def match(table: Table, folded: str, *, substring: bool = False) -> Matches:
    """The matches of a folded prompt; ``substring`` is CARL's way (ADR-001 A4), without words."""
    found = Matches()
    if not folded:
        return found
    recalled: dict[int, list[str]] = {}
    rows = table if substring else table.keys() & buckets_of(folded)
    for bucket in rows:
        for needle, shown, owner, kind in table[bucket]:
            if needle not in folded if substring else not contains(folded, needle):
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
