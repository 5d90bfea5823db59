"""The inflections of a keyword, for domains with ``{D}_INFLECTIONS``.

Singular and plural, and the English verb forms (test, tests, tested, testing). The part of speech
is unknown, so some forms do not exist; those match nothing.
"""

_SHORTEST = 3
_VOWELS = "aeiouy"
# Portuguese and Spanish nouns, folded: (singular, plural).
_ENDINGS_ABROAD = (("cao", "coes"), ("sao", "soes"), ("cion", "ciones"), ("sion", "siones"))


def inflected_forms(keyword: str) -> frozenset[str]:
    """Return the other forms of a folded keyword; of a phrase, those of its last word, and that of
    which each word is a plural.
    """
    *before, last = keyword.split(" ")
    if not last.isalpha() or len(last) < _SHORTEST:
        return frozenset()
    phrases = {" ".join((*before, form)) for form in _word_forms(last)}
    if before and keyword.replace(" ", "").isalpha():
        phrases.add(" ".join(map(_plural, (*before, last))))
    return frozenset(phrases - {keyword})


def _word_forms(word: str) -> set[str]:
    forms = {word}
    for base in _bases(word):
        stem = base.removesuffix("e")
        forms |= {base, _plural(base), f"{stem}ing", f"{stem}ed"}
        if _is_doubled(base):
            forms |= {f"{base}{base[-1]}ing", f"{base}{base[-1]}ed"}
        if base.endswith("y") and base[-2] not in _VOWELS:
            forms.add(f"{base[:-1]}ied")
    return forms


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
