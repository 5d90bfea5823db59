"""Read the files of workflows for an activation: states, definitions, patterns, chains, and agents'
commands.

What is remembered of a file is plain values (``_plain_…``), from which the documents are restored.
"""

from __future__ import annotations

from typing import Any

from synapse_ls.activation import agent_definition
from synapse_ls.activation.activation_loaders import UnavailableError
from synapse_ls.activation.tree_files import TreeFiles
from synapse_ls.engine.compiled_plan import Plan
from synapse_ls.engine.word_matching import slug_of
from synapse_ls.engine.workflow_route import ACTIVE, PAUSED
from synapse_ls.formats import workflow_chains
from synapse_ls.formats import workflow_definition as workflows
from synapse_ls.formats import workflow_state as states
from synapse_ls.formats.workflow_chains import ChainStep, WorkflowChain
from synapse_ls.formats.workflow_definition import (
    NextCommand,
    StepDefinition,
    Transition,
    WorkflowDefinition,
    WorkflowPattern,
)
from synapse_ls.formats.workflow_state import STATUSES, WorkflowState, WorkflowStep
from synapse_ls.text.parse_result import Text
from synapse_ls.text.span import Span
from synapse_ls.workspace.activation_folders import YAML
from synapse_ls.workspace.naming_conventions import file_stem, kebab_case

_STEP_FIELDS = [name for name in StepDefinition.__dataclass_fields__ if name != "span"]
_STATE_FIELDS = (
    "workflow_id", "workflow_name", "instance_id", "status", "updated_at", "current_step_index",
)  # fmt: skip
_STATE_STEP_FIELDS = [name for name in WorkflowStep._fields if name != "span"]
_CHAIN_STEP_FIELDS = [
    name for name in ChainStep.__dataclass_fields__ if name not in ("span", "alternatives", "node")
]
_NO_SPAN = Span(0, 0)


def agent_commands(files: TreeFiles) -> dict[str, tuple[str, ...]]:
    """Return agent -> the names of its commands, from the files that define agents, for
    workflows.
    """
    return {
        agent.id: tuple(command.name for command in agent.commands)
        for agent in agent_definition.iter_agents(files)
    }


def workflow_patterns(files: TreeFiles) -> tuple[WorkflowPattern, ...]:
    """Return the patterns that workflows are known by, from their files."""
    patterns: list[WorkflowPattern] = []
    for path in files.places.get("patterns", ()):
        rows = files.parse_file("patterns", path, _plain_patterns)
        patterns += [_restore_pattern(row) for row in rows or ()]
    return tuple(patterns)


def command_chains(files: TreeFiles) -> tuple[tuple[str, tuple[WorkflowChain, ...]], ...]:
    """Return the chains of commands that files of workflows have, by file."""
    chains = []
    for path in files.places.get("chains", ()):
        rows = files.parse_file("chains", path, _plain_chains)
        if rows:
            chains.append((path, tuple(map(_restore_chain, rows))))
    return tuple(chains)


def find_definition(
    files: TreeFiles, plan: Plan, workflow: str
) -> tuple[str, WorkflowDefinition] | None:
    """Find the definition of a workflow and its path: the file called so, else one that says it is.

    Else one that goes by the same name for rules, those first whose own name begins with it: of
    ``story_development`` that is the story-development-cycle before the development-cycle.
    """
    general = kebab_case(plan.workflow_id(workflow))
    wanted = {kebab_case(workflow), general}
    paths = tuple(files.iter_files("workflows", YAML))
    named = [path for path in paths if kebab_case(file_stem(path)) in wanted]
    alike: list[tuple[bool, str, dict[str, Any]]] = []
    for path in (*named, *(path for path in paths if path not in named)):
        try:
            row = files.parse_file("workflow", path, _plain_definition)
        except UnavailableError:
            continue
        id = kebab_case(row["id"] or file_stem(path)) if row is not None else ""
        if row is not None and (path in named or id in wanted):
            return path, _restore_definition(row)
        if row is not None and kebab_case(plan.workflow_id(id)) == general:
            alike.append((not id.startswith(general), path, row))
    _, path, row = min(alike, key=lambda one: one[:2], default=(False, "", None))
    return (path, _restore_definition(row)) if row is not None else None


def find_resting_state(
    files: TreeFiles, plan: Plan, workflow: str = ""
) -> tuple[str, WorkflowState] | None:
    """Find the newest state file of a workflow whose instance is not active, and its path; without
    a workflow, of all that are paused.

    Of a workflow with another name for the same rules only a paused one says where the work is.
    """
    general = plan.workflow_id(workflow)
    resting: list[tuple[bool, str, str, WorkflowState]] = []
    for path in files.iter_files("states", ("-state.yaml",)):
        try:
            state = read_state(files, path)
        except UnavailableError:
            continue
        if state is None or state.status not in STATUSES or state.status == ACTIVE:
            continue
        id = slug_of(state.workflow_id)
        exact = id == slug_of(workflow)
        named = exact or slug_of(workflow) == general or state.status == PAUSED
        if named and general in ("", plan.workflow_id(id)) and (workflow or state.status == PAUSED):
            resting.append((exact, state.updated_at, path, state))
    return max(resting, key=lambda one: one[:3])[2:] if resting else None


def read_state(files: TreeFiles, path: str) -> WorkflowState | None:
    """Read the state file of a workflow's instance; None where another system keeps its state in
    another way.

    Raises UnavailableError where the file is gone or has no steps that can be read.
    """
    row = files.parse_file("state", path, _plain_state)
    if row is None:
        raise UnavailableError(f"{path} is gone")
    if row["shape"] != "instance":
        return None  # another system keeps its state in another way
    if not row["steps"]:
        raise UnavailableError(f"{path} has no steps that can be read")
    steps = tuple(
        WorkflowStep(**dict(zip(_STATE_STEP_FIELDS, step, strict=True)), span=Span(start, start))
        for start, *step in row["steps"]
    )
    return WorkflowState("instance", **{name: row[name] for name in _STATE_FIELDS}, steps=steps)


def _plain_state(text: str) -> dict[str, Any]:
    state = states.parse(text).document
    steps = [
        (step.span.start, *(getattr(step, name) for name in _STATE_STEP_FIELDS))
        for step in state.steps
    ]
    return {**{name: getattr(state, name) for name in ("shape", *_STATE_FIELDS)}, "steps": steps}


def _plain_definition(text: str) -> dict[str, Any]:
    read = workflows.parse(text).document
    return {
        "id": read.id.value if read.id else "",
        "name": read.name,
        "type": read.type,
        "steps": [
            (step.span.start, *(getattr(step, name) for name in _STEP_FIELDS))
            for step in read.steps
        ],
    }


def _restore_definition(row: dict[str, Any]) -> WorkflowDefinition:
    steps = tuple(
        StepDefinition(**dict(zip(_STEP_FIELDS, step, strict=True)), span=Span(start, start))
        for start, *step in row["steps"]
    )
    id = Text(row["id"], _NO_SPAN) if row["id"] else None
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
                    transition.state,
                    transition.trigger,
                    transition.confidence,
                    transition.message,
                    [(n.name, n.arguments, n.description, n.priority) for n in transition.next],
                )
                for transition in pattern.transitions
            ],
        )
        for pattern in workflows.parse_patterns(text).document
    ]


def _restore_pattern(row: tuple[Any, ...]) -> WorkflowPattern:
    id, description, agents, commands, threshold, transitions = row
    return WorkflowPattern(
        Text(id, _NO_SPAN),
        description,
        tuple(Text(agent, _NO_SPAN) for agent in agents),
        tuple(commands),
        threshold,
        tuple(
            Transition(state, trigger, confidence, message, tuple(NextCommand(*n) for n in steps))
            for state, trigger, confidence, message, steps in transitions
        ),
    )


def _plain_chains(text: str) -> list[tuple[Any, ...]]:
    return [
        (
            chain.id.value,
            chain.name,
            chain.description,
            chain.max_rounds,
            list(map(_plain_chain_step, chain.steps)),
        )
        for chain in workflow_chains.parse(text).document
    ]


def _plain_chain_step(step: ChainStep) -> tuple[Any, ...]:
    fields = [getattr(step, name) for name in _CHAIN_STEP_FIELDS]
    return step.span.start, fields, list(map(_plain_chain_step, step.alternatives))


def _restore_chain(row: tuple[Any, ...]) -> WorkflowChain:
    id, name, description, most, steps = row
    return WorkflowChain(
        Text(id, _NO_SPAN), name, description, most, tuple(map(_restore_chain_step, steps))
    )


def _restore_chain_step(row: tuple[Any, ...]) -> ChainStep:
    start, fields, alternatives = row
    values = dict(zip(_CHAIN_STEP_FIELDS, fields, strict=True))
    return ChainStep(
        **values,
        span=Span(start, start),
        alternatives=tuple(map(_restore_chain_step, alternatives)),
    )
