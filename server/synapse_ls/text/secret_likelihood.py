"""How likely a value is a secret: its randomness, or the looks of an example, words, a password."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final

# Letters, each before those that often follow it: 180 pairs, which are nine tenths of the words of
# several languages and of names in programs, and a quarter of what is drawn at random.
_FOLLOWERS: Final = (
    "abcdgilmnprstuv", "baeiloru", "caehiklortu", "daeiosu", "eacdefgilmnprstvx", "faefio",
    "gaeioru", "haeio", "iabcdefglmnoprstvz", "ke", "ladeilostuy", "maeiop", "nacdefgiost",
    "ocdlmnoprstuvw", "paeiloprt", "qu", "racdeimorstuy", "sacehiopstu", "taehiorstuy",
    "uaeilmnprst", "vaei", "wa", "ze",
)  # fmt: skip
_WORD_PAIRS: Final = frozenset(
    spelling
    for letters in _FOLLOWERS
    for first, second in ((letters[0], letter) for letter in letters[1:])
    for spelling in (first + second, (first + second).upper(), first.upper() + second)
)
_EXAMPLE: Final = (
    r"example|sample|placeholder|redacted|change[_-]?me|process\.env|environ|\$\{|\$\("
)
# What stands in examples, and by chance in a secret: then more than that is left.
_FILLED: Final = (
    r"(.)\1{4,}|dummy|fake|x{4,}|your|secret|token|qwerty|\bmy[-_]|insert|replace|todo|\.{3,}|…"
)
_HIDDEN: Final = r"x{6,}$|\*{3,}$"  # what an issuer puts in front stays, the rest is crossed out
_SEQUENCE: Final = 5  # characters in their order that no secret is made of
# A word and its number, as in "base64-encoded" or "settings.apiKey", which no secret consists of.
_WORD: Final = (
    r"(?:[a-z]{1,40}|[A-Z]{1,40})?(?:[A-Z][a-z]{1,40}){0,8}[A-Z]{0,4}[0-9]{0,6}"
    r"|[0-9]{1,6}[a-z]{1,3}"
)
_USUAL: Final = r"pass|pwd|user|admin|test|demo|postgres|root|changeit"
# No value of a secret: an example, a path, an attribute as in "settings.token".
_NO_VALUE: Final = (
    rf"{_EXAMPLE}|{_FILLED}|[/\\]"
    r"|^(?!(?-i:[A-Z][a-z]{2,40}[._][A-Z][a-z]{2,40}[0-9]{2,8}_?$))"
    r"[A-Za-z_][A-Za-z0-9_]{0,60}(?:\.[A-Za-z_][A-Za-z0-9_]{0,60}){1,8}$"
    r"|^(?-i:[A-Z]{1,20}(?:_[A-Z]{1,20}){1,6})$|^await$"
)
_FEWEST: Final = 8  # different characters that a token has; an example has fewer
_LEAST: Final = 3  # of randomness, which one in forty strings of 16 characters does not reach


@cache
def compiled(shape: str, flags: int = 0) -> re.Pattern[str]:
    """Return a compiled pattern; compiled when it is first needed, as most never are."""
    return re.compile(shape, flags)


@lru_cache(maxsize=1_024)
def randomness(body: str) -> int:
    """Return by how many its neighbouring characters are more often ones that chance brings
    together than ones of words: 8 for 12 random characters, below 0 for words. Digits next to
    each other tell nothing.
    """
    total = 0
    for left, right in pairwise(body):
        if left.isalnum() and right.isalnum() and not (left.isdigit() and right.isdigit()):
            total += -1 if left + right in _WORD_PAIRS else 1
    return total


def is_varied(body: str) -> bool:
    """Return whether a value is no example and has enough different characters for a secret."""
    return len(set(body)) >= _FEWEST and not is_example(body)


def is_random(body: str, least: int = _LEAST) -> bool:
    """Return whether a value is no example and looks as if it were drawn at random."""
    return randomness(body) >= least and is_varied(body)


def is_key(body: str) -> bool:
    """Return whether a value is a key: long and random, with letters and digits."""
    mixed = any(map(str.isdigit, body)) and any(map(str.isalpha, body))
    return len(body) >= 16 and bool(mixed) and "://" not in body and is_random(body)


def is_password(body: str, fewest: int = 6) -> bool:
    """Return whether a value can be a real password and no example: letters with digits or other
    characters, no words.
    """
    letters = sum(map(str.isalpha, body))
    mixed = letters and (any(map(str.isdigit, body)) or sum(map(has_marks, body)) >= 2)
    if not mixed or len(set(body)) < fewest or has_words(body) or "://" in body:
        return False
    return not (compiled(_USUAL, re.IGNORECASE).search(body) or is_example(body, fewest))


def may_be_secret(body: str) -> bool:
    """Return whether a value that stands where secrets stand is probably one, whatever characters
    it is made of.
    """
    if len(body) < 8 or "://" in body or is_example(body, fewest=6):
        return False
    if body.isdigit():
        return len(body) >= 16
    least = 6 if "/" in body else 1 if len(body) >= 12 else 4
    if len(body) >= 10 and is_random(body, least):
        return True
    return has_marks(body) and any(map(str.isdigit, body)) and any(map(str.isalpha, body))


def is_mixed(body: str) -> bool:
    """Return whether a value has letters beside digits or marks, as no word has."""
    others = any(map(str.isdigit, body)) or has_marks(body)
    return others and any(map(str.isalpha, body)) and not is_example(body, fewest=5)


def is_setting(body: str) -> bool:
    """Return whether a value refers to a secret, or is an example, instead of being one."""
    return compiled(_NO_VALUE, re.IGNORECASE).search(body) is not None


def is_example(body: str, fewest: int = _FEWEST) -> bool:
    """Return whether a value says that it is an example, or has fewer than so many different
    characters beside what fills examples.
    """
    if any(compiled(shape, re.IGNORECASE).search(body) for shape in (_EXAMPLE, _HIDDEN)):
        return True
    repeated = sum(len(match[0]) for match in compiled(r"(.)\1{3,}").finditer(body))
    if 2 * repeated > len(body):
        return True
    runs = list(_split_sequences(body.lower()))
    if 10 * sum(len(run) for run in runs if len(run) > 2) >= 8 * len(body):
        return True  # as "abc123def456"
    left = compiled(_FILLED, re.IGNORECASE).sub("", body)
    left = "".join(run for run in _split_sequences(left) if len(run) < _SEQUENCE)
    return len(left) < len(body) and len(set(left)) < min(fewest, len(set(body)))


def has_words(body: str) -> bool:
    """Return whether a value consists of words and numbers alone."""
    word = compiled(_WORD)
    return all(word.fullmatch(part) for part in compiled(r"[^A-Za-z0-9]").split(body))


def has_all_kinds(body: str) -> bool:
    """Return whether a value has small letters, capitals and digits."""
    return all(any(map(kind, body)) for kind in (str.islower, str.isupper, str.isdigit))


def has_marks(body: str) -> bool:
    """Return whether a value has what stands in passwords and in no path, name or version."""
    return any(not c.isalnum() and c not in "-_./:=@\\" for c in body)


def _split_sequences(text: str) -> Iterator[str]:
    """Yield the runs of characters that follow each other in alphabet or number, as "abcdef"."""
    at = 0
    for end in range(1, len(text) + 1):
        if end == len(text) or ord(text[end]) != ord(text[end - 1]) + 1:
            yield text[at:end]
            at = end
