"""What a family of prompts is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from synapse_ls.engine.plan import Plan


@dataclass(frozen=True, slots=True)
class Offered:
    """A prompt that a person can choose. arguments: (name, what it means), none of them required."""

    name: str
    title: str
    about: str
    arguments: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Prompts of one kind. offered: those of a tree, None where there is no tree. text: (root, name,
    arguments) -> what the user says with it; None where the family has no such prompt.
    """

    offered: Callable[[Plan | None], Iterator[Offered]]
    text: Callable[[str, str, Mapping[str, str]], str | None]
