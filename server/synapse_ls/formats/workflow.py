"""Workflow definitions: YAML files with a ``workflow`` whose ``sequence`` is what a state file mirrors.

Chati.dev's definitions keep a sequence in each of their ``phases``; theirs are read as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from synapse_ls.formats.names import agent_id
from synapse_ls.formats.problem import Parsed, Problem, Text
from synapse_ls.formats.yaml_tree import Node, parse_yaml
from synapse_ls.text.span import Span


@dataclass(frozen=True, slots=True)
class StepDefinition:
    """One entry of a sequence, headers and markers included.

    ``id`` is the entry's ``id``, else its ``step``; ``agent`` an agent id or "", ``raw_agent`` the
    file's words, "" for entries that belong to nobody; ``task`` the task file's name as written.
    ``next`` and ``on_failure`` name the step that follows, ``requires`` what has to be there before:
    steps, or what steps create.
    """

    index: int
    id: str
    step: str
    name: str
    phase: str
    agent: str
    raw_agent: str
    action: str
    task: str
    span: Span
    next: str = ""
    on_failure: str = ""
    requires: tuple[str, ...] = ()
    optional: bool = False
    condition: str = ""


@dataclass(frozen=True, slots=True)
class WorkflowDefinition:
    """A workflow; ``steps`` mirror its sequence one to one."""

    id: Text | None
    name: str
    type: str
    steps: tuple[StepDefinition, ...]
    root: Node | None


@dataclass(frozen=True, slots=True)
class NextCommand:
    """A star-command that may follow; ``arguments`` is a template: ``${story_path}``."""

    name: str
    arguments: str
    description: str
    priority: int


@dataclass(frozen=True, slots=True)
class Transition:
    """A state that a workflow comes to when a command was begun or is done.

    ``trigger`` is the file's words ("develop completed"), ``command`` and ``verb`` are their parts.
    ``confidence`` is from 0 to 1.
    """

    state: str
    trigger: str
    confidence: float
    message: str
    next: tuple[NextCommand, ...]

    @property
    def command(self) -> str:
        """The command without its star: everything but the last word."""
        return self.trigger.strip().rpartition(" ")[0].strip().removeprefix("*").casefold()

    @property
    def verb(self) -> str:
        """What became of the command: "completed", "started", …"""
        return self.trigger.strip().rpartition(" ")[2].casefold()


@dataclass(frozen=True, slots=True)
class WorkflowPattern:
    """A workflow as ``workflow-patterns.yaml`` knows it: the ids that workflow triggers use.

    ``threshold``: how many different commands of it have to be used before it counts as recognised.
    """

    id: Text
    description: str
    agents: tuple[Text, ...]
    commands: tuple[str, ...]
    threshold: int = 2
    transitions: tuple[Transition, ...] = ()


def parse(text: str) -> Parsed[WorkflowDefinition]:
    """Read a definition.

    Problem kinds: those of `parse_yaml`; ``invalid-workflow`` where there is no workflow, no id, or
    a sequence that is no list.
    """
    root, problems = parse_yaml(text)
    workflow = _workflow(root)
    own: list[Problem] = []
    if root is not None and workflow is None:
        first = Span(root.span.start, min(root.span.start + 1, root.span.end))
        own.append(_problem(first, "The file defines no workflow"))
    if root is None or workflow is None:
        definition = WorkflowDefinition(None, "", "", (), None)
    else:
        identifier, sequence = workflow.text("id"), workflow.given("sequence")
        if identifier is None:
            own.append(_problem(workflow.pairs[0][0].span, "The workflow has no `id`"))
        if sequence and sequence.kind != "sequence":
            own.append(_problem(sequence.span, "`sequence` is not a list"))
        definition = WorkflowDefinition(
            identifier,
            workflow.scalar("name"),
            workflow.scalar("type"),
            tuple(_steps(root, workflow)),
            workflow,
        )
    return Parsed(definition, tuple(sorted((*problems, *own), key=lambda p: p.span)))


def parse_patterns(text: str) -> Parsed[tuple[WorkflowPattern, ...]]:
    """Read ``workflow-patterns.yaml``. Problem kinds: those of `parse_yaml`."""
    root, problems = parse_yaml(text)
    workflows = root.get("workflows") if root else None
    patterns = tuple(
        WorkflowPattern(
            Text(key.value, key.span),
            value.followed.scalar("description"),
            _texts(value.followed.get("agent_sequence")),
            tuple(text.value for text in _texts(value.followed.get("key_commands"))),
            max(1, int(_number(value.followed.get("trigger_threshold"), 2))),
            tuple(_transitions(value.followed.get("transitions"))),
        )
        for key, value in (workflows.pairs if workflows else ())
        if key.kind == "scalar"
    )
    return Parsed(patterns, problems)


def _transitions(node: Node | None) -> Iterator[Transition]:
    for key, value in node.pairs if node else ():
        said = value.followed
        steps = said.get("next_steps")
        commands = [
            NextCommand(
                name.strip().removeprefix("*"),
                item.scalar("args_template"),
                item.scalar("description"),
                int(_number(item.get("priority"), 99)),
            )
            for item in (child.followed for child in (steps.items if steps else ()))
            if (name := item.scalar("command"))
        ]
        yield Transition(
            key.value,
            said.scalar("trigger"),
            min(max(_number(said.get("confidence"), 0.0), 0.0), 1.0),
            said.scalar("greeting_message"),
            tuple(sorted(commands, key=lambda command: command.priority)),
        )


def _number(node: Node | None, default: float) -> float:
    """A finite number, else ``default``."""
    value = node.resolve() if node else None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9:
        return default
    return default if value != value else value


def _workflow(root: Node | None) -> Node | None:
    if root is None or not root.pairs:
        return None
    workflow = root.get("workflow")
    if workflow and workflow.pairs:
        return workflow
    return root if root.given("sequence") else None


def _steps(root: Node, workflow: Node) -> Iterator[StepDefinition]:
    sequence = workflow.get("sequence")
    if sequence and sequence.items:
        for index, node in enumerate(sequence.items):
            yield _step(index, node.followed, "")
        return
    index = 0
    phases = workflow.given("phases") or root.given("phases")
    for phase in phases.items if phases else ():
        inner = phase.followed.get("sequence")
        for node in inner.items if inner else ():
            yield _step(index, node.followed, phase.followed.scalar("name"))
            index += 1


def _step(index: int, node: Node, phase: str) -> StepDefinition:
    raw_agent = node.scalar("agent").strip()
    step = node.scalar("step")
    return StepDefinition(
        index,
        id=node.scalar("id") or step,
        step=step,
        name=node.scalar("name") or node.scalar("phase_name"),
        phase=node.scalar("phase") or phase,
        agent=agent_id(raw_agent),
        raw_agent=raw_agent,
        action=node.scalar("action"),
        task=node.scalar("task"),
        span=node.span,
        next=node.scalar("next"),
        on_failure=node.scalar("on_failure"),
        requires=_one_or_more(node.given("requires")),
        optional=node.scalar("optional").casefold() == "true",
        condition=node.scalar("condition"),
    )


def _one_or_more(node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    return tuple(text.value for text in _texts(node)) or ((node.value,) if node.value else ())


def _texts(node: Node | None) -> tuple[Text, ...]:
    items = node.items if node else ()
    return tuple(Text(item.value, item.span) for item in items if item.kind == "scalar")


def _problem(span: Span, what: str) -> Problem:
    message = f"{what}, so no workflow state can be matched with it."
    return Problem("invalid-workflow", span, message)
