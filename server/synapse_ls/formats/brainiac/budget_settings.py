"""This module defines the settings of ``[brainiac]`` in the configuration: the token budget and the
number of memories.
"""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.formats.config_option import Option

DEFAULT_BUDGET = 8_000
DEFAULT_MEMORIES = 10

OPTIONS: tuple[Option, ...] = (
    Option(
        "brainiac.budget",
        "int",
        DEFAULT_BUDGET,
        "Tokens of a text, the prompt included.",
        minimum=1,
    ),
    Option(
        "brainiac.memories",
        "int",
        DEFAULT_MEMORIES,
        "Memories that a text tells at most.",
        minimum=0,
    ),
)


@dataclass(frozen=True, slots=True)
class BrainiacSettings:
    """A BrainiacSettings says how long a text of the ``brainiac`` profile is: ``budget`` in tokens."""

    budget: int = DEFAULT_BUDGET
    memories: int = DEFAULT_MEMORIES
