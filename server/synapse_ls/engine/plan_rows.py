"""This module has the rows of a compiled plan: its domains with their rules, its squads, and the
workflow instances in progress.
"""

from __future__ import annotations

from synapse_ls.engine.name_slugs import slug_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


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
        """Returns the number of a rule of the constitution: its index, by which others refer to it."""
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
    """A PlanSquad is a squad as compiled: ``mode`` is its ``extends`` (ADR-001, "Extends Modes")."""

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
