"""The compiled plan of a tree, as plain values that ``marshal`` can write.

`plan_compiler` writes it and `block_assembly` reads it. A domain stays packed until a prompt needs
it. A profile is a plain table (``systems/*/profile.py``), so that a configuration file can hold
one; `Profile` names its rows.
"""

from __future__ import annotations

from marshal import dumps, loads

from synapse_ls.engine import word_matching
from synapse_ls.formats.rule import Rule
from synapse_ls.text.lazy_import import load_module
from synapse_ls.text.record import Record
from synapse_ls.workspace.agent_spellings import find_agent_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
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


_BRACKET_FIELDS = (
    "name", "floor", "budget", "label", "layers", "memory", "memory_tokens", "handoff", "refresh",
)  # fmt: skip


def bracket_rows(*rows: Iterable[Any]) -> tuple[Table, ...]:
    """Return the rows of brackets, whose values are in the order of the attributes of `Bracket`."""
    return tuple(dict(zip(_BRACKET_FIELDS, row, strict=True)) for row in rows)


class Layout(Record):
    """The part of a profile with the text around and between sections: ``open``, the sections with
    ``between``, ``close``.

    indent: what stands before sub-headings and before the line that names what was cut.
    """

    open: str
    between: str
    close: str
    indent: str

    @property
    def frame_length(self) -> int:
        """The code points of a block beyond its sections and a separator for each of them."""
        return len(self.open) + len(self.close) - len(self.between)


class Profile:
    """The model of a whole profile, with names for its rows; all modules it names lie below
    ``synapse_ls.engine``.

    source: the rule system; ``systems/SOURCE/compiler.py`` reads its files. layers: (id,
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
    what no longer holds, "" for that of plain text. whole_first_block: whether budgets bound only
    what comes after the first block of a window. asked: the class in ``drop`` of what a prompt asks
    for, in the first block of a window and in later ones; "" for none of its own.
    entering_memories: what an agent is told when it comes into a window, in whatever bracket:
    "corrections", "hot" for these and its HOT memories, "" for nothing. memory_length:
    ``module.function`` that measures a memory in the profile's grammar, "" for that of plain text.
    tag: that of a tree's own profile around the block, "" for none. headings: section id -> the
    heading in place of its own, with ``{name}`` for whom it is about.
    """

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
        self.whole_first_block: bool = table.get("whole_first_block", False)
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
        return next((b for b in self.brackets if remaining >= b.floor), self.brackets[-1])

    def find_bracket(self, name: str) -> Bracket | None:
        """Return the bracket called ``name``, in any case of letters; None for none."""
        return next((b for b in self.brackets if b.name == name.upper()), None)

    def waking_bracket(self, layer: str, now: str = "") -> Bracket | None:
        """Return the first bracket in which ``layer`` is awake; from the bracket ``now``, the next
        one as the window fills, else the nearest one before. None for none.
        """
        at = next((i for i, b in enumerate(self.brackets) if b.name == now), 0)
        ahead = (*self.brackets[at:], *reversed(self.brackets[:at]))
        return next((b for b in ahead if layer in b.layers), None)


class PlanDomain:
    """A domain as compiled; ``squad`` is a position in ``Plan.squads`` or -1 for the root.

    role: "constitution", "global", "context" or "commands" for the built-in files, else "".
    overrides: names of the root domains that this squad domain replaces while it is active. native:
    the clients that apply its file by themselves, and after "!" those of their sub-agents that do
    not get it. elsewhere: the clients that do not get it, because they have instructions of their
    own, each with the file of these. on_request: why only a person brings it in, "" where that is
    not so.
    """

    def __init__(self, fields: Sequence[Any]) -> None:
        self.position: int
        self.name: str
        self.label: str
        self.squad: int
        self.role: str
        self.active: bool
        self.always_on: bool
        self.non_negotiable: bool
        self.agent: str
        self.workflow: str
        self.recall: tuple[str, ...]
        self.exclude: tuple[str, ...]
        self.paths: tuple[str, ...]
        self.every_n_turns: int
        self.on_tokens: int
        self.overrides: tuple[str, ...]
        self.file: str
        self.manifest: str
        self.line: int
        self.native: tuple[str, ...]
        self.on_request: str
        self.elsewhere: tuple[tuple[str, str], ...]
        *plain, rules = fields
        for name, value in zip(DOMAIN_FIELDS, plain, strict=True):
            setattr(self, name, value)
        self.rules = tuple(Rule(*values) for values in rules)
        self._phases: dict[str, str] | None = None

    def is_native_in(self, reader: str) -> bool:
        """Return whether a window's agent, ``client`` or ``client:sub-agent``, has the rules from
        its client, which reads their file.
        """
        native = self.native
        return bool(native) and reader.partition(":")[0] in native and f"!{reader}" not in native

    @property
    def read_by(self) -> tuple[str, ...]:
        """The clients that read the rules' file by themselves."""
        return tuple(name for name in self.native if name[0] != "!")

    @property
    def phases(self) -> dict[str, str]:
        """The phases that the rules name, as compared -> as they are spelt."""
        if self._phases is None:
            self._phases = {
                word_matching.slug_of(rule.phase): rule.phase for rule in self.rules if rule.phase
            }
        return self._phases


DOMAIN_FIELDS = (
    "position", "name", "label", "squad", "role", "active", "always_on", "non_negotiable", "agent",
    "workflow", "recall", "exclude", "paths", "every_n_turns", "on_tokens", "overrides", "file",
    "manifest", "line", "native", "on_request", "elsewhere",
)  # fmt: skip


def pack_domain(fields: Iterable[Any], rules: Iterable[Rule]) -> bytes:
    """Return a domain as a plan keeps it: the values of `DOMAIN_FIELDS`, and its rules."""
    return dumps((*fields, tuple(rule.values for rule in rules)))


class PlanSquad(Record):
    """A squad as compiled: ``mode`` is its ``extends`` (ADR-001, "Extends Modes")."""

    folder: str
    name: str
    mode: str
    domains: tuple[int, ...]
    agents: tuple[str, ...]


class PlanState(Record):
    """A workflow instance in progress as compiled; ``phases`` are the names its current step goes
    by.
    """

    id: str
    phases: tuple[str, ...]
    agent: str
    task: str
    squad: str
    path: str
    story: str = ""

    @property
    def values(self) -> tuple[str, ...]:
        """What the file says of the work: workflow, phase, agent, task, story, the other names of
        the phase.
        """
        first = self.phases[0] if self.phases else ""
        return (self.id, first, self.agent, self.task, self.story, *self.phases[1:])


NO_ROWS = dumps(())


class Plan:
    """A tree as compiled; see the module. Positions are those of ``packed``, the domains in
    manifest order.

    always: positions of built-in and always-on root domains. by_agent, by_workflow: trigger ->
    positions (root and squads). periodic: domains woken by turns, tokens or paths. agents:
    every spelling that addresses an agent -> its id. command_tasks: agent -> its commands that take
    up a task -> the task. owners: agent -> the folder of its squad.
    labels: label -> position. squad_rows: the fields of each of ``squads``, packed. keywords:
    bucket -> keywords (`word_matching`).
    states: active workflow instances, newest first. workflow_states: path of an instance -> what
    orders it, and its row; one that is over since is there too. workflow_steps: the steps that
    their definitions have. tasks, stories: name -> path. notices: what is wrong with sources that
    could not be read. settings: engine settings of the
    configuration. boundaries: what agents may and may not do, the rows of
    ``authority_boundaries``. extra: what only the layers of one profile know.
    """

    __slots__ = (
        "_cache", "_squads", "agents", "aliases", "always", "boundaries", "by_agent", "by_workflow",
        "command_tasks", "commands", "devmode", "extra", "keywords", "labels", "notices", "owners",
        "packed", "periodic", "phases", "profile", "profile_table", "root", "settings",
        "squad_rows", "state_rows", "states", "stories", "tasks", "workflow_states",
        "workflow_steps",
    )  # fmt: skip

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.root: str = fields["root"]
        self.profile_table: dict[str, Any] = fields["profile_table"]
        self.settings: dict[str, Any] = fields["settings"]
        self.packed: Sequence[bytes] = fields.get("packed", ())
        self.always: tuple[int, ...] = fields.get("always", ())
        self.boundaries: tuple[tuple[Any, ...], ...] = fields.get("boundaries", ())
        self.by_agent: dict[str, tuple[int, ...]] = fields.get("by_agent", {})
        self.by_workflow: dict[str, tuple[int, ...]] = fields.get("by_workflow", {})
        self.periodic: tuple[int, ...] = fields.get("periodic", ())
        self.keywords: word_matching.KeywordTable = fields.get("keywords", {})
        self.commands: dict[str, tuple[str, tuple[tuple[Any, ...], ...]]] = fields.get(
            "commands", {}
        )
        self.state_rows: tuple[tuple[Any, ...], ...] = fields.get("state_rows", ())
        self.workflow_states: dict[str, tuple[tuple[Any, ...], tuple[Any, ...]]] = fields.get(
            "workflow_states", {}
        )
        self.workflow_steps: dict[str, tuple[tuple[Any, ...], ...]] = fields.get(
            "workflow_steps", {}
        )
        self.labels: Mapping[str, int] = fields.get("labels", {})
        self.squad_rows: bytes = fields.get("squad_rows", NO_ROWS)
        self.agents: dict[str, str] = fields.get("agents", {})
        self.command_tasks: dict[str, dict[str, str]] = fields.get("command_tasks", {})
        self.owners: dict[str, str] = fields.get("owners", {})
        self.aliases: dict[str, str] = fields.get("aliases", {})
        self.phases: dict[str, dict[str, str]] = fields.get("phases", {})
        self.tasks: dict[str, str] = fields.get("tasks", {})
        self.stories: dict[str, str] = fields.get("stories", {})
        self.devmode: bool = fields.get("devmode", False)
        self.extra: dict[str, Any] = fields.get("extra", {})
        self.notices: tuple[str, ...] = fields.get("notices", ())
        self.profile = Profile(self.profile_table)
        self.states = tuple(PlanState(*row) for row in self.state_rows)
        self._cache: dict[int, PlanDomain] = {}
        self._squads: tuple[PlanSquad, ...] | None = None

    @property
    def squads(self) -> tuple[PlanSquad, ...]:
        """The squads by folder."""
        if self._squads is None:
            self._squads = tuple(PlanSquad(*row) for row in loads(self.squad_rows))
        return self._squads

    def domain(self, position: int) -> PlanDomain:
        """Return the domain at ``position``."""
        if (domain := self._cache.get(position)) is None:
            # Two threads that ask at once get the same one.
            domain = self._cache.setdefault(position, PlanDomain(loads(self.packed[position])))
        return domain

    def domains(self) -> list[PlanDomain]:
        """Return every domain of the tree, root first, then squads by folder."""
        return [self.domain(position) for position in range(len(self.packed))]

    @property
    def guarded_actions(self) -> tuple[str, ...]:
        """What the boundaries are about: "command", "tool", "read", "write", "delete"."""
        about = {
            verb if machine and (verb := action.partition(" ")[0]) in _VERBS else "command"
            for _, _, effect, action, machine, *_ in self.boundaries
            if effect not in ("free", "allow")
        }
        return tuple(sorted(about))

    def find_agent(self, written: str) -> str:
        """Return the id of the agent that ``written`` addresses, "" for none."""
        return find_agent_id(self.agents, written)

    def command_rules(self, name: str) -> tuple[Rule, ...]:
        """Return the rules of a star-command; empty where the tree does not define it."""
        _, rules = self.commands.get(name, ("", ()))
        return tuple(Rule(*values) for values in rules)

    def workflow_id(self, written: str) -> str:
        """Return the id under which workflows that are spelt differently are compared."""
        slug = word_matching.slug_of(written)
        return self.aliases.get(slug, slug)

    def to_values(self) -> dict[str, Any]:
        """Return the plan's fields as ``marshal`` can write them."""
        return {name: getattr(self, name) for name in STORED_FIELDS}

    def replace(self, **fields: Any) -> Plan:
        """Return a plan with other values in these fields."""
        plan = Plan({**self.to_values(), **fields})
        if plan.packed is self.packed:
            plan._cache = self._cache
        return plan


def active_rows(
    states: Mapping[str, tuple[tuple[Any, ...], tuple[Any, ...]]],
) -> tuple[tuple[Any, ...], ...]:
    """Return the rows of workflow instances in progress, the newest first."""
    return tuple(row for (is_over, *_), row in sorted(states.values()) if not is_over)


_VERBS = ("tool", "read", "write", "delete")

STORED_FIELDS = [
    name for name in Plan.__slots__ if name[0] != "_" and name not in ("profile", "states")
]
