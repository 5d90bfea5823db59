"""Find hidden Unicode characters, and words that mix scripts with look-alike letters.

Invisible, bidirectional and control characters have proper uses: emoji (UTS #51), joiners of many
scripts, direction marks (UAX #9), identifiers (UTS #39). Anywhere else they make a text say
something other than it shows (CVE-2021-42574, "Trojan Source"). The table of look-alikes has the
Cyrillic and Greek letters like Latin ones from ``confusables.txt`` (UTS #39); a word of one script
is never reported, nor one that really has two, such as ``SQL-запрос``.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import groupby
from typing import NamedTuple
from unicodedata import bidirectional, category

from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.line_index import LineIndex
from synapse_ls.text.span import Span

DIRECTION = "direction"
INVISIBLE = "invisible"
TAGS = "tags"
CONTROL = "control"

# What nobody sees wherever it stands, but for what `is_needed` there; and what is no character and
# never will be (Unicode 16, 23.7 "Noncharacters"; planes that nothing is planned for).
_SUSPECTS = (
    "[\x01-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001fffe\U0001ffff\U0002fffe\U0002ffff"
    "\U0003fffe-\U000effff\U000ffffe\U000fffff\U0010fffe\U0010ffff]"
)
_SUSPECT = lazy_pattern(f"{_SUSPECTS}+")
# What a terminal obeys as a whole (ECMA-48): control strings, such as links and titles, with their
# ends; control sequences, such as colours, with controls in them; both also if cut off by others;
# escape sequences of more than one character, or of one.
_SEQUENCES = (
    r"(?:\x1b[PX\]^_k]|[\x90\x98\x9d-\x9f])"
    r"[^\x07\x18\x1a\x1b\x90\x98\x9b-\x9f]*(?:[\x07\x9c]|\x1b\\|(?=[\x18\x1a\x1b]))"
    r"|(?:\x1b\[|\x9b)[\0-\x08\x0e-\x17\x19\x1c-\x1f0-?]*[ -/]*[@-~]?|\x1b[ -/]+[0-~]"
)
ESCAPE_SEQUENCES = rf"{_SEQUENCES}|\x1b[0-~]"
# … with what parts lines in texts alone, blanks that are as wide as a sign, and marks of layout.
_UNSEEN = (
    f"{_SUSPECTS}|[\0\x1c-\x1e\x85\u2028\u2029\u2800\U00013430-\U0001343f\U00016fe4\U0001d159]"
)
# A letter behind an escape character may be the first one of a word, whatever terminals do.
_READINGS = [lazy_pattern(f"{sequences}|{_UNSEEN}") for sequences in (ESCAPE_SEQUENCES, _SEQUENCES)]
_CONTROLS = tuple(map(chr, (*range(9), *range(14, 32), 127)))

_MARKS = "\u061c\u200e\u200f"
_OPENING = "\u202a\u202b\u2066\u2067\u2068"
_CLOSING = "\u202c\u2069"
_OVERRIDES = "\u202d\u202e"
_DIRECTION = frozenset(_MARKS + _OPENING + _CLOSING + _OVERRIDES)

# First and last code point of scripts that need something invisible (Unicode blocks).
# Arabic to Sinhala, Tibetan and Myanmar, of the Philippines to Mongolian, Limbu to Vedic, Syloti
# Nagri to Meetei Mayek, Arabic forms, Kharoshthi to the historic Brahmic scripts.
_JOINING = (
    *((0x0600, 0x0DFF), (0x0F00, 0x109F), (0x1700, 0x18AF), (0x1900, 0x1CFF), (0xA800, 0xABFF)),
    *((0xFB50, 0xFDFF), (0xFE70, 0xFEFC), (0x10A00, 0x11FFF)),
)
_UNSPACED = ((0x0E00, 0x0FFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x1950, 0x1AAF))
_IDEOGRAPHS = ((0x2E80, 0x9FFF), (0xF900, 0xFAFF), (0x20000, 0x3FFFF))
# Signs with variants (StandardizedVariants.txt), and what is an emoji or has its style
# (emoji-variation-sequences.txt).
_VARIANTS = (
    *(*_IDEOGRAPHS, (0x1000, 0x109F), (0xA840, 0xA87F), (0xFF01, 0xFF1F)),
    *((0x30, 0x30), (0x2205, 0x2205), (0x2229, 0x22DB), (0x2A3C, 0x2AAD)),
)
_EMOJI = (
    *((0xA9, 0xA9), (0xAE, 0xAE), (0x203C, 0x203C), (0x2049, 0x2049), (0x2122, 0x2122)),
    *((0x2139, 0x2139), (0x2194, 0x2199), (0x21A9, 0x21AA), (0x231A, 0x231B), (0x2328, 0x2328)),
    *((0x23CF, 0x23CF), (0x23E9, 0x23FA), (0x24C2, 0x24C2), (0x25AA, 0x25AB), (0x25B6, 0x25B6)),
    *((0x25C0, 0x25C0), (0x25FB, 0x25FE), (0x2600, 0x27BF), (0x2934, 0x2935), (0x2B05, 0x2B07)),
    *((0x2B1B, 0x2B1C), (0x2B50, 0x2B50), (0x2B55, 0x2B55), (0x3030, 0x3030), (0x303D, 0x303D)),
    *((0x3297, 0x3297), (0x3299, 0x3299), (0x1F000, 0x1FAFF)),
)


class HiddenRun(NamedTuple):
    """A run of hidden characters of one sort: "direction", "invisible", "tags" or "control".

    ``decoded_tags`` is what tag characters spell in ASCII.
    """

    span: Span
    sort: str
    decoded_tags: str = ""


def text_layers(text: str) -> list[tuple[str, Sequence[int]]]:
    """Return what is seen of ``text``, and what nobody sees of it, whatever that is there for, each
    with the positions of its characters.
    """
    places = range(len(text))
    odd = {c for c in set(text) if c > "\x7f" and category(c) in ("Cn", "Cs")}
    unassigned = frozenset(index for index in places if odd and text[index] in odd)
    runs = ([] if _is_plain(text) else pattern.finditer(text) for pattern in _READINGS)
    readings = dict.fromkeys(unassigned.union(*(range(*m.span()) for m in part)) for part in runs)
    if not any(readings):
        return [(text, places)]
    layers = [
        [i for i in places if (i in hidden) == unseen] for hidden in readings for unseen in (0, 1)
    ]
    return [("".join(map(text.__getitem__, at)), at) for at in layers]


def _is_plain(text: str) -> bool:
    return text.isascii() and not any(map(text.__contains__, _CONTROLS))


def find_hidden_runs(text: str) -> Iterator[HiddenRun]:
    """Yield the hidden characters of a text that have no legitimate use there; time linear in the
    text.
    """
    if _is_plain(text):
        return
    matches = list(_SUSPECT.finditer(text))
    index = LineIndex(text if matches else "")

    @cache
    def allows_direction_marks(number: int) -> bool:
        """Return whether a line has letters that run from right to left, and every change of
        direction is closed again.
        """
        line = index.line_span(number).cut(text)
        is_closed = sum(map(line.count, _OPENING)) == sum(map(line.count, _CLOSING))
        return is_closed and any(bidirectional(c) in ("R", "AL") for c in line)

    def is_legitimate(place: int) -> bool:
        if text[place] in _DIRECTION:
            return text[place] not in _OVERRIDES and allows_direction_marks(index.line_of(place))
        return is_needed(text, place)

    for match in matches:
        odd = (place for place in range(*match.span()) if not is_legitimate(place))
        runs = groupby(
            enumerate(odd), key=lambda item: (item[1] - item[0], _sort_of(text[item[1]]))
        )
        for (_, sort), run in runs:
            of_run = [place for _, place in run]
            span = Span(of_run[0], of_run[-1] + 1)
            letters = [chr(ord(tag) - 0xE0000) for tag in span.cut(text)] if sort == TAGS else []
            yield HiddenRun(span, sort, "".join(filter(str.isprintable, letters)))


def _sort_of(char: str) -> str:
    if char in _DIRECTION:
        return DIRECTION
    if "\U000e0000" <= char <= "\U000e007f":
        return TAGS
    return CONTROL if char < "\xa0" else INVISIBLE


def is_needed(text: str, place: int) -> bool:
    """Return whether a character does at this place what Unicode has it for, but for marks of
    direction.
    """
    char = text[place]
    before = text[place - 1] if place else ""
    after = text[place + 1 : place + 2]
    if char in ("\u200c", "\u200d"):
        joins = _is_in_blocks(before, _JOINING) or _is_in_blocks(after, _JOINING)
        return joins or (char == "\u200d" and _is_emoji(before) and _is_emoji(after))
    if char == "\u200b":
        # In Markdown it keeps a backtick from closing a code span.
        return "`" in (before, after) or any(_is_in_blocks(c, _UNSPACED) for c in (before, after))
    if "\ufe00" <= char <= "\ufe0f":
        # Whether `before` has such a variant (StandardizedVariants.txt, emoji-variation-sequences).
        if char >= "\ufe0e":
            return before in tuple("#*0123456789") or _is_in_blocks(before, _EMOJI)
        return char <= "\ufe02" and _is_in_blocks(before, _VARIANTS)
    if "\U000e0100" <= char <= "\U000e01ef":
        return _is_in_blocks(before, _IDEOGRAPHS)
    if "\u180b" <= char <= "\u180f" and char != "\u180e":
        return _is_in_blocks(before, ((0x1800, 0x18AF),))  # Mongolian
    # A part of a flag such as that of Wales: a black one, at most six tags and one that ends them.
    first = text.rfind("\U0001f3f4", max(0, place - 8), place)
    last = text.find("\U000e007f", first, first + 9) if first >= 0 else -1
    return place <= last and all(_sort_of(tag) == TAGS for tag in (char, *text[first + 1 : last]))


def _is_in_blocks(char: str, blocks: tuple[tuple[int, int], ...]) -> bool:
    return bool(char) and any(first <= ord(char) <= last for first, last in blocks)


def _is_emoji(char: str) -> bool:
    """Return whether an emoji ends or begins with ``char``: a symbol, its skin tone, or
    its style.
    """
    return char == "\ufe0f" or _is_in_blocks(char, _EMOJI)


_CYRILLIC = str.maketrans("АВЕЅІЈКМНОРСТУХаеіјорсухѕһԁԛԝԌ", "ABESIJKMHOPCTYXaeijopcyxshdqwG")
_GREEK = str.maketrans("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιαρκυγ", "ABEZHIKMNOPTYXoviapkuy")
_TO_CYRILLIC = str.maketrans("ABESIJKMHOPCTYXaeijopcyxs", "АВЕЅІЈКМНОРСТУХаеіјорсухѕ")
_TO_GREEK = str.maketrans("ABEZHIKMNOPTYXov", "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧον")

_WORD = lazy_pattern(r"[^\W\d_]+")
_FOREIGN = lazy_pattern("[\u0370-\u052f]")
_LATIN = lazy_pattern("[A-Za-z\u00c0-\u024f]")
_OTHERS = (
    ("Cyrillic", lazy_pattern("[\u0400-\u052f]"), _CYRILLIC, _TO_CYRILLIC),
    ("Greek", lazy_pattern("[\u0370-\u03ff]"), _GREEK, _TO_GREEK),
)


class MixedScriptWord(NamedTuple):
    """A word of two scripts: its place, the word of one script that it looks like (``lookalike``),
    and the letters that are out of place.

    ``script`` is that of ``letters``.
    """

    span: Span
    lookalike: str
    letters: str
    script: str


def find_mixed_words(text: str) -> Iterator[MixedScriptWord]:
    """Yield, in text order, the words in which all letters of one script could be those of the
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
