"""The commonest words of languages and of texts about code, for rules that judge keywords.

``scripts/gen-words`` writes ``word_frequencies.txt``, most frequent first. The word at place n is
about as frequent as 1 / n (Zipf's law), which is its weight here.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from synapse_ls import lint
from synapse_ls.engine.word_matching import fold_text
from synapse_ls.lint.lint_rule import weak_cache
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.workspace.file_facts import FileFacts

# Words, folded, that are in very many of the prompts that programmers write, in English and
# Portuguese, whatever they are about.
with open(f"{lint.__path__[0]}/common_keywords.txt", encoding="utf-8") as file:  # noqa: PTH123
    COMMON_KEYWORDS = frozenset(
        word for line in file if not line.startswith("#") for word in line.split()
    )

ENGLISH, CODE = "en", "code"
_COMMONEST = 80  # words of a language that are in many prompts, whatever these are about
_CHANCE = 1 / 800  # the weight of words from which on a keyword inside of them is reported
_TELLING_WORDS = 2  # words of another language that show that a manifest is written in it
_WORD = lazy_pattern(r"[^\W\d_]{3,}")
_ENDING = (
    "s|es|d|ed|ing|er|ers|ion|ions|ation|ations|ment|ments|ly|able|ible|al|ally|ive|ity|ness|ful|"
    "less|ance|ence|e|y|ies|ier|ic|ics|i[sz](?:e|es|ed|ing|ation)|"
    "r|ar|ou|ando|endo|ado|ada|ados|adas|cao|coes|mento|mentos|mente|cion|ciones|miento"
)
_FORM = lazy_pattern(rf"(?:{_ENDING}){{1,2}}")


class WordList(NamedTuple):
    """The words of a language, most frequent first, and in one text with a space around each."""

    words: tuple[str, ...]
    text: str


@lru_cache(maxsize=1)
def _word_lists() -> dict[str, WordList]:
    lists = {}
    with open(f"{lint.__path__[0]}/word_frequencies.txt", encoding="utf-8") as file:  # noqa: PTH123
        for line in file:
            name, text = line.rstrip("\n").split(" ", 1)
            lists[name] = WordList(tuple(text.split(" ")), f" {text} ")
    return lists


@weak_cache
def languages_of(facts: FileFacts) -> tuple[str, ...]:
    """Return the languages that prompts for a manifest may be written in: English, and those of
    which it has several words, in its keywords or its comments.
    """
    written = set(_WORD.findall(fold_text(facts.text)))
    english = set(_word_lists()[ENGLISH].words)
    others = (
        name
        for name, words in _word_lists().items()
        if name not in (ENGLISH, CODE)
        and len(written.intersection(words.words) - english) >= _TELLING_WORDS
    )
    return (ENGLISH, *others)


@lru_cache(maxsize=16)
def commonest_words(languages: tuple[str, ...]) -> frozenset[str]:
    """Return the words, folded, that are in many prompts in one of these languages."""
    return frozenset(word for name in languages for word in _word_lists()[name].words[:_COMMONEST])


def chance_hosts(keyword: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the words, most frequent first, that a keyword, folded, stands inside of by chance;
    none where they are too rare to matter.

    What looks like a form of the keyword (``listed`` for ``list``) does not count.
    """
    for name in (CODE, *languages):
        hosts = dict(_hosts(keyword, _word_lists()[name]))
        if sum(1 / place for place in hosts.values()) >= _CHANCE:
            return tuple(hosts)
    return ()


def _hosts(keyword: str, words: WordList) -> Iterator[tuple[str, int]]:
    """Yield each word that a keyword is inside of and that is no form of it, with its place."""
    place = end = 0
    text = words.text
    while (at := text.find(keyword, end)) >= 0:
        place += text.count(" ", end, at)
        word = words.words[place - 1]
        rest = word.removeprefix(keyword)
        doubled = rest[1:] if rest[:1] == keyword[-1] else rest  # `planned` of `plan`
        is_form = rest != word and (_FORM.fullmatch(rest) or _FORM.fullmatch(doubled))
        if word != keyword and not is_form:
            yield word, place
        end = text.index(" ", at)
