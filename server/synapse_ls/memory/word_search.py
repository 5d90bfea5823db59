"""This module finds memories by words: whole words, whatever their case, accents or plural, and
tags.

Every word of a query that says something counts where it is found first: as a tag, in the title, in
the text. What matches too few of them does not match at all; a query of stop words finds nothing.
"""

from __future__ import annotations

from synapse_ls.engine.word_matching import fold_text, split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final

    from synapse_ls.memory.record import Record

TAG_WEIGHT, TITLE_WEIGHT, TEXT_WEIGHT = 1.0, 0.6, 0.3
"""What a word is worth by where it is found."""

LONGEST_TEXT: Final = 4000  # code points of a text that are looked at
SHORTEST_PREFIX: Final = 3  # code points of a term that words may begin with
MOST_TERMS: Final = 64  # words of a query

# Words that say nothing about a subject, English and Portuguese, folded.
_STOP_TEXT: Final = """
a about after all also am an and any are as at back be because been before being but by can
could did do does doing done down each else few for from further get go going got had has have
having he her here hers him his how i if in into is it its just know let like make many me more
most my need new no nor not now of off ok on once one only or other our out over own please same
see she should so some such than that the their them then there these they thing this those
through to too two under until up us use used using very want was way we well were what when
where which while who whom why will with would yes you your yours
ao aos aquela aquele aqui as ate com como da das de dela dele deles depois do dos e ela elas ele
eles em entao entre era essa esse esta estao estar este eu fazer favor foi foram ha isso isto ja
la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o os ou para
pela pelas pelo pelos por porque pra qual quando que quem quero se sem ser seu sua sao so tambem
te tem tinha tudo um uma voce vai vou
"""
STOP_WORDS: Final = frozenset(_STOP_TEXT.split())


def singular_form(word: str) -> str:
    """Returns a folded word without the ending of a plural, which both languages write as s."""
    if len(word) > 3 and word[-1] == "s" and word[-2] not in "su":
        return word[:-1]
    return word


def search_terms(text: str) -> list[str]:
    """Returns the words of a text that say something, folded, in order, each once."""
    found = (
        singular_form(word.strip("_")) for word in split_words(fold_text(text[: 4 * LONGEST_TEXT]))
    )
    return list(dict.fromkeys(w for w in found if w and w not in STOP_WORDS and not _is_noise(w)))


def _is_noise(word: str) -> bool:
    """Tells whether a word is too short to say anything: a single letter or digit of the alphabet."""
    return len(word) == 1 and word.isascii()


def query_terms(text: str, more: Iterable[str] = ()) -> tuple[str, ...]:
    """Returns the terms of a query; ``more`` are names at work, such as those of files."""
    found = search_terms(text)
    for name in more:
        found += search_terms(name.replace("/", " ").replace(".", " ").replace("-", " "))
    return tuple(dict.fromkeys(found))[:MOST_TERMS]


class RecordWords:
    """RecordWords are what a record can be found by, in the three places; strings, so that they
    can be kept.
    """

    __slots__ = ("tags", "text", "title")

    def __init__(self, tags: str, title: str, text: str) -> None:
        self.tags = tags
        self.title = title
        self.text = text

    @staticmethod
    def from_record(record: Record) -> RecordWords:
        """Returns the words of a record."""
        return RecordWords(
            " ".join(dict.fromkeys(term for tag in record.tags for term in search_terms(tag))),
            " ".join(search_terms(record.title)),
            " ".join(search_terms(record.text[:LONGEST_TEXT])),
        )

    @property
    def as_tuple(self) -> tuple[str, str, str]:
        """Returns the words as plain values."""
        return self.tags, self.title, self.text


class Match:
    """A Match says how well a record matches. relevance: 0 to 1. matches: (word, where) in the
    query's order.
    """

    __slots__ = ("matches", "relevance", "share")

    def __init__(
        self, relevance: float, share: float, matches: tuple[tuple[str, str], ...]
    ) -> None:
        self.relevance = relevance
        self.share = share
        self.matches = matches

    @property
    def description(self) -> str:
        """Returns what matches, in words."""
        by_place: dict[str, list[str]] = {}
        for word, place in self.matches:
            by_place.setdefault(place, []).append(word)
        return "; ".join(f"{place} {', '.join(found)}" for place, found in by_place.items())


NO_MATCH: Final = Match(0.0, 0.0, ())


def match_words(
    query: tuple[str, ...], record_words: RecordWords, *, allow_prefix: bool = False
) -> Match:
    """Returns how well a record with these words matches the terms of a query.

    allow_prefix: whether words count that only begin with a term, as when somebody searches by
    hand.
    """
    if not query:
        return NO_MATCH
    asked = set(query)
    places = (
        ("tag", TAG_WEIGHT, record_words.tags),
        ("title", TITLE_WEIGHT, record_words.title),
        ("text", TEXT_WEIGHT, record_words.text),
    )
    there = [(name, worth, asked.intersection(text.split())) for name, worth, text in places]
    found: list[tuple[str, str]] = []
    total = 0.0
    for term in query:
        place = next(((n, w) for n, w, words in there if term in words), None)
        if place is None and allow_prefix and len(term) >= SHORTEST_PREFIX:
            place = next(((n, w) for n, w, text in places if f" {term}" in f" {text}"), None)
        if place is not None:
            found.append((term, place[0]))
            total += place[1]
    if not found:
        return NO_MATCH
    return Match(min(total, 1.0), len(found) / len(query), tuple(found))
