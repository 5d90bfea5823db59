"""Profiles: one engine, many tables.

A profile is a plain table (see ``profiles/``), so that it can be written in a configuration
file and kept in a cached plan. The classes here only give its rows names.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Table = dict[str, Any]


class Bracket:
    """One row of the bracket table (SYNAPSE Context Brackets, "The 4 Brackets").

    floor: percent left from which the bracket holds. budget: tokens. layers: ids that are awake.
    memory: disclosure level. refresh: prompts after which standing text is sent again.
    """

    __slots__ = ("budget", "floor", "handoff", "label", "layers", "memory", "name", "refresh")

    def __init__(self, row: Table) -> None:
        self.name: str = row["name"]
        self.floor: float = row["floor"]
        self.budget: int = row["budget"]
        self.label: str = row["label"]
        self.layers: frozenset[str] = frozenset(row["layers"])
        self.memory: str = row["memory"]
        self.handoff: bool = row["handoff"]
        self.refresh: int = row["refresh"]


class Profile:
    """A whole profile.

    layers: (id, module) in the order in which they are asked. sections: ids in render order.
    drop: entry classes from first to last dropped; protected: those that only a client's hard
    limit may touch, first to last. lifetimes: section id -> "state" | "recall" | "turn".
    """

    __slots__ = (
        "brackets",
        "drop",
        "executors",
        "layers",
        "lifetimes",
        "name",
        "order",
        "protected",
        "rank",
        "recall_prompts",
        "tag",
    )

    def __init__(self, table: Table) -> None:
        self.name: str = table["name"]
        self.tag: str = table["tag"]
        self.brackets = tuple(Bracket(row) for row in table["brackets"])
        self.layers: tuple[tuple[str, str], ...] = tuple(table["layers"])
        self.order: dict[str, int] = {name: i for i, name in enumerate(table["sections"])}
        self.lifetimes: dict[str, str] = table["lifetimes"]
        self.executors: dict[str, tuple[str, ...]] = table["executors"]
        self.recall_prompts: int = table["recall_prompts"]
        self.drop: tuple[str, ...] = tuple(table["drop"])
        self.protected: tuple[str, ...] = tuple(table["protected"])
        self.rank: dict[str, int] = {
            name: i for i, name in enumerate((*self.drop, *self.protected))
        }

    def bracket_at(self, remaining: float) -> Bracket:
        """The bracket that holds with ``remaining`` percent left."""
        for bracket in self.brackets:
            if remaining >= bracket.floor:
                return bracket
        return self.brackets[-1]

    def bracket_named(self, name: str) -> Bracket | None:
        """The bracket called ``name``, in any case of letters."""
        wanted = name.upper()
        return next((b for b in self.brackets if b.name == wanted), None)

    def waking_bracket(self, layer: str) -> Bracket | None:
        """The first bracket in which ``layer`` is awake."""
        return next((b for b in self.brackets if layer in b.layers), None)
