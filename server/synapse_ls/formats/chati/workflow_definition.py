"""This module parses workflow definitions of Chati.dev, ``chati.dev/workflows/*.yaml``: phases,
each with a sequence.

A phase has a category (PLANNING, BUILD, DEPLOY); the pipeline that a block shows is that of the
category the project is in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.parse_result import ParseResult, Problem, Text
from synapse_ls.text.span import Span


@dataclass(frozen=True, slots=True)
class WorkflowStep:
    """A WorkflowStep is one step of a Chati.dev workflow; ``category`` is lower case, "" where the
    phase names none.
    """

    agent: Text
    phase: str
    category: str
    action: str


@dataclass(frozen=True, slots=True)
class WorkflowDocument:
    """A WorkflowDocument is a workflow of Chati.dev; ``id`` is None where the file names none (then
    its stem is the id).
    """

    id: Text | None
    name: str
    type: str
    steps: tuple[WorkflowStep, ...]
    root: YamlNode | None

    def agents_in_order(self, category: str = "") -> tuple[str, ...]:
        """Returns the agents in order, of one category or of all, each once."""
        named = (s.agent.value for s in self.steps if category in ("", s.category))
        return tuple(dict.fromkeys(named))


def parse(text: str) -> ParseResult[WorkflowDocument]:
    """Parses a workflow definition of Chati.dev. Problem kinds: those of `parse_yaml`, and
    ``invalid-chati-workflow``.
    """
    root, problems = parse_yaml(text)
    workflow = root.get("workflow") if root is not None else None
    found = list(problems)
    phases = root.non_null("phases") if root is not None else None
    if root is not None and phases is None:
        first = root.pairs[0][0].span if root.pairs else root.span
        found.append(_workflow_problem(first, "The workflow has no `phases`", "Add `phases`."))
    elif phases is not None and phases.kind != "sequence":
        found.append(_workflow_problem(phases.span, "`phases` is not a list"))
        phases = None
    steps = tuple(_read_steps(phases)) if phases is not None else ()
    document = WorkflowDocument(
        workflow.text("id") if workflow else None,
        workflow.scalar("name") if workflow else "",
        workflow.scalar("type") if workflow else "",
        steps,
        root,
    )
    return ParseResult(document, tuple(sorted(found, key=lambda problem: problem.span)))


def _read_steps(phases: YamlNode) -> Iterator[WorkflowStep]:
    for phase in (item.target_node for item in phases.items):
        name, category = phase.scalar("name"), phase.scalar("category").lower()
        sequence = phase.get("sequence")
        for step in (item.target_node for item in (sequence.items if sequence else ())):
            agent = step.text("agent")
            if agent is not None and agent.value:
                yield WorkflowStep(agent, name, category, step.scalar("action"))


def _workflow_problem(span: Span, reason: str, remedy: str = "") -> Problem:
    message = f"{reason}, so the pipeline cannot be told from it."
    return Problem("invalid-chati-workflow", span, message, remedy)
