"""Where a session is in its workflow: by the state file, else by the commands that were used.

What a state file says wins over what commands look like. Both are told in one shape, which status,
panels and greetings show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from synapse_ls.activation.files import Files
from synapse_ls.activation.loaders import UnavailableError
from synapse_ls.activation.sources import definition as definitions
from synapse_ls.engine import navigation
from synapse_ls.engine.detection import Detected, Suggestion, detect
from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.navigation import Position, Stop, locate, route_of
from synapse_ls.engine.plan import slug_of
from synapse_ls.formats import workflow as workflows
from synapse_ls.formats import workflow_state as states
from synapse_ls.formats.problem import Text
from synapse_ls.formats.workflow import (
    NextCommand,
    StepDefinition,
    Transition,
    WorkflowDefinition,
    WorkflowPattern,
)
from synapse_ls.formats.workflow_state import WorkflowState, WorkflowStep
from synapse_ls.text.lines import LineIndex
from synapse_ls.text.span import Span
from synapse_ls.workspace.naming import kebab, stem

if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.situation import Situation

_YAML = (".yaml", ".yml")
_STEP = [name for name in StepDefinition.__dataclass_fields__ if name != "span"]
_STATE = ("workflow_id", "workflow_name", "instance_id", "status", "current_step_index")
_STATE_STEP = [name for name in WorkflowStep.__dataclass_fields__ if name != "span"]
_NOWHERE = Span(0, 0)


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where the work is.

    ``source``: "state" (a file of the instance), "session" or "given" (a workflow without one) or
    "commands". Of ``position`` and ``detected`` there is one, or ``told`` says all that is known.
    ``next``: commands that may follow. ``path`` and ``line`` (from 1, 0 for none): the step's place.
    """

    workflow: str
    source: str
    position: Position | None = None
    detected: Detected | None = None
    next: tuple[Suggestion, ...] = ()
    path: str = ""
    line: int = 0
    notes: tuple[str, ...] = ()
    told: str = ""

    @property
    def where(self) -> str:
        """Where the work is, as a sentence without its full stop."""
        if self.position is not None:
            return neutralise(navigation.where(self.position))
        found = self.detected
        if found is None:
            return self.told
        used = " ".join(f"*{command}" for command in found.matched)
        if not found.state:
            return f"{found.workflow}, by {used}"
        if not found.is_done:
            return f"{found.workflow}: *{found.last} was begun"
        return neutralise(f"{found.workflow}: {found.state}, by {used}")

    @property
    def then(self) -> str:
        """What comes next and who does it; "" for nothing."""
        if self.position is not None:
            return neutralise(navigation.then(self.position))
        told = [f"*{one.command}{f' (@{one.agent})' if one.agent else ''}" for one in self.next]
        return " or ".join(told)

    @property
    def turn(self) -> str:
        """The agent whose turn it is, "" for nobody in particular."""
        if self.position is not None:
            return self.position.stop.agent if self.position.stop else ""
        return self.next[0].agent if self.next else ""

    def report(self) -> dict[str, Any]:
        """It as plain values."""
        position, detected = self.position, self.detected
        return {
            "workflow": self.workflow,
            "source": self.source,
            "where": self.where,
            "then": self.then or None,
            "turn": self.turn or None,
            "status": (position.route.status or None) if position else None,
            "step": _step(position.stop) if position and position.stop else None,
            "done": position.done if position else None,
            "total": position.total if position else None,
            "finished": position.is_finished if position else False,
            "following": [_step(stop) for stop in position.following] if position else [],
            "failing": _step(position.failing) if position and position.failing else None,
            "waiting": [_step(stop) for stop in position.waiting] if position else [],
            "state": (detected.state or None) if detected else None,
            "commands": [
                {
                    "command": one.command,
                    "agent": one.agent or None,
                    "arguments": one.arguments or None,
                    "description": one.description or None,
                }
                for one in self.next
            ],
            "file": self.path or None,
            "line": self.line or None,
            "notes": list(self.notes),
        }


def find(
    files: Files,
    plan: Plan,
    situation: Situation,
    *,
    used: Sequence[str] = (),
    running: Sequence[str] = (),
) -> Whereabouts | None:
    """Where the work is in ``situation``; None where nothing is under way.

    used: the star-commands of the session, the last one last; running: those of its last prompt.
    """
    if situation.workflow:
        return _of_workflow(files, plan, situation) or roughly(situation)
    return _of_commands(files, situation.agent, used, running) if used else None


def roughly(situation: Situation) -> Whereabouts | None:
    """What is known without reading anything; None where no workflow is under way."""
    if not situation.workflow:
        return None
    phase = f": phase {situation.phase}" if situation.phase else ""
    told = neutralise(f"{situation.workflow_written}{phase}")
    return Whereabouts(situation.workflow_written, situation.workflow_source, told=told)


def _of_workflow(files: Files, plan: Plan, situation: Situation) -> Whereabouts | None:
    workflow = situation.workflow
    state = next((s for s in plan.states if plan.workflow_id(s.id) == workflow), None)
    written = definition_of(files, plan, situation.workflow_written)
    path, read = written or ("", None)
    if state is not None:
        instance = _state(files, state.path)
        if instance is None:
            return _at_agent(files, situation, state.agent, written) if written else None
        position = locate(route_of(instance, read))
        others = [s.id for s in plan.states if plan.workflow_id(s.id) != workflow]
        notes = [f"also active: {', '.join(dict.fromkeys(others))}"] if others else []
        if situation.phase and position.stop and situation.workflow_source != "state":
            notes.append(f"the session says that it is in phase {situation.phase}")
        return _at(files, situation, position, state.path, "state", tuple(notes))
    if read is None:
        return None
    route = route_of(None, read)
    wanted = {slug_of(name) for name in (situation.phase, *situation.phases) if name}
    stop = next(
        (one for one in route.owned if wanted & set(map(slug_of, (*one.names, one.phase)))), None
    )
    return _at(files, situation, Position(route, stop), path, situation.workflow_source, ())


def _at_agent(
    files: Files, situation: Situation, agent: str, written: tuple[str, WorkflowDefinition]
) -> Whereabouts | None:
    """The step of a definition whose turn it is by the agent that a state names."""
    path, read = written
    route = route_of(None, read)
    stop = next((one for one in route.owned if agent and one.agent == agent), None)
    if stop is None:
        return None
    route.at, route.status = stop.index, navigation.ACTIVE
    return _at(files, situation, locate(route), path, "state", ())


def _at(
    files: Files,
    situation: Situation,
    position: Position,
    path: str,
    source: str,
    notes: tuple[str, ...],
) -> Whereabouts:
    stop = position.stop
    line = 0
    if stop is not None:
        text = files.text(path)
        line = LineIndex(text).line_of(min(stop.start, len(text))) + 1 if text else 0
    waiting = [f"{navigation.named(one)} is not done yet" for one in position.waiting]
    return Whereabouts(
        situation.workflow_written,
        source,
        position,
        next=_commands_of(stop, commands_of(files)) if stop else (),
        path=path,
        line=line,
        notes=(*notes, *map(neutralise, waiting)),
    )


def _commands_of(stop: Stop, known: Mapping[str, Sequence[str]]) -> tuple[Suggestion, ...]:
    """The command of the step's agent that does the step, where one is named like it."""
    task = stop.task.rpartition("/")[2].removesuffix(".md")
    names = (task, task.removeprefix(f"{stop.agent}-"), *stop.names)
    wanted = {kebab(name) for name in names if name}
    own = known.get(stop.agent, ())
    found = next((command for command in own if kebab(command) in wanted), "")
    return (Suggestion(found, stop.agent, "", stop.action),) if found else ()


def _of_commands(
    files: Files, agent: str, used: Sequence[str], running: Sequence[str]
) -> Whereabouts | None:
    patterns = patterns_of(files)
    if not patterns:
        return None
    known = commands_of(files)
    found = detect(patterns, used, running=running, agent=agent, commands=known)
    if found is None:
        return None
    notes = []
    if found.others:
        notes.append(f"as many commands speak for {' and '.join(found.others)}")
    if found.unknown:
        listed = ", ".join(f"*{command}" for command in found.unknown)
        notes.append(f"the patterns suggest {listed}, which no agent has")
    return Whereabouts(
        found.workflow, "commands", detected=found, next=found.next, notes=tuple(notes)
    )


def commands_of(files: Files) -> dict[str, tuple[str, ...]]:
    """Agent -> the names of its commands, of every agent that has a definition."""
    return {
        agent.id: tuple(command.name for command in agent.commands)
        for agent in definitions.everyone(files)
    }


def patterns_of(files: Files) -> tuple[WorkflowPattern, ...]:
    """The patterns that workflows are known by."""
    found: list[WorkflowPattern] = []
    for path in files.places.get("patterns", ()):
        rows = files.made("patterns", path, _plain_patterns)
        found += [_pattern(row) for row in rows or ()]
    return tuple(found)


def definition_of(files: Files, plan: Plan, workflow: str) -> tuple[str, WorkflowDefinition] | None:
    """The definition of a workflow and its path: the file called so, else one that says it is."""
    wanted = {kebab(workflow), kebab(plan.workflow_id(workflow))}
    paths = tuple(files.listed("workflows", _YAML))
    named = [path for path in paths if kebab(stem(path)) in wanted]
    for path in (*named, *(path for path in paths if path not in named)):
        try:
            row = files.made("workflow", path, _plain_definition)
        except UnavailableError:
            continue
        if row is not None and (path in named or kebab(row["id"] or "") in wanted):
            return path, _definition(row)
    return None


def _state(files: Files, path: str) -> WorkflowState | None:
    row = files.made("state", path, _plain_state)
    if row is None:
        raise UnavailableError(f"{path} is gone")
    if row["shape"] != "instance":
        return None  # another system keeps its state in another way
    if not row["steps"]:
        raise UnavailableError(f"{path} has no steps that can be read")
    steps = tuple(
        WorkflowStep(**dict(zip(_STATE_STEP, step, strict=True)), span=Span(start, start))
        for start, *step in row["steps"]
    )
    return WorkflowState("instance", **{name: row[name] for name in _STATE}, steps=steps)


def _plain_state(text: str) -> dict[str, Any]:
    state = states.parse(text).document
    steps = [
        (step.span.start, *(getattr(step, name) for name in _STATE_STEP)) for step in state.steps
    ]
    return {**{name: getattr(state, name) for name in ("shape", *_STATE)}, "steps": steps}


def _plain_definition(text: str) -> dict[str, Any]:
    read = workflows.parse(text).document
    return {
        "id": read.id.value if read.id else "",
        "name": read.name,
        "type": read.type,
        "steps": [
            (step.span.start, *(getattr(step, name) for name in _STEP)) for step in read.steps
        ],
    }


def _definition(row: dict[str, Any]) -> WorkflowDefinition:
    steps = tuple(
        StepDefinition(**dict(zip(_STEP, step, strict=True)), span=Span(start, start))
        for start, *step in row["steps"]
    )
    id = Text(row["id"], _NOWHERE) if row["id"] else None
    return WorkflowDefinition(id, row["name"], row["type"], steps, None)


def _plain_patterns(text: str) -> list[tuple[Any, ...]]:
    return [
        (
            pattern.id.value,
            pattern.description,
            [agent.value for agent in pattern.agents],
            pattern.commands,
            pattern.threshold,
            [
                (
                    one.state,
                    one.trigger,
                    one.confidence,
                    one.message,
                    [(n.name, n.arguments, n.description, n.priority) for n in one.next],
                )
                for one in pattern.transitions
            ],
        )
        for pattern in workflows.parse_patterns(text).document
    ]


def _pattern(row: tuple[Any, ...]) -> WorkflowPattern:
    id, description, agents, commands, threshold, transitions = row
    return WorkflowPattern(
        Text(id, _NOWHERE),
        description,
        tuple(Text(agent, _NOWHERE) for agent in agents),
        tuple(commands),
        threshold,
        tuple(
            Transition(state, trigger, confidence, message, tuple(NextCommand(*n) for n in steps))
            for state, trigger, confidence, message, steps in transitions
        ),
    )


def _step(stop: Stop) -> dict[str, Any]:
    return {
        "number": stop.number or None,
        "name": neutralise(stop.what),
        "agent": stop.agent or None,
        "phase": neutralise(stop.phase) or None,
        "action": neutralise(stop.action) or None,
        "task": stop.task or None,
        "status": stop.status or None,
        "optional": stop.optional,
    }
