"""Make the keys under which the index finds objects, and the two ways in which a file speaks of
one.

A key is a family and a name, such as ``("domain", "AGENT_DEV")``; a file has a `Definition`
or a `Reference` of it.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from synapse_ls.text.span import Span
from synapse_ls.workspace.naming_conventions import kebab_case, snake_case, upper_snake

Key = tuple[str, str]
"""A family and a name, such as ``("domain", "AGENT_DEV")``; made by `make_key`."""


def _normalize_spaces(text: str) -> str:
    return " ".join(text.casefold().split())


_SPELLINGS: Mapping[str, Callable[[str], str]] = {
    "domain": upper_snake,
    "bracket": upper_snake,
    "workflow": snake_case,
    "steps": snake_case,
    "agent": kebab_case,
    "squad": kebab_case,
    "task": kebab_case,
    "story": kebab_case,
    "command": kebab_case,
    "agent-command": kebab_case,
    "keyword": _normalize_spaces,
}


@lru_cache(maxsize=65_536)
def make_key(family: str, name: str) -> Key:
    """Return the key of an object; name that differ in spelling only have the same one.

    Families: domain and bracket (``UPPER_SNAKE``), workflow and steps (of the workflow of that
    name; ``snake_case``), agent, squad, task, story and command (``kebab-case``), keyword
    (lower case); and, with names as they stand, file (a path), trigger (``agent:dev``,
    ``workflow:story_development``), article (a number), state (the path of its file), rule (the
    text of one that stands in every block), rules (the path of a file of them), authority (an
    action of a boundary), agent-command (a command of an agent), identity and index (the paths
    of Brainiac's), memory-id (the id of a memory), source (the path of a constitution's
    source), session and memory (an id), chati (the path of a file of Chati.dev), setting
    (``GLOBAL_EXCLUDE``, ``DEVMODE``, ``config``).
    """
    spell = _SPELLINGS.get(family)
    return (family, spell(name) if spell else name)


def content_key(path: str) -> Key:
    """Return the key that changes with every change of a file's text. Nothing defines or mentions
    it.
    """
    return ("content", path)


def changed_paths(changed_keys: Iterable[Key]) -> frozenset[str]:
    """Return the files that came, went or changed their text, where ``changed_keys`` are those that
    changed.
    """
    return frozenset(name for family, name in changed_keys if family in ("content", "file"))


class Definition(NamedTuple):
    """A place that says what ``key`` is.

    ``value`` is what it says: while it stays the same, the place may move within its file
    without the key counting as changed.
    """

    key: Key
    span: Span
    value: Hashable = ()


class Reference(NamedTuple):
    """A place that mentions ``key``."""

    key: Key
    span: Span
