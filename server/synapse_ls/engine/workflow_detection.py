"""Detect the workflow or command chain of a session's star-commands, and suggest the next one.

In ``workflow-patterns.yaml`` a command matches as a whole word, and only if enough others of its
workflow were used. Nothing reports that a command is done: it counts as done once another command
of the workflow is used, or an agent without it becomes active. In ``workflow-chains.yaml`` (ADR-001
C8) a chain may repeat: its beginning follows its end.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from synapse_ls.engine.workflow_route import ACTIVE, Route, RoutePosition, RouteStep
from synapse_ls.formats.workflow_definition import (
    ChainStep,
    Transition,
    WorkflowChain,
    WorkflowPattern,
)

# Commands of a session that are looked at, the last ones.
MAX_COMMANDS = 10

COMPLETED = "completed"


@dataclass(frozen=True, slots=True)
class Suggestion:
    """A command that may follow in the workflow that was detected. agent: who has it, "" where
    nobody is known to.
    """

    command: str
    agent: str
    arguments: str
    description: str


class DetectedWorkflow:
    """A workflow that was detected by the commands that belong to it.

    state: what it has come to, "" where the patterns do not say. last: the command that says
    so. is_done: whether that command counts as done. matched: its commands that were used.
    message: the pattern's words for the state. others: workflows that as many commands speak
    for. unknown: commands that may follow and that no agent has.
    """

    def __init__(self, pattern: WorkflowPattern, matched: Sequence[str]) -> None:
        self.workflow = pattern.id.value
        self.agents = tuple(text.value for text in pattern.agents)
        self.matched = tuple(matched)
        self.last = matched[-1]
        self.state = self.message = ""
        self.confidence = 0.0
        self.is_done = True
        self.next: tuple[Suggestion, ...] = ()
        self.others: tuple[str, ...] = ()
        self.unknown: tuple[str, ...] = ()


def detect_workflow(
    patterns: Sequence[WorkflowPattern],
    used_commands: Sequence[str],
    *,
    running: Collection[str] = (),
    agent: str = "",
    agent_commands: Mapping[str, Collection[str]] | None = None,
) -> DetectedWorkflow | None:
    """Detect the workflow that ``used_commands``, the last one last, belong to; None for none.

    running: those that the last prompt has begun. agent: who is active. agent_commands: agent
    -> its own commands, as far as they are known.
    """
    commands_of = agent_commands or {}
    recent = [command.casefold() for command in used_commands][-MAX_COMMANDS:]
    candidates = []
    for pattern in patterns:
        # The commands that belong to a workflow, each with the pattern's name for it.
        same = _bare_command_names(pattern, commands_of)
        keys = {key.casefold() for key in pattern.commands}
        named = {command: same.get(command, command) for command in recent}
        matched = {command: name for command, name in named.items() if name in keys}
        if len(set(matched.values())) >= pattern.threshold:
            last = max(recent.index(command) for command in matched)
            takes_part = agent in [text.value for text in pattern.agents]
            score = (len(set(matched.values())), last, takes_part)
            candidates.append((score, pattern, matched, _find_transition(pattern, matched, recent)))
    if not candidates:
        return None
    score, pattern, matched, step = max(
        candidates, key=lambda entry: (entry[0], entry[3][1].confidence if entry[3] else 0.0)
    )
    detected = DetectedWorkflow(pattern, [command for command in recent if command in matched])
    detected.others = tuple(
        other.id.value
        for place, other, *_ in candidates
        if place[0] == score[0] and other is not pattern
    )
    if step is not None:
        detected.last, transition = step
        detected.state, detected.message = transition.state, transition.message
        detected.confidence = transition.confidence
        own_commands = commands_of.get(agent) if agent else None
        moved_on = detected.last != detected.matched[-1] or bool(
            own_commands and detected.last not in own_commands
        )
        is_begun = detected.last in {command.casefold() for command in running}
        detected.is_done = transition.verb != COMPLETED or (moved_on and not is_begun)
        real = {
            name: own_commands
            for own_commands, name in _bare_command_names(pattern, commands_of).items()
        }
        suggestions: list[Suggestion] = []
        unknown: list[str] = []
        for following in transition.next:
            command = real.get(following.name.casefold(), following.name)
            owner = find_command_owner(command, commands_of, detected.agents)
            if commands_of and not owner:
                unknown.append(command)
            else:
                suggestions.append(
                    Suggestion(command, owner, following.arguments, following.description)
                )
        detected.next, detected.unknown = tuple(suggestions), tuple(unknown)
    return detected


_Step = tuple[str, Transition] | None


def _find_transition(
    pattern: WorkflowPattern, matched: Mapping[str, str], recent: Sequence[str]
) -> _Step:
    """Return the latest command that leads to a state, and that transition; None for none."""
    for command in reversed(recent):
        name = matched.get(command)
        exact = [
            transition for transition in pattern.transitions if name and transition.command == name
        ]
        # ``develop-yolo`` is a way to ``develop``; ``redevelop`` is not.
        variant = [
            transition
            for transition in pattern.transitions
            if name and name.startswith(f"{transition.command}-")
        ]
        matches = exact or sorted(variant, key=lambda one: -len(one.command))[:1]
        if matches:
            return command, max(matches, key=lambda one: one.confidence)
    return None


def _bare_command_names(
    pattern: WorkflowPattern, known: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """Return what agents call commands that the pattern names after an agent: ``review`` of
    ``review-qa``.

    Only where nobody has a command of the pattern's name.
    """
    everyone = {command for own_commands in known.values() for command in own_commands}
    names: dict[str, str] = {}
    for name in (
        *pattern.commands,
        *(step.name for transition in pattern.transitions for step in transition.next),
    ):
        if name in everyone:
            continue
        for agent in (text.value for text in pattern.agents):
            bare = name.removesuffix(f"-{agent}")
            if bare != name and bare in known.get(agent, ()):
                names[bare] = name.casefold()
    return names


def find_command_owner(
    command: str, agent_commands: Mapping[str, Collection[str]], preferred: Sequence[str] = ()
) -> str:
    """Return the agent that has a command of a workflow: of several, the first of ``preferred``,
    else the only one; "" for none.
    """
    owners = [agent for agent, own_commands in agent_commands.items() if command in own_commands]
    first = next((agent for agent in preferred if agent in owners), "")
    return first or (owners[0] if len(owners) == 1 else "")


# The states of a story, in order; one that is done or blocked is nowhere in a chain.
_STORY_STATES = ("draft", "ready", "in_progress", "in_review")


class ChainProgress:
    """A chain that commands or a story's state belong to, and how far it has come.

    state: that of the story. step: the step that the work is at, None at the end. matched: the
    commands that say so, none where the story's state does. begun_command: the command that is at
    work, "" where the step is still to be begun. by_state: whether the story's state decides.
    state_step: the step that its state still stands at though commands are further. others: chains
    that as many commands speak for. rounds: of a chain that is gone through several times, begun
    with this one.
    """

    def __init__(
        self, chain: WorkflowChain, matched: Sequence[str], rounds: int, state: str
    ) -> None:
        self.chain = chain
        self.state = state
        self.matched = tuple(matched)
        self.rounds = rounds
        self.step: ChainStep | None = None
        self.position = RoutePosition(chain_route(chain), None)
        self.begun_command = ""
        self.state_step: ChainStep | None = None
        self.by_state = False
        self.others: tuple[str, ...] = ()

    def move_to(self, at: int) -> None:
        """Put the work at the step of that index."""
        steps = self.chain.steps
        if at >= len(steps) and self.chain.max_rounds:
            at = _next_round_start(self.chain)
        route = chain_route(self.chain, at)
        self.step = steps[at] if at < len(steps) else None
        self.position = RoutePosition(route, route.stops[at] if self.step else None)

    def move_to_state(self, state_step: tuple[int, bool]) -> None:
        """Put the work at the step of the story's state: its index, and whether it is begun."""
        at, is_begun = state_step
        self.by_state = True
        self.move_to(at)
        self.begun_command = self.chain.steps[at].command if is_begun else ""


def follow_chain(
    chains: Sequence[WorkflowChain],
    used_commands: Sequence[str],
    *,
    running: Collection[str] = (),
    agent: str = "",
    agent_commands: Mapping[str, Collection[str]] | None = None,
    state: str = "",
    is_done: bool = False,
) -> ChainProgress | None:
    """Return where in a chain of commands ``used_commands``, the last one last, and a story in
    ``state`` are; None for nowhere.

    running: those that the last prompt has begun. agent: who is active. agent_commands: agent
    -> its own commands, as far as they are known. is_done: whether the last one is known to be
    done.
    """
    recent = [command.casefold() for command in used_commands][-MAX_COMMANDS:]
    if not (candidates := list(_matching_chains(chains, recent, agent, state))):
        # The first chain in which stories of that state have a step.
        for chain in chains:
            if (state_step := _step_of_state(chain, state)) is not None:
                followed = ChainProgress(chain, (), 1, state)
                followed.move_to_state(state_step)
                return followed
        return None
    score, chain, at, followed = max(candidates, key=lambda entry: entry[0])
    followed.others = tuple(
        other.id.value
        for place, other, *_ in candidates
        if place[0] == score[0] and other is not chain
    )
    state_step = _step_of_state(chain, state)
    if state_step is not None and state_step[0] > at:
        followed.move_to_state(state_step)
        return followed
    if state_step is not None and state_step[0] < at:
        followed.state_step = chain.steps[state_step[0]]
    last = followed.matched[-1]
    own_commands = (agent_commands or {}).get(agent, ()) if agent != chain.steps[at].agent else ()
    moved_on = bool(agent and own_commands) and last not in own_commands and last not in running
    is_done = is_done or moved_on
    followed.move_to(at + is_done)
    followed.begun_command = "" if is_done else last
    return followed


def _matching_chains(
    chains: Iterable[WorkflowChain], recent: list[str], agent: str, state: str
) -> Iterator[tuple[tuple[int, int, bool], WorkflowChain, int, ChainProgress]]:
    """Yield the chains that commands belong to: how well they fit, and the index of the step."""
    for chain in chains:
        # The step that the commands have come to, in which round, and those that belong to the
        # chain.
        at, rounds, matched = -1, 1, []
        for command in recent:
            places = [step.index for step in chain.steps if command in step.commands] or [
                step.index
                for step in chain.steps
                if any(command.startswith(f"{name}-") for name in step.commands)
            ]
            if not places:
                continue
            matched.append(command)
            if at not in places:
                later = [place for place in places if place > at]
                rounds += not later
                at = later[0] if later else places[0]
        if matched:
            latest = len(recent) - 1 - recent[::-1].index(matched[-1])
            takes_part = any(agent and step.agent == agent for step in chain.steps)
            score = (len(set(matched)), latest, takes_part)
            yield score, chain, at, ChainProgress(chain, matched, rounds, state)


def suggest_commands(
    progress: ChainProgress, agent_commands: Mapping[str, Collection[str]]
) -> tuple[tuple[Suggestion, ...], tuple[str, ...]]:
    """Return the commands that begin the step at hand of a chain, and those of them that no agent
    has.

    agent_commands: agent -> its own commands, as far as they are known.
    """
    step = None if progress.begun_command else progress.step
    suggestions: list[Suggestion] = []
    unknown: list[str] = []
    for chain_step in (step, *step.alternatives) if step else ():
        agent = (
            chain_step.agent
            if chain_step.command in agent_commands.get(chain_step.agent, ())
            else ""
        )
        agent = agent or find_command_owner(chain_step.command, agent_commands)
        if agent_commands and chain_step.command and not agent:
            unknown.append(chain_step.command)
        elif chain_step.command:
            when = f"when: {chain_step.condition}" if chain_step.condition else ""
            about = " — ".join(filter(None, (chain_step.output, when)))
            suggestions.append(
                Suggestion(
                    chain_step.command, agent or chain_step.agent, chain_step.arguments, about
                )
            )
    return tuple(suggestions), tuple(unknown)


def _step_of_state(chain: WorkflowChain, state: str) -> tuple[int, bool] | None:
    """Return the step of a story in that state, by the conditions of the steps, and whether it is
    begun.

    A state that no condition names lies between two that are: the step of the first is begun.
    """
    if state not in _STORY_STATES:
        return None
    places = [
        (_STORY_STATES.index(step.state), step.index)
        for step in chain.steps
        if step.state in _STORY_STATES
    ]
    before = [place for place in places if place[0] <= _STORY_STATES.index(state)]
    if not before:
        return None
    rank, index = max(before)
    return index, rank < _STORY_STATES.index(state)


def _next_round_start(chain: WorkflowChain) -> int:
    """Return the step after the end of a round: the first, or the one after it if it is the last
    one too.
    """
    first, last = chain.steps[0], chain.steps[-1]
    return int(len(chain.steps) > 1 and first.command == last.command)


def chain_route(chain: WorkflowChain, at: int = -1) -> Route:
    """Return the route of a chain of commands; at: the index of the step that the work is at, -1
    for none.
    """
    stops = tuple(_route_step(chain, step) for step in chain.steps)
    return Route(chain.id.value, chain.name, stops, status=ACTIVE if at >= 0 else "", at=at)


def _route_step(chain: WorkflowChain, step: ChainStep) -> RouteStep:
    is_last = step.index == len(chain.steps) - 1
    return RouteStep(
        step.index,
        step.index + 1,
        f"*{step.command}" if step.command else "",
        (str(step.index), *step.commands),
        step.agent,
        step.raw_agent,
        action=step.output if not step.command else "",
        task=step.task,
        start=step.span.start,
        next=str(_next_round_start(chain)) if is_last and chain.max_rounds else "",
        condition=step.condition,
    )
