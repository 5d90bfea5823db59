"""The settings of ``[brainiac]``."""

from __future__ import annotations

from dataclasses import dataclass

from synapse_ls.formats.option import Option

BUDGET = 8_000
MEMORIES = 10

OPTIONS: tuple[Option, ...] = (
    Option("brainiac.budget", "int", BUDGET, "Tokens of a text, the prompt included.", minimum=1),
    Option("brainiac.memories", "int", MEMORIES, "Memories that a text tells at most.", minimum=0),
)


@dataclass(frozen=True, slots=True)
class Brainiac:
    """How long a text of the ``brainiac`` profile is: ``budget`` in tokens."""

    budget: int = BUDGET
    memories: int = MEMORIES
