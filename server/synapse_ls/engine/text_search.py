"""Search texts by the words of another (BM25F), with an index that is made once.

Scores are integers, in thousandths, so that every machine gives the same result. Words are folded
as in ``word_matching``, without English and Portuguese stop words, and stemmed. Weights and limits
were measured: see ``tests/memory/retrieval``.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from functools import lru_cache
from marshal import dumps, loads
from math import log
from typing import Any

from synapse_ls.engine.word_matching import fold_text, split_words

Document = tuple[int, Mapping[str, Mapping[str, int]]]  # number, `counts` by field
Parts = dict[str, int]  # field -> thousandths

# How often a word counts that stands once in a field of the usual length.
WEIGHTS = {"tags": 1, "title": 2, "path": 1, "index": 1, "body": 1}

# Thousandths of `SearchHit.relevance` from which a text answers a question.
LEAST_RELEVANCE = 200

TERM_LENGTH = 6  # code points of a term: migrate, migrating and migration are one
_FIELDS = tuple(WEIGHTS)
_K, _B = 1200, 750  # the usual constants of BM25, in thousandths: saturation, share of the length
_MIN_PREFIX_LENGTH = 3  # code points of a term that words may begin with
_FEWEST_TEXTS = 20  # fewer say little of how rare a word is
_ASKED_TERMS = 6  # the rarest of a question, which a text that answers it could be expected to have
# Code points of a word that is worth looking for, but in scripts without spaces.
_MIN_WORD_LENGTH = 2

_ENGLISH = (
    "a about above across actually after again all almost already also although always am among an "
    "and another any anybody anyone anything are as at away back be because become been before "
    "being below between both but by call can cannot come comes could did do does doing done don "
    "down during each either else enough especially even ever every everybody everything few find "
    "first for from further get gets give given gives go goes going got had has have having he "
    "help her here hers him his how however i if in instead into is it its just keep know let like "
    "ll look looks made make makes many may maybe me might mine more most much must my need needs "
    "never new no nobody nor not nothing now of off often ok on once one only onto or other others "
    "our ours out over own per perhaps please put quite rather re really said same say says see "
    "seem seems several shall she should show since so some somebody someone something still such "
    "take takes tell than that the their them then there these they thing things this those though "
    "through thus to together too toward two under unless until up upon us use used uses using ve "
    "very want wants was way we well went were what whatever when where whether which while who "
    "whole whom whose why will with within without would yes yet you your yours yourself "
)
# Without accents, as words are folded.
_PORTUGUESE = (
    "agora ai ainda alem algo alguem algum alguma algumas alguns ali ambos ante antes ao aos "
    "apenas apos aquela aquelas aquele aqueles aqui aquilo as assim ate bem cada cada coisa coisas "
    "com como contra contudo cujo da das de dela delas dele deles depois desde dessa desse desta "
    "deste deve devem devemos deveria disso disto do dos e ela elas ele eles em embora entao entre "
    "era eram essa essas esse esses esta estamos estao estar estas estava este estes eu faca faz "
    "fazem fazemos fazer favor feita feito foi for foram fosse ha isso isto ja la lhe lhes logo "
    "mais mas me mesma mesmo meu meus minha minhas muita muito muitos na nada nao nas nem nenhum "
    "nenhuma nessa nesse nesta neste ninguem no nos nossa nossas nosso nossos num numa nunca o "
    "onde os ou outra outras outro outros para parece pela pelas pelo pelos per perante pode podem "
    "podemos poder poderia pois por porem porque posso pouco pra quais qual qualquer quando quanta "
    "quantas quanto quantos que quem quer quero se seja sem sempre sendo ser sera seu seus si sido "
    "so sob sobre sou sua suas tal talvez tambem tanta tanto tao te tem temos tenha tenho ter teu "
    "teve toda todas todo todos tu tua tudo um uma umas uns usa usar vai vamos voce voces vos vou "
)
# Words that say nothing of what a text is about.
STOP_WORDS = frozenset((_ENGLISH + _PORTUGUESE).split())

_GREETINGS = (
    "absolutely afternoon agree agreed ahead alright amazing appreciate approved awesome bravo "
    "brilliant bye carry cheers clear confirm confirmed congrats congratulations cool correct "
    "continue day evening exactly excellent fantastic fine glad good goodbye great hello hey hi "
    "indeed keen later leave looking lovely lgtm maybe moment morning move moving next nice "
    "night nope okay okey onward perfect proceed progress ready right seconds sorry sounds start "
    "step stop sure thank thanks thx today try understand understood wait welcome wonderful wow "
    "work working works yeah yep yup "
    "abraco adeus aceito adiante afirmativo amanha avanca avancar avance beleza blz boa bom certo "
    "combinado concordo confirmo continua continuar continue correto desculpa desculpe dia "
    "entendi entendido espera espere exato exatamente excelente fixe frente funciona funcionou "
    "legal maravilha noite novamente obrigada obrigado oi ola otima otimo passo perfeita perfeito "
    "porreiro pronto prosseguir prossiga proximo seguinte seguir segue show siga sim tarde "
    "tchau tenta tente valeu volto"
)
# Words of greetings, thanks and assent: a prompt that has no others asks nothing.
_SMALL_TALK = frozenset(_GREETINGS.split())


def stem_word(word: str) -> str:
    """Return the stem by which a folded word is searched for, what it has in common with its other
    forms: its beginning, without the endings of plurals and of verbs.

    >>> words = ("migracoes", "queries", "boxes", "flores", "deployed", "running")
    >>> [stem_word(word) for word in words]
    ['migrac', 'query', 'box', 'flor', 'deploy', 'run']
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
    word = word[:TERM_LENGTH]
    return f"{word[:-1]}n" if word[-1] == "m" else word  # viagem, viagens


_ENDINGS = (
    *(("ies", "y"), ("oes", "ao"), ("aes", "ao"), ("ais", "al"), ("eis", "el"), ("ois", "ol")),
    *(("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("zes", "z")),
    *(("ss", "ss"), ("us", "us"), ("is", "is"), ("s", "")),
)


def extract_terms(folded: str) -> dict[str, str]:
    """Return the terms of a folded text that are searched for, term → the word that it comes from,
    in the order of the text.
    """
    terms: dict[str, str] = {}
    for word in split_words(folded.replace("_", " ")):
        if _says_something(word):
            terms.setdefault(stem_word(word), word)
    return terms


def question_terms(folded: str) -> dict[str, str]:
    """Return the terms that a folded prompt asks to search for; none where it asks nothing, as a
    greeting does.

    >>> question_terms("ok, thanks! go on"), question_terms("thanks, and the cache?")
    ({}, {'thank': 'thanks', 'cach': 'cache'})
    """
    terms = extract_terms(folded)
    return {} if _SMALL_TALK.issuperset(terms.values()) else terms


def _says_something(word: str) -> bool:
    return word not in STOP_WORDS and (len(word) >= _MIN_WORD_LENGTH or not word.isascii())


def count_terms(text: str) -> dict[str, int]:
    """Return the terms of a text that can be searched, with how often they stand there."""
    return Counter(split_terms(text))


def split_terms(text: str) -> list[str]:
    """Split a text that can be searched into its terms, each as often as it stands there."""
    return [*filter(None, map(_term_of, split_words(fold_text(text).replace("_", " "))))]


@lru_cache(maxsize=50_000)  # texts repeat their words
def _term_of(word: str) -> str:
    return stem_word(word) if _says_something(word) else ""


def compile_index(documents: Iterable[Document]) -> dict[str, Any]:
    """Return the search index of texts, as values that ``marshal`` can write; see
    `search_index`.
    """
    texts = list(documents)
    postings: dict[str, list[int]] = {}
    for place, (field, weight) in enumerate(WEIGHTS.items()):
        lengths = {n: sum(fields[field].values()) for n, fields in texts if fields.get(field)}
        usual = max(sum(lengths.values()), 1)
        for number, fields in texts:
            if number not in lengths:
                continue
            # 1000 for a field of the usual length.
            length = 1000 - _B + _B * lengths[number] * len(lengths) // usual
            for term, count in fields[field].items():
                if (posting := postings.get(term)) is None:
                    posting = postings[term] = []
                posting += number, place, max(weight * count * 1_000_000 // length, 1)
    total = max(len(texts), _FEWEST_TEXTS)
    return {
        # Term → number of a text, place of a field, thousandths of how often it counts there, …;
        # packed, since a search needs few of them.
        "postings": {term: dumps(posting) for term, posting in postings.items()},
        # By the number of texts that have a term: how much it says, in thousandths.
        "rarity": tuple(
            round(1000 * log(1 + (total - n + 0.5) / (n + 0.5))) for n in range(total + 1)
        ),
    }


@dataclass(slots=True)
class SearchHit:
    """What a text was found by in a search. parts: field → thousandths. words: those of the query,
    in its order; fields: where each stands first. relevance: thousandths of what a text could have
    that says each word of the question once.
    """

    parts: Parts = dataclass_field(default_factory=dict)
    words: list[str] = dataclass_field(default_factory=list)
    fields: list[str] = dataclass_field(default_factory=list)
    relevance: int = 0

    @property
    def score(self) -> int:
        """The thousandths in all."""
        return sum(self.parts.values())


def search_index(
    index: Mapping[str, Any], query: Mapping[str, str], *, allow_prefix: bool = False
) -> dict[int, SearchHit]:
    """Return the texts that have any term of ``query`` (as `extract_terms` gives them), by number.

    allow_prefix: whether words count that only begin with a term.
    """
    hits: dict[int, SearchHit] = {}
    rarities: Sequence[int] = index["rarity"]
    packed: Mapping[str, bytes] = index["postings"]
    rarities_asked: list[int] = []
    for term, word in query.items():
        matching = [term] if term in packed else []
        if allow_prefix and len(term) >= _MIN_PREFIX_LENGTH:
            matching = [known for known in packed if known.startswith(term)]
        places: dict[int, list[int]] = {}
        for postings in (loads(packed[known]) for known in matching):
            for at in range(0, len(postings), 3):
                places.setdefault(postings[at], []).extend(postings[at + 1 : at + 3])
        rarity = rarities[min(len(places), len(rarities) - 1)]
        rarities_asked.append(rarity)
        for number, counts in places.items():
            if (hit := hits.get(number)) is None:
                hit = hits[number] = SearchHit()
            hit.words.append(word)
            hit.fields.append(_FIELDS[counts[0]])
            # What a term is worth, each field by its share. counts: place of a field, thousandths
            # of how often the term counts there, and so on.
            pooled = sum(counts[1::2])
            value = rarity * (1000 + _K) * pooled // (1000 * (pooled + _K))
            rest = value
            for at in range(len(counts) - 2, -1, -2):
                share = value * counts[at + 1] // pooled if at else rest
                rest -= share
                field = _FIELDS[counts[at]]
                hit.parts[field] = hit.parts.get(field, 0) + share
    rarities_asked.sort(reverse=True)
    most = max(sum(rarities_asked[:_ASKED_TERMS]), 1)
    for hit in hits.values():
        hit.relevance = min(1000 * hit.score // most, 1000)
    return hits
