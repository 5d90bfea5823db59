"""The manifest: which domains a tree has and what brings each of them in.

``KEY=VALUE`` lines, the key a domain and one of the suffixes of ``SETTINGS`` (SYNAPSE Context
Brackets; ADR-001 A1; CARL v1 for the spellings it takes). Blank lines and lines whose first
character is ``#`` are skipped; the last of duplicate keys wins.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from synapse_ls.formats import values
from synapse_ls.formats.directives import Comments, without
from synapse_ls.formats.manifest_line import (
    ACTIVE,
    EXTENDS_MODES,
    GLOBAL_KEYS,
    INACTIVE,
    SETTINGS,
    Line,
    Setting,
    read,
    split_key,
)
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.rule_keys import upper_snake
from synapse_ls.text.lines import iter_lines
from synapse_ls.text.span import Span

__all__ = [
    "ACTIVE",
    "EXTENDS_MODES",
    "GLOBAL_KEYS",
    "INACTIVE",
    "SETTINGS",
    "Declaration",
    "Manifest",
    "ManifestEntry",
    "Setting",
    "parse",
    "split_key",
]

_DOMAIN = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*")


class ManifestEntry(NamedTuple):
    """One line that has a key.

    ``setting`` is a suffix of ``SETTINGS``, one of ``GLOBAL_KEYS``, or "" when the key is neither;
    ``domain`` is "" for the last two. ``value`` is what counts: without a ``# note`` behind a word,
    a boolean, a state or a number; ``word`` is its text. ``items`` are those of a list. ``span`` is
    the whole line, ``line`` what it says by itself.
    """

    span: Span
    line: Line

    @property
    def key(self) -> Text:
        key = self.line.key
        assert key is not None
        return self._placed(key)

    @property
    def key_start(self) -> int:
        line = self.line
        return self.span.start + (line.key.span.start if line.key else 0)

    @property
    def value(self) -> Text:
        return self._placed(self.line.value)

    @property
    def word(self) -> str:
        return self.line.value.value

    @property
    def domain(self) -> str:
        return self.line.domain

    @property
    def setting(self) -> str:
        return self.line.setting

    @property
    def items(self) -> tuple[Text, ...]:
        return tuple(map(self._placed, self.line.items))

    def _placed(self, text: Text) -> Text:
        return Text(text.value, text.span.shift(self.span.start))


class Declaration(NamedTuple):
    """One domain as its keys declare it; ``entries`` has the entry that counts for each setting."""

    name: str
    span: Span
    entries: Mapping[str, ManifestEntry]

    @property
    def active(self) -> bool:
        """False only where the state says so: no state, or one that cannot be read, is active."""
        return self._word("STATE").lower() not in INACTIVE

    @property
    def always_on(self) -> bool:
        return self._flag("ALWAYS_ON")

    @property
    def non_negotiable(self) -> bool:
        return self._flag("NON_NEGOTIABLE")

    @property
    def agent_trigger(self) -> str:
        """The id of the agent; the ``@`` of a mention is no part of it."""
        return self._word("AGENT_TRIGGER").removeprefix("@")

    @property
    def workflow_trigger(self) -> str:
        return self._word("WORKFLOW_TRIGGER")

    @property
    def recall(self) -> tuple[str, ...]:
        return self._list("RECALL")

    @property
    def exclude(self) -> tuple[str, ...]:
        return self._list("EXCLUDE")

    @property
    def paths(self) -> tuple[str, ...]:
        return self._list("PATHS")

    @property
    def every_n_turns(self) -> int | None:
        return self._count("EVERY_N_TURNS")

    @property
    def on_tokens(self) -> int | None:
        return self._count("ON_TOKENS")

    @property
    def extends(self) -> str:
        return self._word("EXTENDS")

    def _word(self, setting: str) -> str:
        entry = self.entries.get(setting)
        return entry.word if entry else ""

    def _flag(self, setting: str) -> bool:
        return self._word(setting).lower() in values.TRUE

    def _list(self, setting: str) -> tuple[str, ...]:
        entry = self.entries.get(setting)
        return tuple(item.value for item in entry.line.items) if entry else ()

    def _count(self, setting: str) -> int | None:
        entry = self.entries.get(setting)
        return values.read_count(entry.line.value)[0] if entry else None


@dataclass(frozen=True, slots=True)
class Manifest:
    """A manifest; ``entries`` in text order, ``domains`` in the order of their first mention.

    ``extends`` maps the name in ``{SQUAD}_EXTENDS`` to its value; such a key declares no domain.
    """

    text: str
    entries: tuple[ManifestEntry, ...]
    domains: Mapping[str, Declaration]
    devmode: bool
    global_exclude: tuple[str, ...]
    extends: Mapping[str, str]

    def entry_at(self, offset: int) -> ManifestEntry | None:
        """The entry on whose line ``offset`` is."""
        place = bisect_right(self.entries, offset, key=lambda entry: entry.span.start) - 1
        if place >= 0 and self.entries[place].span.touches(offset):
            return self.entries[place]
        return None


def parse(text: str) -> Parsed[Manifest]:
    """Read a manifest. Never raises; takes time linear in the text."""
    return assemble(text, read, Declaration)


def assemble(
    text: str, read: Callable[[str], Line | None], declaration: type[Declaration]
) -> Parsed[Manifest]:
    """The manifest of lines as ``read`` takes them apart, whose domains go by ``declaration``."""
    problems: list[Problem] = []
    entries: list[ManifestEntry] = []
    counting: dict[str, dict[str, ManifestEntry]] = {"": {}}
    names: dict[str, Span] = {}
    extends: dict[str, ManifestEntry] = {}
    said = without(text, Comments.HASH)
    for start, end in iter_lines(said):
        line = read(said[start:end])
        if line is None:
            continue
        if line.problems:
            problems += (replace(p, span=p.span.shift(start)) for p in line.problems)
        if line.key is None:
            continue
        entry = ManifestEntry(Span(start, end), line)
        entries.append(entry)
        domain, setting = line.domain, line.setting
        if not setting:
            continue
        if setting == "EXTENDS":
            settings, slot = extends, domain
        else:
            if domain and domain not in names:
                names[domain] = _declare(entry, problems)
            settings, slot = counting.setdefault(domain, {}), setting
        if slot in settings:
            problems.append(_duplicate(entry, settings[slot]))
        settings[slot] = entry
    for name, entry in extends.items():
        if name in names:
            counting[name]["EXTENDS"] = entry
    problems = [_twin(p, names) if p.kind == "odd-domain-name" else p for p in problems]
    globals_ = Declaration("", Span(0, 0), counting[""])
    manifest = Manifest(
        text,
        tuple(entries),
        {name: declaration(name, span, counting[name]) for name, span in names.items()},
        _devmode(counting[""]),
        globals_._list("GLOBAL_EXCLUDE"),
        {name: entry.word for name, entry in extends.items()},
    )
    return Parsed(manifest, tuple(sorted(problems, key=lambda problem: problem.span)))


def _devmode(settings: Mapping[str, ManifestEntry]) -> bool:
    entry = settings.get("DEVMODE")
    return entry is not None and entry.word.lower() in values.DEVMODE_TRUE


def _duplicate(entry: ManifestEntry, first: ManifestEntry) -> Problem:
    same = entry.word == first.word
    effect = "with the same value" if same else "with another value; this later one wins"
    return Problem(
        "duplicate-key",
        entry.key.span,
        f"`{entry.key.value[:80]}` is already set above {effect}.",
        "Delete one of the two lines.",
        (("first_start", str(first.span.start)), ("first_end", str(first.span.end))),
    )


def _twin(odd: Problem, names: Mapping[str, Span]) -> Problem:
    """What is wrong with an odd name: more, where the usual spelling of it is there too."""
    usual = dict(odd.data).get("suggestion")
    if usual not in names:
        return odd
    return Problem(
        "twin-domain",
        odd.span,
        f"This is a second domain on the file of {usual}, which goes by its own settings.",
        odd.remedy,
        odd.data,
    )


@lru_cache(maxsize=8192)
def _is_usual(domain: str) -> bool:
    return _DOMAIN.fullmatch(domain) is not None


def _declare(entry: ManifestEntry, problems: list[Problem]) -> Span:
    start = entry.key_start
    span = Span(start, start + len(entry.domain))
    if not _is_usual(entry.domain):
        usual = upper_snake(entry.domain)
        problems.append(
            Problem(
                "odd-domain-name",
                span,
                f"`{entry.domain[:80]}` is read as it stands; domain names are upper-case snake.",
                f"Write `{usual[:80]}`." if usual else "Give the domain an upper-case name.",
                (("suggestion", usual),) if usual else (),
            )
        )
    return span
