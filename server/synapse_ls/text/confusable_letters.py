"""This module finds words that mix scripts, in which a look-alike letter (homoglyph) of another
script passes for the one that belongs there.

The table has the Cyrillic and Greek letters that look like Latin ones in common fonts (a part of
``confusables.txt`` of Unicode Technical Standard #39). A word of one script is never reported, nor
one that really has two, such as ``SQL-запрос`` or ``SQLзапрос``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from synapse_ls.text.span import Span

_CYRILLIC = str.maketrans(
    "АВЕЅІЈКМНОРСТУХаеіјорсухѕһԁԛԝԌ",
    "ABESIJKMHOPCTYXaeijopcyxshdqwG",
)
_GREEK = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιαρκυγ", "ABEZHIKMNOPTYXoviapkuy")
_TO_CYRILLIC = str.maketrans(
    "ABESIJKMHOPCTYXaeijopcyxs",
    "АВЕЅІЈКМНОРСТУХаеіјорсухѕ",
)
_TO_GREEK = str.maketrans("ABEZHIKMNOPTYXov", "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧον")

_WORD = re.compile(r"[^\W\d_]+")
_FOREIGN = re.compile("[\u0370-\u052f]")
_LATIN = re.compile("[A-Za-z\u00c0-\u024f]")
_OTHERS = (
    ("Cyrillic", re.compile("[\u0400-\u052f]"), _CYRILLIC, _TO_CYRILLIC),
    ("Greek", re.compile("[\u0370-\u03ff]"), _GREEK, _TO_GREEK),
)


class MixedScriptWord(NamedTuple):
    """A MixedScriptWord is a word of two scripts: its place, the word of one script that it looks
    like (``lookalike``), and the letters that are out of place.

    ``script`` is that of ``letters``.
    """

    span: Span
    lookalike: str
    letters: str
    script: str


def find_mixed_words(text: str) -> Iterator[MixedScriptWord]:
    """Yields, in text order, the words in which all letters of one script could be those of the
    other.
    """
    if text.isascii() or not _FOREIGN.search(text):
        return
    for match in _WORD.finditer(text):
        word = match.group()
        if word.isascii() or not _LATIN.search(word):
            continue
        for script, own, to_latin, from_latin in _OTHERS:
            others = "".join(own.findall(word))
            latin = "".join(_LATIN.findall(word))
            if not others or len(others) + len(latin) < len(word):
                continue
            span = Span(*match.span())
            as_latin, as_other = word.translate(to_latin), word.translate(from_latin)
            if not own.search(as_latin) and (len(latin) >= len(others) or _LATIN.search(as_other)):
                yield MixedScriptWord(span, as_latin, others, script)
            elif not _LATIN.search(as_other):
                yield MixedScriptWord(span, as_other, latin, "Latin")
