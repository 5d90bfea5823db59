"""This module finds where commands and the state of a story stand in a chain of commands, and
what comes next (ADR-001 C8).

By ``workflow-chains.yaml``. A command that stands twice in a chain is the next of the two;
where a chain is gone through several times, its beginning follows on its end.
"""

from __future__ import annotations

from synapse_ls.engine.workflow_detection import Suggestion, find_command_owner
from synapse_ls.engine.workflow_route import ACTIVE, Route, RoutePosition, RouteStep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from synapse_ls.formats.workflow_chains import ChainStep, WorkflowChain

MAX_COMMANDS = 10
"""Commands that are looked at, the last ones."""

_STORY_STATES = ("draft", "ready", "in_progress", "in_review")
"""The states of a story, in order; one that is done or blocked is nowhere in a chain."""


class ChainProgress:
    """A ChainProgress is a chain that commands or a story's state belong to, and how far it has
    come.

    state: that of the story. step: the step that the work is at, None at the end. matched: the
    commands that say so, none where the story's state does. begun_command: the command that is at work,
    "" where the step is still to be begun. by_state: whether the story's state decides. state_step:
    the step that its state still stands at though commands are further. others: chains that as
    many commands speak for. rounds: of a chain that is gone through several times, begun with
    this one.
    """

    __slots__ = (
        "begun_command",
        "by_state",
        "chain",
        "matched",
        "others",
        "position",
        "rounds",
        "state",
        "state_step",
        "step",
    )  # fmt: skip

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
        """Puts the work at the step of that index."""
        steps = self.chain.steps
        if at >= len(steps) and self.chain.max_rounds:
            at = _next_round_start(self.chain)
        route = chain_route(self.chain, at)
        self.step = steps[at] if at < len(steps) else None
        self.position = RoutePosition(route, route.stops[at] if self.step else None)


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
    """Returns where in a chain of commands ``used_commands``, the last one last, and a story in
    ``state`` are; None for nowhere.

    running: those that the last prompt has begun. agent: who is active. agent_commands: agent
    -> its own commands, as far as they are known. is_done: whether the last one is known to be
    done.
    """
    recent = [command.casefold() for command in used_commands][-MAX_COMMANDS:]
    found = list(_matching_chains(chains, recent, agent, state))
    if not found:
        return _chain_of_state(chains, state)
    score, chain, at, followed = max(found, key=lambda entry: entry[0])
    followed.others = tuple(
        other.id.value for place, other, *_ in found if place[0] == score[0] and other is not chain
    )
    said = _step_of_state(chain, state)
    if said is not None and said[0] > at:
        followed.by_state = True
        followed.move_to(said[0])
        followed.begun_command = _begun_command(chain, said)
        return followed
    if said is not None and said[0] < at:
        followed.state_step = chain.steps[said[0]]
    last = followed.matched[-1]
    own = (agent_commands or {}).get(agent, ()) if agent != chain.steps[at].agent else ()
    moved_on = bool(agent and own) and last not in own and last not in running
    is_done = is_done or moved_on
    followed.move_to(at + is_done)
    followed.begun_command = "" if is_done else last
    return followed


def _matching_chains(
    chains: Iterable[WorkflowChain], recent: list[str], agent: str, state: str
) -> Iterator[tuple[tuple[int, int, bool], WorkflowChain, int, ChainProgress]]:
    """Yields the chains that commands belong to: how well they fit, and the index of the step."""
    for chain in chains:
        at, rounds, matched = _walk_chain(chain, recent)
        if matched:
            latest = len(recent) - 1 - recent[::-1].index(matched[-1])
            takes_part = any(agent and step.agent == agent for step in chain.steps)
            score = (len(set(matched)), latest, takes_part)
            yield score, chain, at, ChainProgress(chain, matched, rounds, state)


def suggest_commands(
    progress: ChainProgress, agent_commands: Mapping[str, Collection[str]]
) -> tuple[tuple[Suggestion, ...], tuple[str, ...]]:
    """Returns the commands that begin the step at hand of a chain, and those of them that no agent
    has.

    agent_commands: agent -> its own commands, as far as they are known.
    """
    step = None if progress.begun_command else progress.step
    told: list[Suggestion] = []
    unknown: list[str] = []
    for one in (step, *step.alternatives) if step else ():
        agent = one.agent if one.command in agent_commands.get(one.agent, ()) else ""
        agent = agent or find_command_owner(one.command, agent_commands)
        if agent_commands and one.command and not agent:
            unknown.append(one.command)
        elif one.command:
            when = f"when: {one.condition}" if one.condition else ""
            about = " — ".join(filter(None, (one.output, when)))
            told.append(Suggestion(one.command, agent or one.agent, one.arguments, about))
    return tuple(told), tuple(unknown)


def _chain_of_state(chains: Sequence[WorkflowChain], state: str) -> ChainProgress | None:
    """Returns the first chain in which stories of that state have a step; None for none."""
    for chain in chains:
        said = _step_of_state(chain, state)
        if said is not None:
            followed = ChainProgress(chain, (), 1, state)
            followed.by_state = True
            followed.move_to(said[0])
            followed.begun_command = _begun_command(chain, said)
            return followed
    return None


def _step_of_state(chain: WorkflowChain, state: str) -> tuple[int, bool] | None:
    """Returns the step of a story in that state, by the conditions of the steps, and whether it is
    begun.

    A state that no condition names lies between two that are: the step of the first is begun.
    """
    if state not in _STORY_STATES:
        return None
    asked = [
        (_STORY_STATES.index(step.state), step.index)
        for step in chain.steps
        if step.state in _STORY_STATES
    ]
    before = [place for place in asked if place[0] <= _STORY_STATES.index(state)]
    if not before:
        return None
    rank, index = max(before)
    return index, rank < _STORY_STATES.index(state)


def _begun_command(chain: WorkflowChain, said: tuple[int, bool]) -> str:
    index, is_begun = said
    return chain.steps[index].command if is_begun else ""


def _walk_chain(chain: WorkflowChain, recent: Sequence[str]) -> tuple[int, int, list[str]]:
    """Returns the step that the commands have come to, in which round, and those that belong to
    the chain.
    """
    at, rounds, matched = -1, 1, []
    for command in recent:
        places = _steps_of_command(chain, command)
        if not places:
            continue
        matched.append(command)
        if at not in places:
            later = [place for place in places if place > at]
            rounds += not later
            at = later[0] if later else places[0]
    return at, rounds, matched


def _steps_of_command(chain: WorkflowChain, command: str) -> list[int]:
    """Returns the steps that a command does; ``develop-fast`` is a way to ``develop``,
    ``redevelop`` is not.
    """
    exact = [step.index for step in chain.steps if command in step.commands]
    return exact or [
        step.index
        for step in chain.steps
        if any(command.startswith(f"{known}-") for known in step.commands)
    ]


def _next_round_start(chain: WorkflowChain) -> int:
    """Returns the step after the end of a round: the first, or the one after it if it is the last
    one too.
    """
    first, last = chain.steps[0], chain.steps[-1]
    return int(len(chain.steps) > 1 and first.command == last.command)


def chain_route(chain: WorkflowChain, at: int = -1) -> Route:
    """Returns the route of a chain of commands; at: the index of the step that the work is at, -1
    for none.
    """
    stops = [_route_step(chain, step) for step in chain.steps]
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
