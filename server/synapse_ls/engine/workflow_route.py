"""The route of a workflow: its steps, the current one, the next one and its agent (ADR-001 C8).

Made from a state file, a definition, or both; status, panels, hovers and greetings all use it. Also
the aliases of workflows and phases.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from synapse_ls.formats.workflow_definition import StepDefinition, WorkflowDefinition
    from synapse_ls.formats.workflow_state import WorkflowState, WorkflowStep

WORKFLOW_ALIASES = {
    "story_development_cycle": "story_development",
    "development_cycle": "story_development",
    "story_dev": "story_development",
    "sdc": "story_development",
    "epic_orchestration": "epic_creation",
    "epic_create": "epic_creation",
    "arch_review": "architecture_review",
}

PHASE_ALIASES = {
    "story_development": {
        "create": "draft",
        "create_story": "draft",
        "validate": "validated",
        "validate_story": "validated",
        "implement": "in_development",
        "implement_story": "in_development",
        "review": "qa_review",
        "complete": "push_ready",
        "story_complete": "push_ready",
    }
}


DONE_STATUSES = ("completed", "skipped")
ACTIVE = "active"
PAUSED = "paused"


@dataclass(slots=True)
class RouteStep:
    """One step on the route of a workflow.

    index: its place in the list, from 0. number: its place among the steps that belong to
    somebody, from 1; 0 for headers and markers. id: what other steps call it. names: everything
    it is called. agent: an agent's id, "" where nobody in particular is named. raw_agent: the
    file's words. start: where it stands in the text that it was read from, as an offset.
    """

    index: int
    number: int
    id: str
    names: tuple[str, ...]
    agent: str
    raw_agent: str
    phase: str = ""
    action: str = ""
    task: str = ""
    status: str = ""
    start: int = 0
    next: str = ""
    on_failure: str = ""
    requires: tuple[str, ...] = ()
    optional: bool = False
    condition: str = ""

    @property
    def owner_mention(self) -> str:
        """Who does it, as people write it: ``@dev``; "" for nobody in particular."""
        return f"@{self.agent}" if self.agent else ""

    @property
    def label(self) -> str:
        """What the step is called: its id, else what is done in it."""
        return self.id or self.action or self.phase or f"step {self.index + 1}"


@dataclass(slots=True)
class Route:
    """The route of a workflow, the list of its steps. status: of the instance, "" without one. at:
    index of its current step, -1 without an instance.
    """

    workflow: str
    name: str
    stops: tuple[RouteStep, ...]
    status: str = ""
    at: int = -1

    @property
    def owned_steps(self) -> tuple[RouteStep, ...]:
        """The steps that belong to somebody."""
        return tuple(stop for stop in self.stops if stop.number)

    def find_step(self, name: str) -> RouteStep | None:
        """Return the step that another one calls ``name``; None for none."""
        return next((stop for stop in self.stops if name and name in stop.names), None)


def workflow_route(state: WorkflowState | None, definition: WorkflowDefinition | None) -> Route:
    """Return the route of an instance, with what its definition knows of the steps; or of a
    definition alone.
    """
    written = definition.steps if definition else ()
    if state is None:
        stops = tuple(_number_steps(_step_from_definition(step) for step in written))
        id = definition.id.value if definition and definition.id else ""
        return Route(id, definition.name if definition else "", stops)
    stops = tuple(
        _number_steps(
            _step_from_state(step, _matching_definition(step, written)) for step in state.steps
        )
    )
    return Route(
        state.workflow_id,
        state.workflow_name or (definition.name if definition else ""),
        stops,
        status=state.status,
        at=state.current_step_index,
    )


def _matching_definition(
    step: WorkflowStep, written: Sequence[StepDefinition]
) -> StepDefinition | None:
    """Return the definition of a step: that of the same id, else at the same place if it can be
    that.
    """
    if step.step_id:
        definition = next(
            (
                definition
                for definition in written
                if step.step_id in (definition.id, definition.step)
            ),
            None,
        )
        if definition is not None:
            return definition
    if step.index >= len(written):
        return None
    at_index = written[step.index]
    return at_index if not step.agent or at_index.agent in ("", step.agent) else None


def _step_from_state(step: WorkflowStep, definition: StepDefinition | None) -> RouteStep:
    stop = (
        _step_from_definition(definition)
        if definition
        else RouteStep(step.index, 0, step.step_id, (), "", "")
    )
    stop.index, stop.start = step.index, step.span.start
    stop.status = step.status
    stop.agent, stop.raw_agent = step.agent or stop.agent, step.raw_agent
    stop.phase, stop.task = step.phase or stop.phase, step.task or stop.task
    stop.action = step.action or stop.action
    stop.id = stop.id or step.step_id
    stop.names = tuple(dict.fromkeys((*stop.names, *filter(None, (step.step_id, step.phase)))))
    return stop


def _step_from_definition(definition: StepDefinition) -> RouteStep:
    return RouteStep(
        definition.index,
        0,
        definition.id,
        tuple(filter(None, (definition.id, definition.step))),
        definition.agent,
        definition.raw_agent,
        phase=definition.phase,
        action=definition.action or definition.name,
        task=definition.task,
        start=definition.span.start,
        next=definition.next,
        on_failure=definition.on_failure,
        requires=definition.requires,
        optional=definition.optional,
        condition=definition.condition,
    )


def _number_steps(stops: Iterable[RouteStep]) -> Iterator[RouteStep]:
    number = 0
    for stop in stops:
        if stop.raw_agent:
            number += 1
            stop.number = number
        yield stop


class RoutePosition:
    """What holds at one step of a route.

    step: the step, None where the way is at its end. is_current: whether the instance stands
    there. done_count, total: steps that belong to somebody. next_steps: what comes next: of
    optional steps the one that cannot be left out too. failure_step: where the work goes if it
    fails. missing_steps: steps that have to be done before, and are not.
    """

    def __init__(self, route: Route, step: RouteStep | None) -> None:
        owned = route.owned_steps
        self.route = route
        self.step = step
        self.total = len(owned)
        self.is_current = route.at >= 0 and step is current_step(route)
        self.done_count = sum(_is_step_done(stop, route) for stop in owned)
        self.next_steps = tuple(_next_steps(route, step)) if step else ()
        self.failure_step = route.find_step(step.on_failure) if step else None
        self.missing_steps = tuple(
            stop
            for stop in ([route.find_step(name) for name in step.requires] if step else [])
            if route.at >= 0 and stop and stop is not step and not _is_step_done(stop, route)
        )

    @property
    def is_finished(self) -> bool:
        """Whether an instance has nothing more to do."""
        return self.route.at >= 0 and self.step is None


def current_step(route: Route) -> RouteStep | None:
    """Return where on its route an instance of a workflow stands: at its index, or the next step
    after it that belongs to somebody.

    The reference's manager leaves the step that is worked on "pending", and gives headers and
    markers steps of their own, so only the index tells; what is marked as done is passed over.
    """
    if route.at < 0 or route.status == "completed":
        return None
    later = route.stops[route.at :]
    return next((stop for stop in later if stop.number and stop.status not in DONE_STATUSES), None)


def locate_step(route: Route, index: int | None = None) -> RoutePosition:
    """Return what holds at the step of a route with that index; without one, where the instance
    stands.
    """
    if index is None:
        return RoutePosition(route, current_step(route))
    return RoutePosition(route, next((stop for stop in route.stops if stop.index == index), None))


def _is_step_done(stop: RouteStep, route: Route) -> bool:
    return stop.status in DONE_STATUSES or stop.index < route.at or route.status == "completed"


def _next_steps(route: Route, stop: RouteStep) -> Iterator[RouteStep]:
    """Yield the step that is named as the next one, else the next in order; and what an optional
    one hides.
    """
    indexes = {stop.index}
    named = route.find_step(stop.next)
    while True:
        after = (stop for stop in route.stops if stop.index > max(indexes) and stop.number)
        open_ones = (stop for stop in after if stop.status not in DONE_STATUSES)
        step = named if named is not None and named.index not in indexes else next(open_ones, None)
        if step is None:
            return
        yield step
        if not step.optional:
            return
        indexes.add(step.index)
        named = route.find_step(step.next)


def describe_step(stop: RouteStep) -> str:
    """Return a step of a workflow's route in a few words: ``validate (@po)``."""
    return f"{stop.label} ({stop.owner_mention})" if stop.owner_mention else stop.label


def describe_position(position: RoutePosition) -> str:
    """Return at which step of a workflow's route the work is, as a sentence without its full
    stop.
    """
    route, stop = position.route, position.step
    title = route.workflow or route.name or "the workflow"
    if position.is_finished:
        return f"{title}: all {position.total} steps are done"
    if stop is None:
        return f"{title}: {position.total} steps"
    place = f"step {stop.number} of {position.total}" if stop.number else "a heading of its steps"
    who = f", {stop.owner_mention}" if stop.owner_mention else ""
    action = f": {stop.action}" if stop.action and stop.action != stop.label else ""
    status = "" if route.status in ("", ACTIVE) else f" ({route.status})"
    return f"{title}{status}: {place}, {stop.label}{who}{action}"


def describe_next(position: RoutePosition) -> str:
    """Return what comes next on a workflow's route and who does it, as a sentence without its full
    stop; "" for nothing.
    """
    if position.step is None or not position.next_steps:
        return ""
    first, *rest = position.next_steps
    text = describe_step(first)
    if first.optional and rest:
        text = f"{text}, which is optional, or {describe_step(rest[-1])}"
    failing = position.failure_step
    return f"{text}; if it fails, {describe_step(failing)}" if failing else text
