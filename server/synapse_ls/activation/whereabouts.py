"""Where a session is in its workflow: by the state file, else by the commands that were used.

What a state file says wins over what commands look like. Both are told in one shape, which status,
panels and greetings show.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from synapse_ls.activation.files import Files
from synapse_ls.activation.sources import handoff, stories
from synapse_ls.activation.workflow_files import (
    chains_of,
    commands_of,
    definition_of,
    patterns_of,
    resting,
    state_at,
)
from synapse_ls.engine import navigation
from synapse_ls.engine.chains import Followed, follow, offered
from synapse_ls.engine.detection import Detected, Suggestion, detect
from synapse_ls.engine.escape import neutralise
from synapse_ls.engine.navigation import Position, Stop, locate, route_of
from synapse_ls.engine.plan import slug_of
from synapse_ls.formats.workflow import WorkflowDefinition
from synapse_ls.text.lines import LineIndex
from synapse_ls.workspace.naming import kebab

if TYPE_CHECKING:
    from synapse_ls.engine.plan import Plan
    from synapse_ls.engine.situation import Situation


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """Where the work is.

    ``source``: "state" (a file of the instance, be it at rest), "session" or "given" (a workflow without one),
    "commands" (by the patterns), or by a chain of commands: "chain", "story" (whose state has a step
    there) or "handoff" (after the last command of another agent). Of ``position`` and ``detected``
    there is one, or ``told`` says all that is known. ``next``: commands that may follow; ``begun``: the
    one that is at work. ``path`` and ``line`` (from 1, 0 for none): the step's place. ``why``: how a
    place in a chain is known. ``is_under_way``: whether enough speaks for it to call it a workflow.
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
    begun: str = ""
    why: str = ""
    is_under_way: bool = True

    @property
    def where(self) -> str:
        """Where the work is, as a sentence without its full stop."""
        if self.position is not None:
            why = f", {self.why}" if self.why else ""
            return neutralise(f"{navigation.where(self.position)}{why}")
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
            "begun": self.begun or None,
            "why": self.why or None,
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
        found = _of_workflow(files, plan, situation)
        if found is not None and (found.turn or found.source == "state"):
            if found.position is None or not found.position.is_finished:
                return found
            # Where all steps of an instance are done, a chain may go on after them.
            after = chained(files, plan, situation, used, running, is_over=not running)
            if after is None or not after.turn:
                return found
            return replace(after, notes=(found.where, *after.notes))
        return chained(files, plan, situation, used, running) or found or roughly(situation)
    found = _of_commands(files, situation.agent, used, running) if used else None
    if found is not None and found.next:
        return found
    return (
        chained(files, plan, situation, used, running) or found or at_rest(files, plan, situation)
    )


def at_rest(files: Files, plan: Plan, situation: Situation) -> Whereabouts | None:
    """The instance of the workflow in question that is paused or over; without one, one that is paused."""
    found = resting(files, plan, situation.workflow_written)
    if found is None:
        return None
    path, instance = found
    written = definition_of(files, plan, instance.workflow_id)
    position = locate(route_of(instance, written[1] if written else None))
    notes = (*_other_name(situation, instance.workflow_id), _RESTING[instance.status].format(path))
    told = _at(files, situation, position, path, "state", notes)
    return replace(told, workflow=told.workflow or instance.workflow_id, is_under_way=False)


_RESTING = {
    "paused": "it is paused: `status: active` in {} resumes it",
    "completed": "it is completed ({}): nothing is left to do in it; "
    "`synapse session set current workflow=` leaves it",
    "aborted": "it was aborted: `status: active` in {} takes it up again, "
    "`synapse session set current workflow=` leaves it",
}


def _other_name(situation: Situation, id: str) -> tuple[str, ...]:
    """That an instance is of another workflow than was named, though the same rules are for both."""
    named = situation.workflow_written
    if slug_of(named) in ("", slug_of(id), situation.workflow):
        return ()
    return (f"{named} has no instance of its own; the same rules are for {id}",)


def roughly(situation: Situation) -> Whereabouts | None:
    """What is known without reading anything; None where no workflow is under way."""
    if not situation.workflow:
        return None
    phase = f": phase {situation.phase}" if situation.phase else ""
    told = neutralise(f"{situation.workflow_written}{phase}")
    return Whereabouts(situation.workflow_written, situation.workflow_source, told=told)


def _of_workflow(files: Files, plan: Plan, situation: Situation) -> Whereabouts | None:
    workflow = situation.workflow
    own = [s for s in plan.states if plan.workflow_id(s.id) == workflow]
    exact = (s for s in own if slug_of(s.id) == slug_of(situation.workflow_written))
    state = next(exact, own[0] if own else None)
    if state is None and (found := at_rest(files, plan, situation)) is not None:
        return found
    written = definition_of(files, plan, state.id if state else situation.workflow_written)
    path, read = written or ("", None)
    if state is not None:
        instance = state_at(files, state.path)
        if instance is None:
            return _at_agent(files, situation, state.agent, written) if written else None
        position = locate(route_of(instance, read))
        others = [s.id for s in plan.states if plan.workflow_id(s.id) != workflow]
        notes = [f"also active: {', '.join(dict.fromkeys(others))}"] if others else []
        notes += _other_name(situation, state.id)
        told = set(map(slug_of, state.phases))
        if situation.phase and position.stop and not told & set(situation.phases):
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
    waiting = [f"{navigation.named(one)} is not done yet" for one in position.waiting]
    return Whereabouts(
        situation.workflow_written,
        source,
        position,
        next=_commands_of(stop, commands_of(files)) if stop else (),
        path=path,
        line=_line(files, path, stop) if stop else 0,
        notes=(*notes, *map(neutralise, waiting)),
    )


def _line(files: Files, path: str, stop: Stop) -> int:
    """The line of a step, from 1; 0 where its file is gone."""
    text = files.text(path)
    return LineIndex(text).line_of(min(stop.start, len(text))) + 1 if text else 0


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
        found.workflow,
        "commands",
        detected=found,
        next=found.next,
        notes=tuple(notes),
        begun="" if found.is_done else found.last,
    )


def chained(
    files: Files,
    plan: Plan,
    situation: Situation,
    used: Sequence[str],
    running: Sequence[str],
    *,
    is_over: bool = False,
) -> Whereabouts | None:
    """The same by the chains of commands: of the session, else of what was handed over, else the story's.

    is_over: whether nothing that was begun is still at work.
    """
    listed = chains_of(files)
    if not listed:
        return None
    known = commands_of(files)
    story = situation.story or (situation.task_facts.story if situation.task_facts else "")
    state = stories.state_of(files, plan.stories, story) if story else ""
    left = None if used else handoff.latest(files, situation.agent)
    after = left.last_command if left and not left.consumed else ""
    for path, chains in listed:
        workflow = situation.workflow
        found = follow(
            [one for one in chains if workflow in ("", plan.workflow_id(one.id.value))],
            used or ((after,) if after else ()),
            running=running,
            agent=situation.agent,
            commands=known,
            state=state,
            is_done=is_over or bool(after),
        )
        if found is not None:
            by = f"as @{left.from_agent} handed over after *{after}" if left and after else ""
            return _in_chain(files, path, found, known, story, by)
    return None


def _in_chain(
    files: Files,
    path: str,
    found: Followed,
    known: Mapping[str, Sequence[str]],
    story: str,
    handed_over: str,
) -> Whereabouts:
    stop = found.position.stop
    suggested, unknown = offered(found, known)
    notes = [f"as many commands speak for {' and '.join(found.others)}"] if found.others else []
    if found.behind is not None:
        still = found.behind.condition
        notes.append(f"story {story} does not say so yet: {still} is for *{found.behind.command}")
    if found.chain.most and found.rounds >= found.chain.most:
        notes.append(f"this is round {found.rounds} of at most {found.chain.most}")
    if unknown:
        listed = ", ".join(f"*{command}" for command in unknown)
        notes.append(f"the chain suggests {listed}, which no agent has")
    if found.by_state:
        source, why = "story", f"as story {story} is {found.state.replace('_', ' ')}"
    elif handed_over:
        source, why = "handoff", handed_over
    else:
        source, why = "chain", f"by {' '.join(f'*{command}' for command in found.matched)}"
    return Whereabouts(
        found.chain.id.value,
        source,
        found.position,
        next=suggested,
        path=path,
        line=_line(files, path, stop) if stop else 0,
        notes=tuple(map(neutralise, notes)),
        begun=found.begun,
        why=why,
        is_under_way=len(set(found.matched)) > 1,
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
