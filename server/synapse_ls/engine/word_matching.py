"""Match keywords as whole words, in time linear in the text and not in the number of keywords.

Both sides are folded (case and accents), and white space is flexible. A boundary is required only
at an end that is alphanumeric, so that ``.git``, ``c++`` and ``/lean:`` match as written; scripts
without spaces (Han, Kana, Thai …) have no boundaries. A plan's keywords are in buckets by their
first word, as tuples ``(needle, written, owner, kind)``: folded and written form, the position of
the domain (of the scope, for a global exclude), and the kind.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    Keyword = tuple[str, str, int, int]
    KeywordTable = Mapping[str, Sequence[Keyword]]

# First and last code point of scripts without spaces between words (Unicode blocks).
_UNSPACED_RANGES = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x1000, 0x109F),  # Myanmar
    (0x1780, 0x17FF),  # Khmer
    (0x2E80, 0x9FFF),  # CJK radicals, Kana, unified ideographs
    (0xF900, 0xFAFF),  # CJK compatibility ideographs
    (0x20000, 0x3FFFF),  # supplementary ideographs
)
# Of domains with ``{D}_INFLECTIONS``: letters of the shortest word that has other forms.
_SHORTEST = 3
_VOWELS = "aeiouy"
# Portuguese and Spanish nouns, folded: (singular, plural).
_ENDINGS_ABROAD = (("cao", "coes"), ("sao", "soes"), ("cion", "ciones"), ("sion", "siones"))


def fold_text(text: str) -> str:
    """Return ``text`` as its words are matched, without differences of case, accents and white
    space.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    from unicodedata import combining, normalize

    decomposed = normalize("NFKD", text.casefold())
    return " ".join("".join(c for c in decomposed if not combining(c)).split())


def is_unspaced_script(code: int) -> bool:
    """Check whether a code point belongs to a script that writes no spaces between words."""
    return code >= 0x0E00 and any(first <= code <= last for first, last in _UNSPACED_RANGES)


def _is_word_char(char: str) -> bool:
    """Check whether a keyword that ends in ``char`` needs a boundary there."""
    return (char.isalnum() or char == "_") and not is_unspaced_script(ord(char))


class _Separators(dict[int, str]):
    """A translation table, filled as it is used: what is no word character becomes a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        if not (char.isalnum() or char == "_"):
            char = " "
        elif is_unspaced_script(code):
            char = f" {char} "
        self[code] = char
        return char


_SEPARATORS = _Separators()


def split_words(folded: str) -> list[str]:
    """Split a folded text into the words that keywords are matched with, in order; a character of
    an unspaced script is a word.
    """
    return folded.translate(_SEPARATORS).split()


def contains_word(folded: str, needle: str) -> bool:
    """Check whether a folded text has a folded keyword as whole words."""
    return next(find_occurrences(folded, needle), -1) >= 0


def find_occurrences(folded: str, needle: str) -> Iterator[int]:
    """Yield the offsets at which a folded keyword stands in a folded text as whole words."""
    if not needle:
        return
    bound_left, bound_right = _is_word_char(needle[0]), _is_word_char(needle[-1])
    end = len(folded)
    start = folded.find(needle)
    while start >= 0:
        stop = start + len(needle)
        if not (bound_left and start > 0 and _is_word_char(folded[start - 1])) and not (
            bound_right and stop < end and _is_word_char(folded[stop])
        ):
            yield start
        start = folded.find(needle, start + 1)


MOST_SLUGS = 10_000  # names whose slug is known


def slug_of(name: str) -> str:
    """Return a name as the engine compares it: lower case, everything that is not alphanumeric one
    underscore.
    """
    if (slug := _SLUGS.get(name)) is None:
        if len(_SLUGS) >= MOST_SLUGS:
            _SLUGS.clear()
        slug = _SLUGS[name] = "_".join(name.lower().translate(_SLUG_SEPARATORS).split())
    return slug


class _SlugSeparators(dict[int, str]):
    """A translation table, filled as it is used: what is not alphanumeric becomes a space."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = separated = char if char.isalnum() else " "
        return separated


_SLUGS: dict[str, str] = {}  # a tree has few names, and each is compared with many others
_SLUG_SEPARATORS = _SlugSeparators()


RECALL, EXCLUDE, GLOBAL_EXCLUDE = 0, 1, 2


def compile_keywords(
    keywords: Iterable[tuple[str, int, int]], inflected: Collection[int] = ()
) -> KeywordTable:
    """Return the keyword table for ``(keyword, owner, kind)`` rows; keywords without content are
    left out. Those that recall the owners ``inflected`` match in other forms, too.
    """
    buckets: dict[str, list[Keyword]] = {}
    for written, owner, kind in dict.fromkeys(keywords):
        needles = {fold_text(written)} - {""}
        if kind == RECALL and owner in inflected:
            needles = needles.union(*map(inflected_forms, needles))
        for needle in sorted(needles):
            words = split_words(needle)
            buckets.setdefault(words[0] if words else needle[:1], []).append(
                (needle, written, owner, kind)
            )
    return buckets


class KeywordMatches:
    """What of a keyword table a prompt contains.

    recall: domain position -> keywords, longest first. excludes: domain position -> the word
    that excludes it. global_excludes: scope -> the word that stops all recall there.
    """

    def __init__(self) -> None:
        self.recall: dict[int, tuple[str, ...]] = {}
        self.excludes: dict[int, str] = {}
        self.global_excludes: dict[int, str] = {}


def match_keywords(table: KeywordTable, folded: str, *, substring: bool = False) -> KeywordMatches:
    """Return the keywords of the table that match a folded prompt; ``substring`` is CARL's way
    (ADR-001 A4), without words.
    """
    matches = KeywordMatches()
    if not folded:
        return matches
    recalled: dict[int, list[str]] = {}
    buckets: Iterable[str] = table
    if not substring:  # those whose keywords can match words of the text
        buckets = {*split_words(folded), *(c for c in set(folded) if not c.isalnum())}
    for bucket in buckets:
        for needle, written, owner, kind in table.get(bucket, ()):
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


def inflected_forms(keyword: str) -> frozenset[str]:
    """Return the other forms of a folded keyword; of a phrase, those of its last word, and that of
    which each word is a plural: singular and plural, and the English verb forms (test, tests,
    tested, testing). The part of speech is unknown, so some forms do not exist, and match nothing.
    """
    *before, last = keyword.split(" ")
    if not last.isalpha() or len(last) < _SHORTEST:
        return frozenset()
    forms = {last}
    for base in _bases(last):
        stem = base.removesuffix("e")
        forms |= {base, _plural(base), f"{stem}ing", f"{stem}ed"}
        if _is_doubled(base):
            forms |= {f"{base}{base[-1]}ing", f"{base}{base[-1]}ed"}
        if base.endswith("y") and base[-2] not in _VOWELS:
            forms.add(f"{base[:-1]}ied")
    phrases = {" ".join((*before, form)) for form in forms}
    if before and keyword.replace(" ", "").isalpha():
        phrases.add(" ".join(map(_plural, (*before, last))))
    return frozenset(phrases - {keyword})


def _bases(word: str) -> set[str]:
    """Return what a word can be a form of, itself included."""
    for singular, plural in _ENDINGS_ABROAD:
        if word.endswith(plural):
            return {word.removesuffix(plural) + singular}
    bases = {word}
    for ending in ("ing", "ed"):
        stem = word.removesuffix(ending)
        if stem != word and len(stem) >= _SHORTEST:
            bases = {stem, f"{stem}e"}
            if stem[-1] == stem[-2]:
                bases.add(stem[:-1])
    if word.endswith("ies") and len(word) > _SHORTEST + 1:
        bases = {f"{word[:-3]}y"}
    elif word.endswith(("ches", "shes", "xes", "sses", "zes")):
        bases = {word[:-2], word[:-1]}
    elif word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > _SHORTEST:
        bases = {word[:-1]}
    return bases


def _plural(word: str) -> str:
    for singular, plural in _ENDINGS_ABROAD:
        if word.endswith(singular):
            return word.removesuffix(singular) + plural
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return f"{word[:-1]}ies"
    return f"{word}es" if word.endswith(("s", "x", "z", "ch", "sh")) else f"{word}s"


def _is_doubled(word: str) -> bool:
    """Return whether English doubles the last letter of a verb: plan, planning."""
    return (
        len(word) >= _SHORTEST
        and word[-1] not in f"{_VOWELS}wx"
        and word[-2] in _VOWELS
        and word[-3] not in _VOWELS
    )
