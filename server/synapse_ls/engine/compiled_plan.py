"""This module is the plan: the compiled tree, everything a prompt needs, as plain values that
``marshal`` can write.

``plan_compiler`` makes a plan of a tree and its configuration; ``block_assembly`` reads it.
Rows that only few prompts need (a domain, the squads) are kept packed (`packed_strings`) until they
are asked for, so that loading a plan costs by its keywords and not by its rules.

This module has the rows of a compiled plan: its domains with their rules, its squads, and the
workflow instances in progress.
"""

from __future__ import annotations

from marshal import dumps, loads

from synapse_ls.engine.packed_strings import DamagedPlanError, Slices, join_slices
from synapse_ls.engine.profile_model import Profile
from synapse_ls.engine.word_matching import slug_of
from synapse_ls.text.digest import digest_of
from synapse_ls.workspace.agent_spellings import find_agent_id

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    from synapse_ls.engine.packed_strings import Data

    Value = TypeVar("Value")


class RuleRow:
    """A RuleRow is one rule as compiled. ``text`` is what may stand in a block, ``hash`` its
    identity there.
    """

    __slots__ = (
        "group",
        "hash",
        "index",
        "key",
        "kind",
        "line",
        "phase",
        "qualifier",
        "text",
    )

    def __init__(
        self,
        key: str,
        kind: str,
        index: int | None,
        text: str,
        group: str,
        phase: str,
        qualifier: str,
        line: int,
        hash: str,
    ) -> None:
        self.key = key
        self.kind = kind
        self.index = index
        self.text = text
        self.group = group
        self.phase = phase
        self.qualifier = qualifier
        self.line = line
        self.hash = hash

    @property
    def number(self) -> str:
        """Returns the number shown before the rule: its index counted from 1."""
        return "-" if self.index is None else f"{self.index + 1}."

    @property
    def number_as_written(self) -> str:
        """Returns the number of a rule of the constitution: its index, by which others refer to
        it.
        """
        return "-" if self.index is None else f"{self.index}."


class PlanDomain:
    """A PlanDomain is a domain as compiled; ``squad`` is a position in ``Plan.squads`` or -1 for
    the root.

    role: "constitution", "global", "context" or "commands" for the built-in files, else "".
    overrides: names of the root domains that this squad domain replaces while it is active.
    """

    __slots__ = (
        "_phases",
        "active",
        "agent",
        "always_on",
        "every_n_turns",
        "exclude",
        "file",
        "label",
        "line",
        "manifest",
        "name",
        "non_negotiable",
        "on_tokens",
        "overrides",
        "paths",
        "position",
        "recall",
        "role",
        "rows",
        "squad",
        "workflow",
    )

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
        self.rows: tuple[RuleRow, ...]
        *plain, rows = fields
        for name, value in zip(DOMAIN_FIELDS, plain, strict=True):
            setattr(self, name, value)
        self.rows = tuple(RuleRow(*row) for row in rows)
        self._phases: dict[str, str] | None = None

    @property
    def phases(self) -> dict[str, str]:
        """Returns the phases that the rules name, as compared -> as they are spelt."""
        if self._phases is None:
            self._phases = {slug_of(row.phase): row.phase for row in self.rows if row.phase}
        return self._phases


DOMAIN_FIELDS = (
    "position",
    "name",
    "label",
    "squad",
    "role",
    "active",
    "always_on",
    "non_negotiable",
    "agent",
    "workflow",
    "recall",
    "exclude",
    "paths",
    "every_n_turns",
    "on_tokens",
    "overrides",
    "file",
    "manifest",
    "line",
)


class PlanSquad:
    """A PlanSquad is a squad as compiled: ``mode`` is its ``extends`` (ADR-001, "Extends
    Modes").
    """

    __slots__ = ("agents", "domains", "folder", "mode", "name")

    def __init__(
        self,
        folder: str,
        name: str,
        mode: str,
        domains: tuple[int, ...],
        agents: tuple[str, ...],
    ) -> None:
        self.folder = folder
        self.name = name
        self.mode = mode
        self.domains = domains
        self.agents = agents


class PlanState:
    """A PlanState is a workflow instance in progress as compiled; ``phases`` are the names its
    current step goes by.
    """

    __slots__ = ("agent", "id", "path", "phases", "squad", "story", "task")

    def __init__(
        self,
        id: str,
        phases: tuple[str, ...],
        agent: str,
        task: str,
        squad: str,
        path: str,
        story: str = "",
    ) -> None:
        self.id = id
        self.phases = phases
        self.agent = agent
        self.task = task
        self.squad = squad
        self.path = path
        self.story = story

    @property
    def values(self) -> tuple[str, ...]:
        """Returns what the file says of the work: workflow, phase, agent, task, story, the other
        names of the phase.
        """
        first = self.phases[0] if self.phases else ""
        return (self.id, first, self.agent, self.task, self.story, *self.phases[1:])


FORMAT = 21  # counted up whenever the shape of a plan changes
SHELF_LABELS = 64  # labels that are unpacked together
MOST_KEPT = 256  # values made of a plan's rules that stay with it


class KeywordTable:
    """A KeywordTable has the keywords of a plan, packed in ``shelves``; ``known`` has those of the
    words that were looked up before. `keyword_table` says what is in it.
    """

    __slots__ = ("known", "shelves")

    def __init__(self, shelves: Sequence[bytes] | Slices = ()) -> None:
        self.shelves = shelves
        self.known: dict[str, tuple[tuple[str, str, int, int], ...]] = {}


class Plan:
    """A Plan is a tree as compiled; see the module. Positions are those of ``packed``, the domains
    in manifest order.

    always: positions of built-in and always-on root domains. by_agent, by_workflow: trigger ->
    positions (root and squads). periodic: domains woken by turns, tokens or paths. agents:
    every spelling that addresses an agent -> its id. command_tasks: agent -> its commands that take
    up a task -> the task. owners: agent -> the folder of its squad.
    states: active workflow instances, newest first. tasks, stories: name -> path. notices: what
    is wrong with sources that could not be read. settings: engine settings of the
    configuration. boundaries: what agents may and may not do, the rows of
    ``authority_boundaries``. extra: what only the layers of one profile know.
    """

    __slots__ = (
        "_cache",
        "_kept",
        "_label_shelves",
        "_labels",
        "_labels_digest",
        "_squad_rows",
        "_squads",
        "agents",
        "aliases",
        "always",
        "boundaries",
        "by_agent",
        "by_workflow",
        "command_tasks",
        "commands",
        "devmode",
        "extra",
        "keywords",
        "notices",
        "owners",
        "packed",
        "periodic",
        "phases",
        "profile",
        "profile_table",
        "root",
        "settings",
        "state_rows",
        "states",
        "stories",
        "tasks",
    )

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.root: str = fields["root"]
        self.profile_table: dict[str, Any] = fields["profile_table"]
        self.settings: dict[str, Any] = fields["settings"]
        self.packed: Sequence[bytes] | Slices = fields.get("packed", ())
        self.always: tuple[int, ...] = fields.get("always", ())
        self.boundaries: tuple[tuple[Any, ...], ...] = fields.get("boundaries", ())
        self.by_agent: dict[str, tuple[int, ...]] = fields.get("by_agent", {})
        self.by_workflow: dict[str, tuple[int, ...]] = fields.get("by_workflow", {})
        self.periodic: tuple[int, ...] = fields.get("periodic", ())
        self.keywords: KeywordTable = fields.get("keywords") or KeywordTable()
        self.commands: dict[str, tuple[str, tuple[tuple[Any, ...], ...]]] = fields.get(
            "commands", {}
        )
        self.state_rows: tuple[tuple[Any, ...], ...] = fields.get("state_rows", ())
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
        self.states: tuple[PlanState, ...] = ()
        self.set_states(self.state_rows)
        self._cache: dict[int, PlanDomain] = {}
        self._kept: dict[tuple[object, ...], Any] = {}
        self._labels: dict[str, int] | Slices = fields.get("labels", {})
        self._labels_digest: bytes = fields.get("labels_digest", b"")
        self._label_shelves: dict[int, dict[str, int]] = {}
        self._squad_rows: tuple[tuple[Any, ...], ...] | Slices = fields.get("squad_rows", ())
        self._squads: tuple[PlanSquad, ...] | None = None

    def set_states(self, rows: tuple[tuple[Any, ...], ...]) -> None:
        """Has these be the workflow instances in progress, the newest first."""
        self.state_rows = rows
        self.states = tuple(PlanState(*row) for row in rows)

    @property
    def labels(self) -> dict[str, int]:
        """Returns label -> position, for who needs all of them."""
        known = self._labels
        if isinstance(known, Slices):
            rows = (row for shelf in known for row in loads(shelf).items())
            known = self._labels = dict(sorted(rows, key=lambda row: row[1]))
        return known

    def position_of(self, label: str) -> int | None:
        """Returns where the domain of this label is; None for none."""
        known = self._labels
        if not isinstance(known, Slices):
            return known.get(label)
        number = shelf_of(label, len(known))
        shelf = self._label_shelves.get(number)
        if shelf is None:
            shelf = self._label_shelves[number] = loads(known[number])
        return shelf.get(label)

    @property
    def labels_digest(self) -> bytes:
        """Returns by which plans are told apart that have other domains."""
        if isinstance(self._labels, Slices):
            return self._labels_digest
        return digest_of(b"".join(_shelve_labels(self._labels)))

    @property
    def squad_rows(self) -> tuple[tuple[Any, ...], ...]:
        """Returns the fields of each of ``squads``."""
        known = self._squad_rows
        if isinstance(known, Slices):
            known = self._squad_rows = loads(known[0])
        return known

    @property
    def squads(self) -> tuple[PlanSquad, ...]:
        """Returns the squads by folder."""
        if self._squads is None:
            self._squads = tuple(PlanSquad(*row) for row in self.squad_rows)
        return self._squads

    def domain(self, position: int) -> PlanDomain:
        """Returns the domain at ``position``."""
        found = self._cache.get(position)
        if found is None:
            # Two threads that ask at once get the same one.
            made = PlanDomain(loads(self.packed[position]))
            found = self._cache.setdefault(position, made)
        return found

    def unpacked_positions(self) -> list[int]:
        """Returns the positions of the domains that somebody has asked for."""
        return list(self._cache)

    def unpack_domains(self, positions: Iterable[int]) -> None:
        """Unpacks the domains at these positions before anybody asks for them; a position that the
        plan does not have is passed over.
        """
        count = len(self.packed)
        for position in positions:
            if position < count:
                self.domain(position)

    def keep(self, name: tuple[object, ...], make: Callable[[], Value]) -> Value:
        """Returns what ``make`` makes of the rules of this plan, made once for each ``name``."""
        found: Value | None = self._kept.get(name)
        if found is None:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            found = self._kept[name] = make()
        return found

    def domains(self) -> list[PlanDomain]:
        """Returns every domain of the tree, root first, then squads by folder."""
        return [self.domain(position) for position in range(len(self.packed))]

    @property
    def guarded_actions(self) -> tuple[str, ...]:
        """Returns what the boundaries are about: "command", "tool", "read", "write", "delete"."""
        about = {
            verb if machine and (verb := action.partition(" ")[0]) in _VERBS else "command"
            for _, _, said, action, machine, *_ in self.boundaries
            if said not in ("free", "allow")
        }
        return tuple(sorted(about))

    def find_agent(self, written: str) -> str:
        """Returns the id of the agent that ``written`` addresses, "" for none."""
        return find_agent_id(self.agents, written)

    def command_rows(self, name: str) -> tuple[RuleRow, ...]:
        """Returns the rules of a star-command; empty where the tree does not define it."""
        _, rows = self.commands.get(name, ("", ()))
        return tuple(RuleRow(*row) for row in rows)

    def workflow_id(self, written: str) -> str:
        """Returns the id under which workflows that are spelt differently are compared."""
        slug = slug_of(written)
        return self.aliases.get(slug, slug)

    def replace_damaged(self, compile: Callable[[], Plan]) -> None:
        """Has a part that turns out to be damaged taken from the plan that ``compile`` returns.

        Where that is the plan of a tree that has changed in between, the parts do not belong
        together: asking for one that is damaged then raises DamagedPlanError.
        """
        made: list[Plan] = []

        def fresh_plan() -> Plan:
            if not made:
                made.append(compile())
            same_shelves = len(made[0].keywords.shelves) == len(self.keywords.shelves)
            if made[0].labels_digest != self.labels_digest or not same_shelves:
                raise DamagedPlanError("the stored plan is damaged, and the tree has changed")
            return made[0]

        if isinstance(self.packed, Slices):
            self.packed.spare = lambda: tuple(fresh_plan().packed)
        if isinstance(self.keywords.shelves, Slices):
            self.keywords.shelves.spare = lambda: tuple(fresh_plan().keywords.shelves)
        if isinstance(self._labels, Slices):
            self._labels.spare = lambda: _shelve_labels(fresh_plan().labels)
        if isinstance(self._squad_rows, Slices):
            self._squad_rows.spare = lambda: (dumps(fresh_plan().squad_rows),)

    def check_parts(self) -> None:
        """Looks at every part of a stored plan; raises DamagedPlanError for one that is damaged."""
        for parts in (self.packed, self.keywords.shelves, self._labels, self._squad_rows):
            for _ in parts:
                pass

    def to_bytes(self) -> tuple[bytes, bytes]:
        """Returns the plan as two byte strings for ``load_plan``; the second has what a prompt
        looks up in it.
        """
        fields = {name: getattr(self, name) for name in STORED_FIELDS}
        fields["labels_digest"] = self.labels_digest
        data = b""
        for name, strings in (
            ("packed", self.packed),
            ("keywords", self.keywords.shelves),
            ("labels", _shelve_labels(self.labels)),
            ("squad_rows", (dumps(self.squad_rows),)),
        ):
            joined, fields[name] = join_slices(strings, len(data))
            data += joined
        return dumps({"format": FORMAT, **fields}), data


_VERBS = ("tool", "read", "write", "delete")

STORED_FIELDS = (
    "labels",
    "squad_rows",
    *(name for name in Plan.__slots__ if name[0] != "_" and name not in ("profile", "states")),
)


def load_plan(core: bytes, data: Data) -> Plan | None:
    """Returns the plan that ``Plan.to_bytes`` has made these two of, or None where another version
    has.
    """
    fields = loads(core)
    if not isinstance(fields, dict) or fields.get("format") != FORMAT:
        return None
    for name in ("packed", "labels", "squad_rows"):
        fields[name] = Slices(data, fields[name])
    fields["keywords"] = KeywordTable(Slices(data, fields["keywords"]))
    return Plan(fields)


def shelf_of(name: str, count: int) -> int:
    """Returns on which of the ``count`` shelves of a compiled plan what has this name is."""
    if count == 1:
        return 0
    return int.from_bytes(digest_of(name.encode("utf-8", "surrogatepass")), "little") % count


def _shelve_labels(labels: Mapping[str, int]) -> tuple[bytes, ...]:
    """Returns labels with their positions in shelves, one at least."""
    count = max(1, -(-len(labels) // SHELF_LABELS))
    shelves: list[dict[str, int]] = [{} for _ in range(count)]
    for label, position in labels.items():
        shelves[shelf_of(label, count)][label] = position
    return tuple(map(dumps, shelves))
