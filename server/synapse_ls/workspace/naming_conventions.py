"""Compare, convert and suggest names of domains, their rule files, squads and agents."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

from synapse_ls.text.edit_distance import edit_distance
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.workspace.tree_folders import CARL

V = TypeVar("V")

# What stands in a template's keys where the name of a domain belongs.
TEMPLATE_NAMES = frozenset(
    {"DOMAIN", "DOMAIN_NAME", "MYDOMAIN", "MY_DOMAIN", "YOURDOMAIN", "YOUR_DOMAIN"}
)

# In a squad, the file of the domains that have none of their own.
SQUAD_RULES = "rules"

# What a rule file's name may end in, in the order of preference (CARL knows ``.env``).
EXTENSIONS = ("", ".env", ".md")


def kebab_case(name: str) -> str:
    """Return a name in kebab-case (``Story_Development`` -> ``story-development``), the spelling
    that ids are compared in.
    """
    return "-".join(_split_words(name.casefold()))


def snake_case(name: str) -> str:
    """Return a name in snake_case: ``story-development`` -> ``story_development``."""
    return "_".join(_split_words(name.casefold()))


def upper_snake(name: str) -> str:
    """Return a name in UPPER_SNAKE (``etl-squad`` -> ``ETL_SQUAD``), the spelling of domains and
    rule keys.
    """
    return "_".join(_split_words(name.upper()))


def is_same_id(a: str, b: str) -> bool:
    """Check whether two ids name the same when kebab-case, snake_case and letter case make no
    difference.
    """
    return a == b or kebab_case(a) == kebab_case(b)


def file_stem(path: str) -> str:
    """Return a file's name without its folders and without its last extension."""
    name = path.rpartition("/")[2]
    head, dot, _ = name.rpartition(".")
    return head if dot and head else name


@lru_cache(maxsize=8192)
def rule_file_names(domain: str) -> tuple[str, ...]:
    """Return the file names that may serve a domain in a ``.synapse/`` tree, best first.

    ``AGENT_DEV``: ``agent-dev``, ``agent_dev``, then either with ``.env``, then with ``.md``.
    """
    lower = domain.lower()
    stems = dict.fromkeys((lower.replace("_", "-"), lower))
    return tuple(name + extension for extension in EXTENSIONS for name in stems)


def carl_file_names(domain: str) -> tuple[str, str]:
    """Return the two file names under which CARL v1 looks for a domain."""
    lower = domain.lower()
    return lower, f"{lower}.env"


def domain_file_names(domain: str, folder: str) -> tuple[str, ...]:
    """Return the file names that may serve a domain in ``folder``, a folder of rules at the root or
    in a squad.
    """
    return carl_file_names(domain) if folder == CARL else rule_file_names(domain)


def file_to_create(domain: str, folder: str, *, in_squad: bool) -> str:
    """Return the name of the file to be created for a domain without one. In a squad the name that
    a template left is nobody's, so the file is the one that serves all of a squad.
    """
    if in_squad and domain in TEMPLATE_NAMES:
        return SQUAD_RULES
    return domain_file_names(domain, folder)[0]


def domain_of_file(path: str) -> str:
    """Return the domain that a rule file is named after: the inverse of `rule_file_names`."""
    return rule_file_stem(path).upper().replace("-", "_")


def rule_file_stem(path: str) -> str:
    """Return a rule file's name without folders and without an extension that rule files may
    have.
    """
    name = path.rpartition("/")[2]
    for extension in EXTENSIONS[1:]:
        if name.endswith(extension) and len(name) > len(extension):
            return name.removesuffix(extension)
    return name


def squad_prefix(folder: str) -> str:
    """Return a squad's namespace: its folder name in UPPER_SNAKE, without a trailing ``_SQUAD``."""
    return upper_snake(folder).removesuffix("_SQUAD")


def namespaced_domain(folder: str, domain: str) -> str:
    """Return the name under which a squad's domain is known in the whole tree.

    ``etl-squad`` and ``PIPELINE`` give ``ETL_PIPELINE``; a domain that already carries the
    prefix keeps its name.
    """
    prefix = squad_prefix(folder)
    name = upper_snake(domain)
    return name if name == prefix or name.startswith(f"{prefix}_") else f"{prefix}_{name}"


class IdMap(Mapping[str, V]):
    """Values by id and finds them by any naming convention of the id: kebab-case, snake_case, any
    letter case.

    Iterating gives the ids as they are written. Of two equal ids the first counts.
    """

    def __init__(self, pairs: Iterable[tuple[str, V]] = ()) -> None:
        self._entries: dict[str, tuple[str, V]] = {}
        for name, value in pairs:
            self._entries.setdefault(kebab_case(name), (name, value))

    def __getitem__(self, name: str) -> V:
        return self._entries[kebab_case(name)][1]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and kebab_case(name) in self._entries

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._entries.values())

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"IdMap({dict(self)!r})"


def _split_words(name: str) -> list[str]:
    """Split a name into its runs of letters and digits."""
    plain = name.replace("-", "_")
    if not plain.replace("_", "").isalnum():
        plain = "".join(c if c.isalnum() else "_" for c in name)
    return [word for word in plain.split("_") if word]


_MAX_NEAR_MISSES = 3  # near misses worth showing
# The plural endings of the words of a name in kebab-case.
_PLURAL_IES = lazy_pattern(r"(?<![^-])([^-]{2,})ies(?![^-])")
_PLURAL_S = lazy_pattern(r"(?<![^-])([^-]{2,}[^-s])s(?![^-])")


def near_misses(name: str, names: Iterable[str]) -> tuple[str, ...]:
    """Return at most three of ``names`` that are suggested for ``name``, since it was probably
    meant to be one of them, the likeliest first.

    Letter case, ``_`` for ``-``, an extension and a plural count least, then a missing or
    additional word (``dev`` for ``agent-dev``); only where there is none of that, misspellings
    are looked for. The name itself is not among them.
    """
    wanted = _name_shape(name)
    shapes = {other: _name_shape(other) for other in names if other != name}
    for likeness in (_spelling_likeness, _misspelling_score):
        scored = ((-likeness(wanted, shape), other) for other, shape in shapes.items())
        ranked = sorted((score, other) for score, other in scored if score)
        if ranked:
            return tuple(other for _, other in ranked[:_MAX_NEAR_MISSES])
    return ()


def suggest_names(
    name: str, names: Iterable[str], otherwise: str = "", *, shown: str = "{}"
) -> str:
    """Ask whether one of ``names`` was meant by ``name``; ``otherwise`` where none is near.

    ``shown`` is how a name is written in the question, with ``{}`` for the name.
    """
    near = [shown.format(near) for near in near_misses(name, names)]
    return f"Did you mean {' or '.join(near)}?" if near else otherwise


def _spelling_likeness(a: tuple[str, str, int], b: tuple[str, str, int]) -> float:
    """Rate two name shapes from 3 (two spellings of one name) down to 1 (one name inside the
    other); 0 for unlike names.
    """
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


def _misspelling_score(a: tuple[str, str, int], b: tuple[str, str, int]) -> float:
    """Rate two name shapes by typing errors: nearly 1 for one slip, less for two (in a long name),
    0 for more.
    """
    limit = min(max(len(a[0]) // 4, 1), 2)
    # A slip adds and removes one character, so this quick test never hides a near miss.
    if not b[0] or (a[2] ^ b[2]).bit_count() > 2 * limit:
        return 0.0
    slips = edit_distance(a[0], b[0], limit)
    return 1.0 - slips / (len(a[0]) + 1) if slips <= limit else 0.0


@lru_cache(maxsize=65_536)
def _name_shape(name: str) -> tuple[str, str, int]:
    """Return what names are compared by: the kebab-case name, the same in the singular, its
    characters as a bit set.
    """
    spelled = kebab_case(rule_file_stem(name))
    bits = 0
    for character in spelled:
        bits |= 1 << (ord(character) & 127)
    return spelled, _PLURAL_S.sub(r"\1", _PLURAL_IES.sub(r"\1y", spelled)), bits
