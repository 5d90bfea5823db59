"""Find memories by words, by the search that Brainiac's memories are found by.

Title, tags and text are its fields. What a memory says of a question is its relevance, from nothing
to 1; the names of what is at work (files, the task) are a question of their own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from synapse_ls.engine.text_search import (
    compile_index,
    extract_terms,
    question_terms,
    search_index,
    split_terms,
)
from synapse_ls.engine.word_matching import fold_text
from synapse_ls.memory.record import Record

LONGEST_TEXT = 4000  # code points of a text that are looked at
MOST_TERMS = 64  # words of a question
_PLACES = {"title": "title", "tags": "tag", "body": "text"}


def search_terms(text: str) -> list[str]:
    """Return the terms of a text that memories are searched by, in order, each once."""
    return list(extract_terms(fold_text(text[: 4 * LONGEST_TEXT])))


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What memories are searched for: term → word, of what was said and of the names at work."""

    said: Mapping[str, str]
    named: Mapping[str, str]

    def __bool__(self) -> bool:
        """Return whether anything is searched for."""
        return bool(self.said or self.named)


NO_QUERY = SearchQuery({}, {})


def make_query(text: str, names: Iterable[str] = ()) -> SearchQuery:
    """Return the query that searches memories for a text; ``names`` are those at work, such as
    those of files.
    """
    joined = " ".join(name.replace("/", " ").replace(".", " ") for name in names)
    terms = question_terms(fold_text(text[: 4 * LONGEST_TEXT]))
    named = extract_terms(fold_text(joined))
    return SearchQuery(
        dict(list(terms.items())[:MOST_TERMS]), dict(list(named.items())[:MOST_TERMS])
    )


def make_typed_query(text: str) -> SearchQuery:
    """Return the query for what somebody has typed to search for, whatever it is."""
    return SearchQuery(extract_terms(fold_text(text[: 4 * LONGEST_TEXT])), {})


@dataclass(frozen=True, slots=True)
class RecordWords:
    """What a search finds a memory by, in the three places: terms, each as often as it stands
    there; strings, so that they can be kept.
    """

    tags: str
    title: str
    text: str

    @staticmethod
    def from_record(record: Record) -> RecordWords:
        """Return the words of a record."""
        texts = (" ".join(record.tags), record.title, record.text)
        return RecordWords(*(" ".join(split_terms(text[:LONGEST_TEXT])) for text in texts))

    @property
    def as_tuple(self) -> tuple[str, str, str]:
        """The words as plain values."""
        return self.tags, self.title, self.text

    def counts(self) -> dict[str, Mapping[str, int]]:
        """Return the terms with how often they stand there, by the fields of a search."""
        texts = (("title", self.title), ("tags", self.tags), ("body", self.text))
        return {field: Counter(terms.split()) for field, terms in texts}


@dataclass(frozen=True, slots=True)
class Match:
    """How well a memory matches a search. relevance: 0 to 1. share: of the words that were asked.
    matches: (word, where) in the query's order.
    """

    relevance: float
    share: float
    matches: tuple[tuple[str, str], ...]

    @property
    def description(self) -> str:
        """What matches, in words."""
        by_place: dict[str, list[str]] = {}
        for word, place in self.matches:
            by_place.setdefault(place, []).append(word)
        return "; ".join(f"{place} {', '.join(words)}" for place, words in by_place.items())


NO_MATCH = Match(0.0, 0.0, ())


def compile_words(rows: Iterable[tuple[int, RecordWords]]) -> dict[str, Any]:
    """Return the index in which memories are searched by their words, by number."""
    return compile_index((number, words.counts()) for number, words in rows)


def search_words(
    index: Mapping[str, Any],
    query: SearchQuery,
    later: Mapping[str, Any] | None = None,
    *,
    allow_prefix: bool = False,
) -> dict[int, Match]:
    """Return the memories that a search finds, by their numbers; see `text_search.search_index`.

    What answers both what was said and the names at work counts by the better one.
    """
    matches: dict[int, Match] = {}
    for terms in (query.said, query.named):
        hits = search_index(index, terms, later, allow_prefix=allow_prefix) if terms else {}
        for number, hit in hits.items():
            term_count = len(terms)
            places = (_PLACES[field] for field in hit.fields)
            match = Match(
                hit.relevance / 1000,
                len(hit.words) / term_count,
                tuple(zip(hit.words, places, strict=True)),
            )
            before = matches.get(number, NO_MATCH)
            best = match if match.relevance > before.relevance else before
            words = dict(before.matches)
            more = (word_match for word_match in match.matches if word_match[0] not in words)
            matches[number] = Match(best.relevance, best.share, (*before.matches, *more))
    return matches


def match_words(
    query: SearchQuery, rows: Sequence[RecordWords], *, allow_prefix: bool = False
) -> list[Match]:
    """Return how well each of a few memories matches a search."""
    if not query or not rows:
        return [NO_MATCH] * len(rows)
    matches = search_words(compile_words(enumerate(rows)), query, allow_prefix=allow_prefix)
    return [matches.get(number, NO_MATCH) for number in range(len(rows))]
