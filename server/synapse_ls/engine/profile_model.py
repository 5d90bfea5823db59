"""The model of a profile, which gives names to the rows of its table: bracket, layout and the rest.
One engine, many tables.

A profile is a plain table (see ``systems/*/profile.py``), so that it can be written in a
configuration file and kept in a cached plan.
"""

from __future__ import annotations

from synapse_ls.text.lazy_import import load_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Table = dict[str, Any]


def load_function(name: str) -> Callable[..., Any]:
    """Return the function that a profile names as ``module.function`` below
    ``synapse_ls.engine``.
    """
    module, _, function = name.rpartition(".")
    loaded: Callable[..., Any] = getattr(load_module(f"synapse_ls.engine.{module}"), function)
    return loaded


class Bracket:
    """One row of the brackets in the model of a profile (SYNAPSE Context Brackets, "The 4
    Brackets").

    floor: percent left from which the bracket holds. budget: tokens. layers: ids that are
    awake. memory: disclosure level; memory_tokens: how much of it. handoff: whether to warn
    that the window ends. refresh: prompts after which standing text is sent again.
    """

    __slots__ = (
        "budget",
        "floor",
        "handoff",
        "label",
        "layers",
        "memory",
        "memory_tokens",
        "name",
        "refresh",
    )

    def __init__(self, row: Table) -> None:
        self.name: str = row["name"]
        self.floor: float = row["floor"]
        self.budget: int = row["budget"]
        self.label: str = row["label"]
        self.layers: frozenset[str] = frozenset(row["layers"])
        self.memory: str = row["memory"]
        self.memory_tokens: int = row["memory_tokens"]
        self.handoff: bool = row["handoff"]
        self.refresh: int = row["refresh"]


class Layout:
    """The part of a profile with the text around and between sections: ``open``, the sections with
    ``between``, ``close``.

    indent: what stands before sub-headings and before the line that names what was cut.
    """

    __slots__ = ("between", "close", "indent", "open")

    def __init__(self, open: str, between: str, close: str, indent: str) -> None:
        self.open = open
        self.between = between
        self.close = close
        self.indent = indent

    @property
    def frame_length(self) -> int:
        """The code points of a block beyond its sections and a separator for each of them."""
        return len(self.open) + len(self.close) - len(self.between)


class Profile:
    """The model of a whole profile, with names for its rows; all modules it names lie below
    ``synapse_ls.engine``.

    source: the rule system; ``systems/SOURCE/source.py`` reads its files. layers: (id,
    ``module.function``) in the order in which they are asked. parts, closing: ``module.function``,
    asked after the layers and after the duplicates are gone. sections: ids in render order. drop:
    entry classes from first to last dropped; protected: those that only a client's hard limit may
    touch, first to last. unbudgeted: sections that no budget counts. lifetimes: section id ->
    "state"
    | "recall" | "turn". handoff_below: percent left under which handing over is not advice any
    more. roles: role of a domain -> the layer that always takes it. deciders: role of domains
    -> the module that finds those that could have a say (``candidate_positions``) and decides
    on each (``decide_domain``). markup: "xml" where texts are escaped and groups are elements.
    home: where its files are, as people write it. called: the star-commands by which a prompt
    asks Synapse LS itself. withdrawn: ``module.function`` that says in the profile's grammar
    what no longer holds, "" for that of plain text. asked: the class in ``drop`` of what a prompt
    asks for, in the first block of a window and in later ones; "" for none of its own.
    entering_memories: what an agent is told when it comes into a window, in whatever bracket:
    "corrections", "hot" for these and its HOT memories, "" for nothing. memory_length:
    ``module.function`` that measures a memory in the profile's grammar, "" for that of plain text.
    tag: that of a tree's own profile around the block, "" for none. headings: section id -> the
    heading in place of its own, with ``{name}`` for whom it is about.
    """

    __slots__ = (
        "_layout",
        "asked",
        "brackets",
        "called",
        "closing",
        "deciders",
        "drop",
        "entering_memories",
        "executors",
        "handoff_below",
        "headings",
        "home",
        "layers",
        "lifetimes",
        "markup",
        "memory_length",
        "name",
        "order",
        "parts",
        "protected",
        "rank",
        "recall_prompts",
        "roles",
        "source",
        "tag",
        "unbudgeted",
        "withdrawn",
    )

    def __init__(self, table: Table) -> None:
        self.name: str = table["name"]
        self.source: str = table["source"]
        self._layout: dict[str, str] = table["layout"]
        self.brackets = tuple(Bracket(row) for row in table["brackets"])
        self.layers: tuple[tuple[str, str], ...] = tuple(table["layers"])
        self.parts: tuple[str, ...] = tuple(table["parts"])
        self.closing: tuple[str, ...] = tuple(table["closing"])
        self.unbudgeted: tuple[str, ...] = tuple(table["unbudgeted"])
        self.withdrawn: str = table.get("withdrawn", "")
        self.handoff_below: float = table["handoff_below"]
        self.order: dict[str, int] = {name: i for i, name in enumerate(table["sections"])}
        self.lifetimes: dict[str, str] = table["lifetimes"]
        self.executors: dict[str, tuple[str, ...]] = table["executors"]
        self.asked: tuple[str, str] = tuple(table.get("asked", ("", "")))
        self.entering_memories: str = table.get("entering_memories", "")
        self.memory_length: str = table.get("memory_length", "")
        self.recall_prompts: int = table["recall_prompts"]
        self.roles: dict[str, str] = table.get("roles", {})
        self.home: str = table.get("home", ".synapse/")
        self.markup: str = table.get("markup", "")
        self.tag: str = table.get("tag", "").lower()
        self.headings: dict[str, str] = table.get("headings", {})
        self.called: tuple[str, ...] = tuple(table.get("called", ("synapse",)))
        self.deciders: dict[str, str] = table.get("deciders", {})
        self.drop: tuple[str, ...] = tuple(table["drop"])
        self.protected: tuple[str, ...] = tuple(table["protected"])
        self.rank: dict[str, int] = {
            name: i for i, name in enumerate((*self.drop, *self.protected))
        }

    def layout_in(self, bracket: str) -> Layout:
        """Return the layout of a block in the bracket of that name."""
        table = self._layout
        opening = table["open"].replace("{bracket}", bracket)
        return Layout(opening, table["between"], table["close"], table["indent"])

    def bracket_at(self, remaining: float) -> Bracket:
        """Return the bracket that holds with ``remaining`` percent left."""
        for bracket in self.brackets:
            if remaining >= bracket.floor:
                return bracket
        return self.brackets[-1]

    def find_bracket(self, name: str) -> Bracket | None:
        """Return the bracket called ``name``, in any case of letters; None for none."""
        wanted = name.upper()
        return next((b for b in self.brackets if b.name == wanted), None)

    def waking_bracket(self, layer: str, now: str = "") -> Bracket | None:
        """Return the first bracket in which ``layer`` is awake; from the bracket ``now``, the next
        one as the window fills, else the nearest one before. None for none.
        """
        at = next((i for i, b in enumerate(self.brackets) if b.name == now), 0)
        ahead = (*self.brackets[at:], *reversed(self.brackets[:at]))
        return next((b for b in ahead if layer in b.layers), None)
