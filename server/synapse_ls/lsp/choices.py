"""The answer of ``synapse/choices``, as `answers` has those of the other methods."""

from __future__ import annotations

import attrs


@attrs.frozen(kw_only=True)
class BracketInfo:
    """A bracket: from which percentage on it holds, its budget, and the layers that are awake."""

    name: str
    label: str
    floor: float
    budget: int
    layers: list[str]


@attrs.frozen(kw_only=True)
class Choice:
    """Something that a situation can be made of."""

    id: str
    title: str


@attrs.frozen(kw_only=True)
class WorkflowChoice:
    """A workflow, with the phases that its rules can be for."""

    id: str
    title: str
    phases: list[str]


@attrs.frozen(kw_only=True)
class ChoicesAnswer:
    """``synapse/choices``: what the parameters of a question can be."""

    brackets: list[BracketInfo]
    agents: list[Choice]
    workflows: list[WorkflowChoice]
    tasks: list[Choice]
    stories: list[Choice]
    squads: list[Choice]
    commands: list[Choice]
    articles: list[Choice]
