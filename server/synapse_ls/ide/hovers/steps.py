"""Hovers about the steps of workflows: where the work is, what comes next, and who does it."""

from __future__ import annotations

from synapse_ls.engine import chains
from synapse_ls.engine.navigation import Position, Route, Stop, locate, named, route_of, then, where
from synapse_ls.formats.workflow import WorkflowDefinition
from synapse_ls.formats.workflow_chains import Chain
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.ide.markdown import code, paragraphs, plain
from synapse_ls.ide.view import View
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts


def hover_definition(view: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """The step of a definition under the pointer, and where instances of the workflow are."""
    definition = facts.document
    if not isinstance(definition, WorkflowDefinition):
        return None
    for step in definition.steps:
        if step.span.touches(offset):
            position = locate(route_of(None, definition), step.index)
            return step.span, paragraphs(
                _title(position), onward(position), *_instances(view, definition, step.index)
            )
    return None


def hover_chain(_: View, facts: FileFacts, offset: int) -> tuple[Span, str] | None:
    """The step of a chain under the pointer."""
    for chain in facts.document if isinstance(facts.document, tuple) else ():
        for step in chain.steps if isinstance(chain, Chain) else ():
            if step.span.touches(offset):
                position = locate(chains.route_of(chain), step.index)
                others = ", ".join(code(f"*{one.command}") for one in step.alternatives)
                also = f"Or {others}." if others else ""
                output = f"Gives: {plain(step.output)}." if step.output else ""
                return step.span, paragraphs(_title(position), output, onward(position), also)
    return None


def route_in(view: View, state: WorkflowState) -> Route:
    """The way of an instance, with its definition where the tree has one."""
    path = view.tree.workflows.get(state.workflow_id)
    facts = view.tree.snapshot.facts(path) if path else None
    definition = facts.document if facts else None
    return route_of(state, definition if isinstance(definition, WorkflowDefinition) else None)


def onward(position: Position) -> str:
    """What a step waits for and what comes after it, as sentences."""
    stop = position.stop
    if stop is None:
        return ""
    parts = []
    if position.waiting:
        parts.append(f"Waits for {_listed(position.waiting)}.")
    elif stop.requires and position.route.at < 0:
        parts.append(f"Needs {', '.join(map(code, stop.requires))}.")
    if stop.condition:
        parts.append(f"Only if {code(stop.condition)}.")
    following = then(position)
    if following:
        parts.append(f"**Next**: {plain(following)}.")
    elif stop.number:
        parts.append("**The last step.**")
    return " ".join(parts)


def _title(position: Position) -> str:
    stop = position.stop
    assert stop is not None
    place = f"Step {stop.number} of {position.total}" if stop.number else "A heading, nobody's step"
    who = plain(stop.who or stop.raw_agent)
    about = " · ".join(
        part
        for part in (
            code(stop.what),
            who,
            f"task {code(stop.task)}" if stop.task else "",
            "optional" if stop.optional else "",
        )
        if part
    )
    return f"**{place}** · {about}"


def _instances(view: View, definition: WorkflowDefinition, index: int) -> list[str]:
    """A sentence for each active instance of the workflow: whether it is here, or where it is."""
    plan = view.plan
    id = plan.workflow_id(definition.id.value) if definition.id else ""
    told = []
    for path, state in view.tree.states:
        if state.status != "active" or plan.workflow_id(state.workflow_id) != id:
            continue
        position = locate(route_in(view, state))
        here = position.stop is not None and position.stop.index == index
        now = (
            "**The work is here now**"
            if here
            else f"The work is elsewhere: {plain(where(position))}"
        )
        told.append(f"{now} ({code(path)}).")
    return told


def _listed(stops: tuple[Stop, ...]) -> str:
    return plain(" and ".join(map(named, stops)))
