"""This module detects which workflow the star-commands of a session belong to, and suggests
what may follow (ADR-001 C8).

By ``workflow-patterns.yaml``. A command counts as a whole word and only where enough others
of its workflow were used. Nobody tells when a command is done: it counts as that once
another one of the workflow was used, or an agent is at work that does not have it.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from synapse_ls.formats.workflow_definition import NextCommand, Transition, WorkflowPattern

MAX_COMMANDS = 10
"""Commands of a session that are looked at, the last ones."""

COMPLETED = "completed"


class Suggestion:
    """A Suggestion is a command that may follow in the workflow that was detected. agent: who has
    it, "" where nobody is known to.
    """

    __slots__ = ("agent", "arguments", "command", "description")

    def __init__(self, command: str, agent: str, arguments: str, description: str) -> None:
        self.command = command
        self.agent = agent
        self.arguments = arguments
        self.description = description


class DetectedWorkflow:
    """A DetectedWorkflow is a workflow that was detected by the commands that belong to it.

    state: what it has come to, "" where the patterns do not say. last: the command that says
    so. is_done: whether that command counts as done. matched: its commands that were used.
    message: the pattern's words for the state. others: workflows that as many commands speak
    for. unknown: commands that may follow and that no agent has.
    """

    __slots__ = (
        "agents",
        "confidence",
        "is_done",
        "last",
        "matched",
        "message",
        "next",
        "others",
        "state",
        "unknown",
        "workflow",
    )

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
    """Detects the workflow that ``used_commands``, the last one last, belong to; None for none.

    running: those that the last prompt has begun. agent: who is active. agent_commands: agent
    -> its own commands, as far as they are known.
    """
    known = agent_commands or {}
    recent = [command.casefold() for command in used_commands][-MAX_COMMANDS:]
    found: list[tuple[tuple[int, int, int], WorkflowPattern, dict[str, str]]] = []
    for pattern in patterns:
        matched = _matched_commands(pattern, known, recent)
        if len(set(matched.values())) >= pattern.threshold:
            last = max(recent.index(command) for command in matched)
            takes_part = agent in [text.value for text in pattern.agents]
            found.append(((len(set(matched.values())), last, takes_part), pattern, matched))
    if not found:
        return None
    best = max(
        found, key=lambda entry: (entry[0], _transition_confidence(entry[1], entry[2], recent))
    )
    score, pattern, matched = best
    detected = DetectedWorkflow(pattern, [command for command in recent if command in matched])
    detected.others = tuple(
        other.id.value for place, other, _ in found if place[0] == score[0] and other is not pattern
    )
    step = _find_transition(pattern, matched, recent)
    if step is not None:
        detected.last, transition = step
        detected.state, detected.message = transition.state, transition.message
        detected.confidence = transition.confidence
        own = known.get(agent) if agent else None
        moved_on = detected.last != detected.matched[-1] or bool(own and detected.last not in own)
        is_begun = detected.last in {command.casefold() for command in running}
        detected.is_done = transition.verb != COMPLETED or (moved_on and not is_begun)
        _add_suggestions(detected, pattern, transition.next, known)
    return detected


def _matched_commands(
    pattern: WorkflowPattern, known: Mapping[str, Collection[str]], recent: Sequence[str]
) -> dict[str, str]:
    """Returns the commands that belong to a workflow, each with the pattern's name for it."""
    same = _bare_command_names(pattern, known)
    keys = {key.casefold() for key in pattern.commands}
    named = {command: same.get(command, command) for command in recent}
    return {command: name for command, name in named.items() if name in keys}


def _transition_confidence(
    pattern: WorkflowPattern, matched: Mapping[str, str], recent: Sequence[str]
) -> float:
    step = _find_transition(pattern, matched, recent)
    return step[1].confidence if step else 0.0


def _find_transition(
    pattern: WorkflowPattern, matched: Mapping[str, str], recent: Sequence[str]
) -> tuple[str, Transition] | None:
    """Returns the latest command that leads to a state, and that transition; None for none."""
    for command in reversed(recent):
        name = matched.get(command)
        exact = [one for one in pattern.transitions if name and one.command == name]
        # ``develop-yolo`` is a way to ``develop``; ``redevelop`` is not.
        variant = [
            one for one in pattern.transitions if name and name.startswith(f"{one.command}-")
        ]
        found = exact or sorted(variant, key=lambda one: -len(one.command))[:1]
        if found:
            return command, max(found, key=lambda one: one.confidence)
    return None


def _bare_command_names(
    pattern: WorkflowPattern, known: Mapping[str, Collection[str]]
) -> dict[str, str]:
    """Returns what agents call commands that the pattern names after an agent: ``review`` of
    ``review-qa``.

    Only where nobody has a command of the pattern's name.
    """
    everyone = {command for own in known.values() for command in own}
    found: dict[str, str] = {}
    for name in (*pattern.commands, *_suggested_names(pattern)):
        if name in everyone:
            continue
        for agent in (text.value for text in pattern.agents):
            bare = name.removesuffix(f"-{agent}")
            if bare != name and bare in known.get(agent, ()):
                found[bare] = name.casefold()
    return found


def _suggested_names(pattern: WorkflowPattern) -> Iterator[str]:
    for transition in pattern.transitions:
        for step in transition.next:
            yield step.name


def _add_suggestions(
    detected: DetectedWorkflow,
    pattern: WorkflowPattern,
    steps: Sequence[NextCommand],
    known: Mapping[str, Collection[str]],
) -> None:
    real = {name: own for own, name in _bare_command_names(pattern, known).items()}
    told: list[Suggestion] = []
    unknown: list[str] = []
    for step in steps:
        command = real.get(step.name.casefold(), step.name)
        agent = find_command_owner(command, known, detected.agents)
        if known and not agent:
            unknown.append(command)
        else:
            told.append(Suggestion(command, agent, step.arguments, step.description))
    detected.next, detected.unknown = tuple(told), tuple(unknown)


def find_command_owner(
    command: str, agent_commands: Mapping[str, Collection[str]], preferred: Sequence[str] = ()
) -> str:
    """Returns the agent that has a command of a workflow: of several, the first of ``preferred``,
    else the only one; "" for none.
    """
    owners = [agent for agent, own in agent_commands.items() if command in own]
    first = next((agent for agent in preferred if agent in owners), "")
    return first or (owners[0] if len(owners) == 1 else "")
