"""Where commands and the state of a story are in a chain of commands, and what it has next (ADR-001 C8).

By ``workflow-chains.yaml``. A command that stands twice in a chain is the next of the two; where a
chain is gone through several times, its beginning follows on its end.
"""

from __future__ import annotations

from synapse_ls.engine.detection import Suggestion, who_has
from synapse_ls.engine.navigation import ACTIVE, Position, Route, Stop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from synapse_ls.formats.workflow_chains import Chain, ChainStep

RECENT = 10
"""Commands that are looked at, the last ones."""

_LIFE = ("draft", "ready", "in_progress", "in_review")
"""The states of a story, in order; one that is done or blocked is nowhere in a chain."""


class Followed:
    """A chain that commands or a story's state belong to.

    state: that of the story. step: the step that the work is at, None at the end. matched: the commands that say so, none where
    the story's state does. begun: the command that is at work, "" where the step is still to be begun.
    by_state: whether the story's state decides. behind: the step that its state still stands at though
    commands are further. others: chains that as many commands speak for. rounds: of a chain that is
    gone through several times, begun with this one.
    """

    __slots__ = (
        "begun", "behind", "by_state", "chain", "matched", "others", "position", "rounds", "state",
        "step",
    )  # fmt: skip

    def __init__(self, chain: Chain, matched: Sequence[str], rounds: int, state: str) -> None:
        self.chain = chain
        self.state = state
        self.matched = tuple(matched)
        self.rounds = rounds
        self.step: ChainStep | None = None
        self.position = Position(route_of(chain), None)
        self.begun = ""
        self.behind: ChainStep | None = None
        self.by_state = False
        self.others: tuple[str, ...] = ()

    def stand(self, at: int) -> None:
        """Put the work at the step of that index."""
        steps = self.chain.steps
        if at >= len(steps) and self.chain.most:
            at = _again(self.chain)
        route = route_of(self.chain, at)
        self.step = steps[at] if at < len(steps) else None
        self.position = Position(route, route.stops[at] if self.step else None)


def follow(
    chains: Sequence[Chain],
    used: Sequence[str],
    *,
    running: Collection[str] = (),
    agent: str = "",
    commands: Mapping[str, Collection[str]] | None = None,
    state: str = "",
    is_done: bool = False,
) -> Followed | None:
    """Where the commands ``used``, the last one last, and a story in ``state`` are; None for nowhere.

    running: those that the last prompt has begun. agent: who is active. commands: agent -> its own
    commands, as far as they are known. is_done: whether the last one is known to be done.
    """
    recent = [command.casefold() for command in used][-RECENT:]
    found: list[tuple[tuple[int, int, bool], Chain, int, Followed]] = []
    for chain in chains:
        at, rounds, matched = _walked(chain, recent)
        if matched:
            latest = len(recent) - 1 - recent[::-1].index(matched[-1])
            takes_part = any(agent and step.agent == agent for step in chain.steps)
            score = (len(set(matched)), latest, takes_part)
            found.append((score, chain, at, Followed(chain, matched, rounds, state)))
    if not found:
        return _by_state(chains, state)
    score, chain, at, followed = max(found, key=lambda entry: entry[0])
    followed.others = tuple(
        other.id.value for place, other, *_ in found if place[0] == score[0] and other is not chain
    )
    last = followed.matched[-1]
    own = (commands or {}).get(agent, ())
    others = bool(agent and own) and agent != chain.steps[at].agent
    is_done = is_done or (others and last not in own and last not in running)
    said = _step_of(chain, state)
    if said is not None and said[0] > at:
        followed.by_state = True
        followed.stand(said[0])
        followed.begun = _begun(chain, said)
        return followed
    if said is not None and said[0] < at:
        followed.behind = chain.steps[said[0]]
    followed.stand(at + is_done)
    followed.begun = "" if is_done else last
    return followed


def offered(
    found: Followed, known: Mapping[str, Collection[str]]
) -> tuple[tuple[Suggestion, ...], tuple[str, ...]]:
    """The commands that begin the step at hand, and those of them that no agent has.

    known: agent -> its own commands, as far as they are known.
    """
    step = None if found.begun else found.step
    told: list[Suggestion] = []
    unknown: list[str] = []
    for one in (step, *step.alternatives) if step else ():
        agent = one.agent if one.command in known.get(one.agent, ()) else ""
        agent = agent or who_has(one.command, known)
        if known and one.command and not agent:
            unknown.append(one.command)
        elif one.command:
            when = f"when: {one.condition}" if one.condition else ""
            about = " — ".join(filter(None, (one.output, when)))
            told.append(Suggestion(one.command, agent or one.agent, one.arguments, about))
    return tuple(told), tuple(unknown)


def _by_state(chains: Sequence[Chain], state: str) -> Followed | None:
    """The first chain in which stories of that state have a step."""
    for chain in chains:
        said = _step_of(chain, state)
        if said is not None:
            followed = Followed(chain, (), 1, state)
            followed.by_state = True
            followed.stand(said[0])
            followed.begun = _begun(chain, said)
            return followed
    return None


def _step_of(chain: Chain, state: str) -> tuple[int, bool] | None:
    """The step of a story in that state, by the conditions of the steps, and whether it is begun.

    A state that no condition names lies between two that are: the step of the first is begun.
    """
    if state not in _LIFE:
        return None
    asked = [(_LIFE.index(step.state), step.index) for step in chain.steps if step.state in _LIFE]
    before = [place for place in asked if place[0] <= _LIFE.index(state)]
    if not before:
        return None
    rank, index = max(before)
    return index, rank < _LIFE.index(state)


def _begun(chain: Chain, said: tuple[int, bool]) -> str:
    index, is_begun = said
    return chain.steps[index].command if is_begun else ""


def _walked(chain: Chain, recent: Sequence[str]) -> tuple[int, int, list[str]]:
    """The step that the commands have come to, in which round, and those that belong to the chain."""
    at, rounds, matched = -1, 1, []
    for command in recent:
        places = _places(chain, command)
        if not places:
            continue
        matched.append(command)
        if at not in places:
            later = [place for place in places if place > at]
            rounds += not later
            at = later[0] if later else places[0]
    return at, rounds, matched


def _places(chain: Chain, command: str) -> list[int]:
    """The steps that a command does; ``develop-fast`` is a way to ``develop``, ``redevelop`` is not."""
    exact = [step.index for step in chain.steps if command in step.commands]
    return exact or [
        step.index
        for step in chain.steps
        if any(command.startswith(f"{known}-") for known in step.commands)
    ]


def _again(chain: Chain) -> int:
    """The step after the end of a round: the first, or the one after it if it is the last one too."""
    first, last = chain.steps[0], chain.steps[-1]
    return int(len(chain.steps) > 1 and first.command == last.command)


def route_of(chain: Chain, at: int = -1) -> Route:
    """The way of a chain; at: the index of the step that the work is at, -1 for none."""
    stops = [_stop(chain, step) for step in chain.steps]
    return Route(chain.id.value, chain.name, stops, status=ACTIVE if at >= 0 else "", at=at)


def _stop(chain: Chain, step: ChainStep) -> Stop:
    is_last = step.index == len(chain.steps) - 1
    return Stop(
        step.index,
        step.index + 1,
        f"*{step.command}" if step.command else "",
        (str(step.index), *step.commands),
        step.agent,
        step.raw_agent,
        action=step.output if not step.command else "",
        task=step.task,
        start=step.span.start,
        next=str(_again(chain)) if is_last and chain.most else "",
        condition=step.condition,
    )
