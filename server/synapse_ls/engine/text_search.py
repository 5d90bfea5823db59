"""This module searches texts by the words of another (BM25F): an index made once, and a few
additions per prompt.

What a word found in a field is worth is its rarity, saturated by how often it stands there,
times the weight of the field, as in BM25F. It is reckoned in thousandths and whole numbers,
so that a search gives the same on every machine. The words are those of ``word_matching``
without case and accents, without the commonest of English and Portuguese (stop words), and
without the endings that tell a plural or a form of a verb from what it belongs to
(stemming).
"""

from __future__ import annotations

from marshal import dumps, loads

from synapse_ls.engine.word_matching import fold_text, split_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    Document = tuple[int, Mapping[str, Mapping[str, int]]]  # number, `counts` by field
    Parts = dict[str, int]  # field -> thousandths

WEIGHTS = {"title": 4, "tags": 4, "path": 3, "index": 2, "body": 1}
"""How much more a word is worth in a field than in the body."""

_FIELDS = tuple(WEIGHTS.items())

SHELF_LENGTH = 2  # code points by which terms are kept together
_K, _B = 1.2, 0.75  # the usual constants of BM25: saturation, and how much the length counts
_NEUTRAL_LENGTH = round(1000 * _K)  # of fields whose length does not count
_MIN_WORD_LENGTH = (
    2  # code points of a word that is worth looking for, but in scripts without spaces
)

_ENGLISH = (
    "a about after all also an and any are as at be because been but by can could did do does "
    "for from had has have he her here his how i if in into is it its just let me more most my "
    "no not now of on only or other our out over please she should so some such than that the "
    "their them then there these they this to too up us use using very was we were what when "
    "where which while who why will with would you your "
)
# Without accents, as words are folded.
_PORTUGUESE = (
    "ao aos aquela aquele as ate com como da das de dela dele depois do dos e ela ele eles em "
    "entao entre era essa esse esta estao estas este estes eu faca fazer foi for ha isso isto "
    "ja la lhe mais mas me mesmo meu minha muito na nao nas nem no nos nossa nosso num numa o "
    "os ou para pela pelo pelos por porque pra quando que quem se sem ser seu seus sobre sua "
    "suas tambem te tem tenho ter tudo um uma umas uns usar vai voce voces "
)
STOP_WORDS = frozenset((_ENGLISH + _PORTUGUESE).split())
"""Words that say nothing of what a text is about."""


def stem_word(word: str) -> str:
    """Returns a folded word without the endings of plurals and of verbs.

    >>> [stem_word(word) for word in ("migracoes", "queries", "boxes", "flores", "deployed", "running")]
    ['migracao', 'query', 'box', 'flor', 'deploy', 'run']
    """
    if len(word) < 4 or not word.isascii() or not word.isalpha():
        return word
    for ending, other in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 2:
            word = word[: -len(ending)] + other
            break
    else:
        for ending in ("ing", "ed"):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)]
                if word[-1] == word[-2] and word[-1] not in "lsz":
                    word = word[:-1]
                break
    if word[-1] == "e" and len(word) > 3:
        word = word[:-1]
    return f"{word[:-1]}n" if word[-1] == "m" else word  # viagem, viagens


_ENDINGS = (
    *(("ies", "y"), ("oes", "ao"), ("aes", "ao"), ("ais", "al"), ("eis", "el"), ("ois", "ol")),
    *(("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("zes", "z")),
    *(("ss", "ss"), ("us", "us"), ("is", "is"), ("s", "")),
)


def extract_terms(folded: str) -> dict[str, str]:
    """Returns term → the word of a folded text that it comes from, in the order of the text."""
    found: dict[str, str] = {}
    for word in split_words(folded):
        if word not in STOP_WORDS and (len(word) >= _MIN_WORD_LENGTH or not word.isascii()):
            found.setdefault(stem_word(word), word)
    return found


def count_terms(text: str) -> dict[str, int]:
    """Returns the terms of a text with how often they stand there."""
    from collections import Counter

    known = _STEMS
    found: dict[str, int] = {}
    for word, count in Counter(split_words(fold_text(text))).items():
        if word in STOP_WORDS or (len(word) < _MIN_WORD_LENGTH and word.isascii()):
            continue
        term = known.get(word)
        if term is None:
            if len(known) > _MAX_CACHED_STEMS:
                known.clear()
            term = known[word] = stem_word(word)
        found[term] = found.get(term, 0) + count
    return found


_MAX_CACHED_STEMS = 50_000
_STEMS: dict[str, str] = {}  # texts repeat their words


def compile_index(documents: Iterable[Document]) -> dict[str, Any]:
    """Returns the index of texts, as values that ``marshal`` can write; see `search_index`."""
    from math import log

    postings: dict[str, list[int]] = {}
    lengths: dict[int, int] = {}
    for number, fields in documents:
        for place, field in enumerate(WEIGHTS):
            found = fields.get(field)
            if not found:
                continue
            if field == "body":
                lengths[number] = sum(found.values())
            for term, count in found.items():
                known = postings.get(term)
                if known is None:
                    known = postings[term] = []
                known += number, place, count
        lengths.setdefault(number, 0)
    total = len(lengths)
    average = max(sum(lengths.values()), 1) / max(total, 1)
    shelves: dict[str, dict[str, list[int]]] = {}
    for term, known in postings.items():
        shelves.setdefault(term[:SHELF_LENGTH], {})[term] = known
    return {
        "shelves": {shelf: dumps(held) for shelf, held in shelves.items()},
        # By the number of texts that have a term: how much it says, in thousandths.
        "rarity": tuple(
            round(1000 * log(1 + (total - n + 0.5) / (n + 0.5))) for n in range(total + 1)
        ),
        "long": {
            number: round(1000 * _K * (1 - _B + _B * length / average))
            for number, length in lengths.items()
        },
    }


class SearchHit:
    """A SearchHit is what a text was found by. parts: field → thousandths. words: those of the
    query, in its order.
    """

    __slots__ = ("parts", "words")

    def __init__(self) -> None:
        self.parts: Parts = {}
        self.words: list[str] = []

    @property
    def score(self) -> int:
        """Returns the thousandths in all."""
        return sum(self.parts.values())


def search_index(index: Mapping[str, Any], query: Mapping[str, str]) -> dict[int, SearchHit]:
    """Returns the texts that have any term of ``query`` (as `extract_terms` gives them), by
    number.
    """
    found: dict[int, SearchHit] = {}
    held = index["shelves"]
    shelves: dict[str, Mapping[str, Sequence[int]]] = {}
    for term, word in query.items():
        shelf = term[:SHELF_LENGTH]
        if shelf not in held:
            continue
        if shelf not in shelves:
            shelves[shelf] = loads(held[shelf])
        postings = shelves[shelf].get(term, ())
        rarity = index["rarity"][len(set(postings[::3]))]
        for at in range(0, len(postings), 3):
            number, place, count = postings[at : at + 3]
            one = found.get(number)
            if one is None:
                one = found[number] = SearchHit()
            if not one.words or one.words[-1] != word:
                one.words.append(word)
            field, weight = _FIELDS[place]
            short = index["long"][number] if field == "body" else _NEUTRAL_LENGTH
            value = rarity * weight * count * 1000 // (count * 1000 + short)
            one.parts[field] = one.parts.get(field, 0) + value
    return found


def reinforcement_bonus(count: int) -> int:
    """Returns what having proved useful ``count`` times adds, in thousandths: ever less for each
    time more.
    """
    from math import log

    return round(250 * log(1 + count))
