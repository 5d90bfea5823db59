"""Parse workflow definitions, ``workflow-patterns.yaml`` and ``workflow-chains.yaml``.

A definition is YAML with a ``workflow`` whose ``sequence`` of steps a state file mirrors
(SynkraAI/aios-core); in Chati.dev's each of the ``phases`` has a sequence, and they are joined.
Chains are ``workflows: [{id, name, max_iterations, chain: [{step, agent, command, task, output,
condition, alternatives: [{agent, command, condition}]}]}]``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from synapse_ls.formats import name_normalization, story_file
from synapse_ls.formats.yaml_tree import YamlNode, parse_yaml
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding, ParseResult, Text, problem_data, sort_problems
from synapse_ls.text.lazy_pattern import lazy_pattern
from synapse_ls.text.span import Span


@dataclass(frozen=True, slots=True)
class StepDefinition:
    """One entry of the sequence in a workflow definition, headers and markers included.

    ``id`` is the entry's ``id``, else its ``step``; ``agent`` an agent id or "", ``raw_agent`` the
    file's words, "" for entries that belong to nobody; ``task`` the task file's name as written.
    ``next`` and ``on_failure`` name the step that follows, ``requires`` what has to be there
    before: steps, or what steps create.
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


class WorkflowDefinition(NamedTuple):
    """The definition of a workflow; ``steps`` mirror its sequence one to one."""

    id: Text | None
    name: str
    type: str
    steps: tuple[StepDefinition, ...]
    root: YamlNode | None


class NextCommand(NamedTuple):
    """A star-command that may follow by the definition of a workflow; ``arguments`` is a template:
    ``${story_path}``.
    """

    name: str
    arguments: str
    description: str
    priority: int


class Transition(NamedTuple):
    """A state in a workflow's definition, to which it comes when a command was begun or is done.

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


class WorkflowPattern(NamedTuple):
    """A workflow as ``workflow-patterns.yaml`` knows it: the ids that workflow triggers use.

    ``threshold``: how many different commands of it have to be used before it counts as recognised.
    """

    id: Text
    description: str
    agents: tuple[Text, ...]
    commands: tuple[str, ...]
    threshold: int = 2
    transitions: tuple[Transition, ...] = ()


def parse(text: str) -> ParseResult[WorkflowDefinition]:
    """Parse a workflow definition.

    Problem kinds: those of `parse_yaml`; ``no-workflow`` where something that should be one is
    none, ``invalid-workflow`` where it has no id, or a sequence that is no list. A file with other
    keys, such as ``phases``, is a text for agents, which no state mirrors.
    """
    root, problems = parse_yaml(text)
    workflow = None
    if root is not None and root.pairs:
        inner = root.get("workflow")
        outer = root if root.non_null("sequence") else None
        workflow = inner if inner and inner.pairs else outer
    own: list[Finding] = []
    if root is not None and workflow is None:
        own += _missing_workflow_problems(root)
    if root is None or workflow is None:
        definition = WorkflowDefinition(None, "", "", (), None)
    else:
        identifier, sequence = workflow.text("id"), workflow.non_null("sequence")
        steps = [(node, "") for node in workflow.nodes("sequence")] or [
            (node, phase.scalar("name"))
            for phase in (workflow if workflow.non_null("phases") else root).nodes("phases")
            for node in phase.nodes("sequence")
        ]
        if identifier is None:
            field = "id"
            inner_key = root.key_node("workflow") if workflow is not root else None
            add = f"Add `{field}` below `workflow:`." if inner_key else f"Add `{field}`."
            own.append(
                Finding(
                    inner_key.span if inner_key else workflow.pairs[0][0].span,
                    "The workflow has no `id`, so no state file can refer to it.",
                    " ".join((add, "If you have no state files, you can ignore this.")),
                    kind="invalid-workflow",
                    data=problem_data(missing=field, place=str(workflow.pairs[0][0].span.start)),
                )
            )
        if sequence and sequence.kind != "sequence":
            own.append(_workflow_problem(sequence.span, "`sequence` is not a list"))
        definition = WorkflowDefinition(
            identifier,
            workflow.scalar("name"),
            workflow.scalar("type"),
            tuple(_read_step(i, node, name) for i, (node, name) in enumerate(steps)),
            workflow,
        )
    return ParseResult(definition, sort_problems((*problems, *own)))


def parse_patterns(text: str) -> ParseResult[tuple[WorkflowPattern, ...]]:
    """Parse ``workflow-patterns.yaml`` into workflow patterns. Problem kinds: those of
    `parse_yaml`.
    """
    root, problems = parse_yaml(text)
    patterns = tuple(
        WorkflowPattern(
            Text(key.value, key.span),
            node.scalar("description"),
            _texts_of(node, "agent_sequence"),
            tuple(text.value for text in _texts_of(node, "key_commands")),
            max(1, int(_number_or_default(node.get("trigger_threshold"), 2))),
            tuple(_read_transition(name.value, row) for name, row in node.members("transitions")),
        )
        for key, node in (root.members("workflows") if root else ())
        if key.kind == "scalar"
    )
    return ParseResult(patterns, problems)


def _texts_of(node: YamlNode, key: str) -> tuple[Text, ...]:
    value = node.get(key)
    return value.scalar_texts if value else ()


def _read_transition(state: str, node: YamlNode) -> Transition:
    commands = [
        NextCommand(
            name.strip().removeprefix("*"),
            item.scalar("args_template"),
            item.scalar("description"),
            int(_number_or_default(item.get("priority"), 99)),
        )
        for item in node.nodes("next_steps")
        if (name := item.scalar("command"))
    ]
    return Transition(
        state,
        node.scalar("trigger"),
        min(max(_number_or_default(node.get("confidence"), 0.0), 0.0), 1.0),
        node.scalar("greeting_message"),
        tuple(sorted(commands, key=lambda command: command.priority)),
    )


def _number_or_default(node: YamlNode | None, default: float) -> float:
    value = node.resolve() if node else None
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1e9:
        return default
    return default if value != value else value


def _missing_workflow_problems(root: YamlNode) -> Iterator[Finding]:
    """Yield the problem of a file without a workflow, where one was meant."""
    if not root.pairs or root.get("workflow") or root.get("sequence"):
        reason = "The file has neither a `workflow` nor a `sequence` at the top"
        yield _workflow_problem(root.first_character, reason, "no-workflow")
        return
    for key, _ in root.pairs:
        if word := nearest_word(key.value, ("workflow", "sequence")):
            reason = f"`{key.value}` is no key of a workflow"
            problem = _workflow_problem(key.span, reason, "no-workflow")
            yield problem._replace(remedy=f"Write `{word}`.")
            return


def _read_step(index: int, node: YamlNode, phase: str) -> StepDefinition:
    raw_agent, step = node.scalar("agent").strip(), node.scalar("step")
    needed = node.non_null("requires")
    requires = [text.value for text in needed.scalar_texts] if needed else []
    requires += [needed.value] if needed and needed.value else []
    return StepDefinition(
        index,
        id=node.scalar("id") or step,
        step=step,
        name=node.scalar("name") or node.scalar("phase_name"),
        phase=node.scalar("phase") or phase,
        agent=name_normalization.normalize_agent_id(raw_agent),
        raw_agent=raw_agent,
        action=node.scalar("action"),
        task=node.scalar("task"),
        span=node.span,
        next=node.scalar("next"),
        on_failure=node.scalar("on_failure"),
        requires=tuple(requires),
        optional=node.scalar("optional").casefold() == "true",
        condition=node.scalar("condition"),
    )


def _workflow_problem(span: Span, reason: str, kind: str = "invalid-workflow") -> Finding:
    return Finding(span, f"{reason}, so no workflow state can be matched with it.", kind=kind)


# Chains of a file, and steps of a chain, that are read: aliases can repeat without end.
MAX_CHAINS = 100

_MAX_ALTERNATIVES = 10
_STATUS = lazy_pattern(r"\bstatus(?:\s+is\b|\s*[:=]+)(?!\s*not\b)(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class ChainStep:
    """One step of a workflow chain, or another command for it.

    ``index`` is its place in the chain, ``number`` what the file calls it. ``agent`` is an agent id
    or "", ``raw_agent`` the file's words; ``command`` has no star, ``arguments`` is a template:
    ``{story-id}``. ``output`` is what there is afterwards, ``condition`` when it is time for the
    step.
    """

    index: int
    number: str
    agent: str
    raw_agent: str
    command: str
    arguments: str
    task: str
    output: str
    condition: str
    span: Span
    alternatives: tuple[ChainStep, ...] = ()
    node: YamlNode | None = None

    @property
    def state(self) -> str:
        """The state of a story that the condition asks for, as `story_state` calls it; ""
        for none.
        """
        match = _STATUS.search(self.condition)
        return story_file.story_state(match[1]) if match else ""

    @property
    def commands(self) -> tuple[str, ...]:
        """Every command that does the step."""
        return tuple(one.command for one in (self, *self.alternatives) if one.command)


class WorkflowChain(NamedTuple):
    """One of the workflow chains, a workflow as a chain of commands. ``max_rounds``: rounds of it,
    0 where it is gone through once.
    """

    id: Text
    name: str
    description: str
    max_rounds: int
    steps: tuple[ChainStep, ...]


def parse_chains(text: str) -> ParseResult[tuple[WorkflowChain, ...]]:
    """Parse ``workflow-chains.yaml`` into chains, as far as they can be.

    Problem kinds: those of `parse_yaml`; ``invalid-workflow-chain`` where a chain or a step lacks
    what it is for, or has the id or the number of another one.
    """
    root, problems = parse_yaml(text)
    if root is None:
        return ParseResult((), problems)
    findings: list[Finding] = []
    if (workflows := root.non_null("workflows")) is None:
        findings.append(_chain_problem(root.first_character, "The file lists no workflows"))
    elif workflows.kind != "sequence":
        findings.append(_chain_problem(workflows.span, "`workflows` is not a list"))
    chains: list[WorkflowChain] = []
    for node in root.nodes("workflows")[:MAX_CHAINS]:
        id = node.text("id")
        if id is None or not id.value:
            findings.append(_chain_problem(node.first_key_span, "The chain has no `id`"))
            continue
        listed, most = node.non_null("chain"), node.scalar("max_iterations")
        if listed is None:
            findings.append(_chain_problem(id.span, "The workflow has no `chain`"))
        elif listed.kind != "sequence":
            findings.append(_chain_problem(listed.span, "`chain` is not a list"))
        if any(other.id.value == id.value for other in chains):
            findings.append(_chain_problem(id.span, f"`{id.value}` is the id of two chains"))
        chains.append(
            WorkflowChain(
                id,
                node.scalar("name"),
                node.scalar("description"),
                int(most) if most.isascii() and most.isdigit() and len(most) < 6 else 0,
                tuple(_read_chain_steps(node.nodes("chain"), findings)),
            )
        )
    return ParseResult(tuple(chains), sort_problems((*problems, *dict.fromkeys(findings))))


def _read_chain_steps(nodes: Sequence[YamlNode], problems: list[Finding]) -> Iterator[ChainStep]:
    seen: set[str] = set()
    for index, node in enumerate(nodes[:MAX_CHAINS]):
        alternatives = tuple(
            _read_chain_step(other, index, "alternative", problems)
            for other in node.nodes("alternatives")[:_MAX_ALTERNATIVES]
        )
        step = _read_chain_step(node, index, "step", problems, alternatives)
        if (number := node.text("step")) and number.value in seen:
            problems.append(
                _chain_problem(number.span, f"Two steps have the number {number.value[:40]}")
            )
        seen.add(number.value if number else "")
        yield step


def _read_chain_step(
    node: YamlNode,
    index: int,
    what: str,
    problems: list[Finding],
    alternatives: tuple[ChainStep, ...] = (),
) -> ChainStep:
    raw_agent = node.scalar("agent").strip()
    command, _, arguments = node.scalar("command").strip().removeprefix("*").partition(" ")
    if node.kind != "mapping":
        problems.append(_chain_problem(node.span, f"The {what} is not a mapping"))
    else:
        for name, value in (("agent", raw_agent), ("command", command)):
            if not value:
                problems.append(_chain_problem(node.first_key_span, f"The {what} has no `{name}`"))
    return ChainStep(
        index,
        number=node.scalar("step"),
        agent=name_normalization.normalize_agent_id(raw_agent),
        raw_agent=raw_agent,
        command=command.casefold(),
        arguments=arguments.strip(),
        task=node.scalar("task"),
        output=node.scalar("output"),
        condition=node.scalar("condition"),
        span=node.span,
        alternatives=alternatives,
        node=node,
    )


def _chain_problem(span: Span, reason: str) -> Finding:
    message = f"{reason}, so it does not show what comes next."
    return Finding(span, message, kind="invalid-workflow-chain")
