"""How names of domains, files, squads and ids relate to each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

from synapse_ls.text.near import distance
from synapse_ls.workspace.folders import CARL

V = TypeVar("V")

EXTENSIONS = ("", ".env", ".md")
"""What a rule file's name may end in, in the order of preference (CARL knows ``.env``)."""

_MOST = 3  # near misses worth showing


def kebab(name: str) -> str:
    """``Story_Development`` -> ``story-development``: the spelling that ids are compared in."""
    return "-".join(_words(name.casefold()))


def snake(name: str) -> str:
    """``story-development`` -> ``story_development``."""
    return "_".join(_words(name.casefold()))


def upper_snake(name: str) -> str:
    """``etl-squad`` -> ``ETL_SQUAD``: the spelling of domains and rule keys."""
    return "_".join(_words(name.upper()))


def same_id(a: str, b: str) -> bool:
    """Whether two ids are one in kebab-case, snake_case or any mix of letter cases."""
    return a == b or kebab(a) == kebab(b)


def stem(path: str) -> str:
    """A file's name without folders and without its last extension."""
    name = path.rpartition("/")[2]
    head, dot, _ = name.rpartition(".")
    return head if dot and head else name


@lru_cache(maxsize=8192)
def file_candidates(domain: str) -> tuple[str, ...]:
    """The file names that serve a domain, best first.

    ``AGENT_DEV``: ``agent-dev``, ``agent_dev``, then either with ``.env``, then with ``.md``.
    """
    lower = domain.lower()
    stems = dict.fromkeys((lower.replace("_", "-"), lower))
    return tuple(name + extension for extension in EXTENSIONS for name in stems)


def carl_candidates(domain: str) -> tuple[str, str]:
    """The file names by which CARL v1 finds a domain."""
    lower = domain.lower()
    return lower, f"{lower}.env"


def candidates(domain: str, folder: str) -> tuple[str, ...]:
    """The file names that serve a domain in a folder of rules at the root or in a squad."""
    return carl_candidates(domain) if folder == CARL else file_candidates(domain)


def domain_of_file(path: str) -> str:
    """The domain a rule file is named after: the inverse of `file_candidates`."""
    return rule_file_stem(path).upper().replace("-", "_")


def rule_file_stem(path: str) -> str:
    """A rule file's name without folders and without an extension that rule files may have."""
    name = path.rpartition("/")[2]
    for extension in EXTENSIONS[1:]:
        if name.endswith(extension) and len(name) > len(extension):
            return name.removesuffix(extension)
    return name


def squad_prefix(folder: str) -> str:
    """A squad's namespace: its folder in upper snake, without a trailing ``_SQUAD``."""
    return upper_snake(folder).removesuffix("_SQUAD")


def namespace(folder: str, domain: str) -> str:
    """The name under which a squad's domain is known in the whole tree.

    ``etl-squad`` and ``PIPELINE`` give ``ETL_PIPELINE``; a domain that already carries the
    prefix keeps its name.
    """
    prefix = squad_prefix(folder)
    name = upper_snake(domain)
    return name if name == prefix or name.startswith(f"{prefix}_") else f"{prefix}_{name}"


class IdMap(Mapping[str, V]):
    """Values by id, asked for in kebab-case, snake_case or any letter case.

    Iterating gives the ids as they are written. Of two equal ids the first counts.
    """

    __slots__ = ("_entries",)

    def __init__(self, pairs: Iterable[tuple[str, V]] = ()) -> None:
        self._entries: dict[str, tuple[str, V]] = {}
        for name, value in pairs:
            self._entries.setdefault(kebab(name), (name, value))

    def __getitem__(self, name: str) -> V:
        return self._entries[kebab(name)][1]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and kebab(name) in self._entries

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"IdMap({dict(self)!r})"


def near_misses(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """At most three of ``names`` that ``name`` was probably meant to be, the likeliest first.

    Letter case, ``_`` for ``-``, an extension and a plural count least, then a missing or additional
    word (``dev`` for ``agent-dev``); only where there is none of that, misspellings are looked for.
    The name itself is not among them.
    """
    wanted = _shape(name)
    shapes = {other: _shape(other) for other in names if other != name}
    for likeness in (_likeness, _misspelling):
        scored = ((-likeness(wanted, shape), other) for other, shape in shapes.items())
        found = sorted((score, other) for score, other in scored if score)
        if found:
            return tuple(other for _, other in found[:_MOST])
    return ()


def _likeness(a: tuple[str, str, int], b: tuple[str, str, int]) -> float:
    """From 3 for two spellings of a name down to 1 for a name inside another; 0 for neither."""
    if not (a[0] and b[0]):
        return 0.0
    if a[0] == b[0]:
        return 3.0
    if a[1] == b[1]:
        return 2.0
    shorter, longer = sorted((a[1], b[1]), key=len)
    if longer.startswith(f"{shorter}-") or longer.endswith(f"-{shorter}"):
        return 1.0 + len(shorter) / len(longer)
    return 0.0


def _misspelling(a: tuple[str, str, int], b: tuple[str, str, int]) -> float:
    """Nearly 1 for a name with one slip, less with two (in a long name); 0 for another name."""
    limit = min(max(len(a[0]) // 4, 1), 2)
    # A slip adds and removes one character, so this quick test never hides a near miss.
    if not b[0] or (a[2] ^ b[2]).bit_count() > 2 * limit:
        return 0.0
    slips = distance(a[0], b[0], limit)
    return 1.0 - slips / (len(a[0]) + 1) if slips <= limit else 0.0


@lru_cache(maxsize=65_536)
def _shape(name: str) -> tuple[str, str, int]:
    """A name in kebab-case, the same in the singular, and the set of its characters as bits."""
    spelled = kebab(rule_file_stem(name))
    bits = 0
    for character in spelled:
        bits |= 1 << (ord(character) & 127)
    return spelled, "-".join(_singular(word) for word in spelled.split("-")), bits


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _words(name: str) -> list[str]:
    """The runs of letters and digits in a name."""
    plain = name.replace("-", "_")
    if not plain.replace("_", "").isalnum():
        plain = "".join(c if c.isalnum() else "_" for c in name)
    return [word for word in plain.split("_") if word]


def under(path: str, folder: str) -> bool:
    """Whether a path is a folder or in it; all paths are in the one without a name."""
    return not folder or path == folder or path.startswith(f"{folder}/")


def overlap(a: str, b: str) -> bool:
    """Whether one of two paths is in the other."""
    return under(a, b) or under(b, a)
