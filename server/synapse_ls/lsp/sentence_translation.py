"""Translate the server's sentences into the client's language, where it has a catalogue.

Everything below ``lsp`` is English and translated when sent. A catalogue maps English templates as
they are in the code, ``{0} has no file.``, to their translation. Sentences consist of parts, so
placeholders are translated too, except for text in backticks or quotation marks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import NamedTuple

# What says an English sentence in another language; one that it does not know stays English.
Translate = Callable[[str], str]

# First part of a locale (RFC 5646, "language") -> name of the catalogue.
LANGUAGES: Mapping[str, str] = {"pt": "pt-br", "es": "es"}

CATALOGUES = Path(__file__).with_name("catalogues")

_FENCE = re.compile(r"`{3,}")
_PLACEHOLDER = re.compile(r"\{(\d+)\}")
_WORD = re.compile(r"[^\W\d_]+")
_SEPARATORS = tuple(
    re.compile(f"({separator})")
    for separator in (
        r"\n",
        " · ",
        r" ?\| ?",  # the cells of a table
        r"(?<=[.?!]) (?=[A-Z`@*])",
        "; ",
        "(?<=[`*]): ",
    )
)

# What stands for a placeholder: of a sentence anything, of a part of one nothing beyond its
# clause, and of what only joins ("{0} and {1}") names or counts, for it would be found in any
# sentence.
_ANYTHING = "(.*?)"
_CLAUSE = r"((?:(?!; |\. ).)*?)"
_NAME = r"(?:`[^`]*`|\*\*[^*]*\*\*|[^\s,;]+(?:,\d{3})*)(?: \([^()]*\))?"
_NAMES = rf"({_NAME}(?:, {_NAME})*)"
_COUNT = r"([\d,]+)"
_COUNTING = "{0} of {1}"
_MORE = " more"  # has a count before it


def choose_translation(locale: str | None) -> Translate:
    """Return what translates sentences for a locale such as ``pt-BR``; the sentences as they are
    where it asks for English or for a language without a catalogue.
    """
    name = LANGUAGES.get((locale or "").replace("_", "-").partition("-")[0].lower())
    return Translator(read_catalogue(name)) if name else str


def read_catalogue(name: str) -> dict[str, str]:
    """Read the catalogue of translations: English template -> the same in the other language."""
    return dict(json.loads((CATALOGUES / f"{name}.json").read_text("utf-8")))


class Template(NamedTuple):
    """An English sentence or part of one with placeholders, and its translation from the catalogue.

    ``landmark`` is its longest piece of fixed text, which a sentence has to have; ``weight`` is how
    much fixed text there is in all. ``quoted`` are the placeholders that hold somebody's own text.
    """

    landmark: str
    weight: int
    pattern: re.Pattern[str]
    quoted: frozenset[int]
    translation: str

    @classmethod
    def from_text(cls, text: str, translation: str) -> Template:
        """Read a template as it stands in a catalogue."""
        pieces = _PLACEHOLDER.split(text)
        fixed, numbers = pieces[::2], [int(number) for number in pieces[1::2]]
        hole = _hole_pattern(text, "".join(fixed))
        pattern = _literal_pattern(fixed[0]) + "".join(
            (_COUNT if after.startswith(_MORE) else hole) + _literal_pattern(after)
            for after in fixed[1:]
        )
        quoted = (
            number
            for position, number in enumerate(numbers)
            if _is_quoted("".join(pieces[: 2 * position + 1]), fixed[position + 1])
        )
        landmark = max((word for piece in fixed for word in re.split("[*_]", piece)), key=len)
        return cls(
            landmark,
            sum(map(len, fixed)),
            re.compile(pattern, re.DOTALL),
            frozenset(quoted),
            translation,
        )


def _hole_pattern(text: str, fixed: str) -> str:
    """Return the pattern of what may stand for a placeholder of a template."""
    if text == _COUNTING:
        return _COUNT
    words = _WORD.findall(fixed)
    if len(words) == 1 and words[0].islower() and not set(fixed) & set(".:;,`"):
        return _NAMES
    return _CLAUSE if not text.endswith(".") and ";" not in text else _ANYTHING


def _literal_pattern(text: str) -> str:
    """Return a pattern for fixed text, in Markdown too, which has a backslash before some
    characters.
    """
    return re.sub(r"\\\*|_", r"\\\\?\g<0>", re.escape(text))


def _is_quoted(before: str, after: str) -> bool:
    """Return whether what stands between two pieces of a template is somebody's own text or a
    name.
    """
    return (
        before.count("`") % 2 == 1
        or before.rfind("“") > before.rfind("”")
        or (before.endswith("**") and after.startswith("**"))
        or before.endswith(("--", "@"))
    )


class Translator:
    """What says English sentences as a catalogue has them."""

    def __init__(self, catalogue: Mapping[str, str]) -> None:
        self._catalogue = catalogue
        self._translated = lru_cache(maxsize=4096)(self._translate_text)

    def __call__(self, text: str) -> str:
        """Return a sentence, several, or a part of one in the other language; what is not known as
        it is.
        """
        return self._translated(text) if text else text

    @cached_property
    def _templates(self) -> tuple[Template, ...]:
        """The templates with placeholders, those with the most fixed text first."""
        templates = (
            Template.from_text(text, translation)
            for text, translation in self._catalogue.items()
            if _PLACEHOLDER.search(text)
        )
        return tuple(sorted(templates, key=lambda template: -template.weight))

    def _translate_text(self, text: str) -> str:
        if (whole := self._translate_whole(text)) is not None:
            return whole
        for separator in _SEPARATORS:
            parts = separator.split(text)
            if len(max(parts, key=len)) < len(text):
                return "".join(map(self, parts))
        return text

    def _translate_whole(self, text: str) -> str | None:
        """Return what the entry of the catalogue that fits best makes of a text; None where none
        fits.
        """
        best, translation = 0, None
        for spelling, restore in _spellings(text):
            if (entry := self._catalogue.get(spelling)) is not None:
                return restore(entry)
            for template in self._templates:
                if template.weight <= best:
                    break
                if template.landmark in spelling and (
                    match := template.pattern.fullmatch(spelling)
                ):
                    best, translation = (
                        template.weight,
                        restore(self._fill_in(template, match.groups())),
                    )
                    break
        return translation

    def _fill_in(self, template: Template, values: Iterable[str]) -> str:
        parts = [
            value if number in template.quoted else self(value)
            for number, value in enumerate(values)
        ]
        return _PLACEHOLDER.sub(lambda found: parts[int(found[1])], template.translation)


def translate_markdown(translate: Translate, markdown: str) -> str:
    """Return Markdown with its sentences in the other language; fenced code stays as it is."""
    if translate is str:
        return markdown
    lines, fence = [], ""
    for line in markdown.split("\n"):
        ticks = _FENCE.match(line)
        is_code = bool(fence or ticks)
        if ticks and (not fence or line == fence):
            fence = "" if fence else ticks[0]
        lines.append(line if is_code else translate(line))
    return "\n".join(lines)


def _spellings(text: str) -> Iterator[tuple[str, Translate]]:
    """Yield a text as it stands, with or without a full stop and with a small first letter, each
    with what makes its translation alike: sentences are made of parts, and titles of sentences.
    """
    plain = text.replace("\\_", "_")
    spellings: list[tuple[str, Translate]] = [(plain, str)]
    if plain.endswith("."):
        spellings.append((plain[:-1], "{}.".format))
    else:
        spellings.append((f"{plain}.", lambda found: found.removesuffix(".")))
    for spelling, restore in spellings:
        yield spelling, restore
        if spelling[:1].isupper():
            yield spelling[0].lower() + spelling[1:], partial(_capitalize, restore)


def _capitalize(restore: Translate, text: str) -> str:
    restored = restore(text)
    return restored[:1].upper() + restored[1:]
