"""A workflow in progress has other steps than its definition.

## What it does

Compares the steps of an active instance with the sequence of its workflow's definition, which they
mirror one to one when the instance begins: their number, and whose the current step is. A phase
that misspells a step of the definition is reported, too.

## Why it matters

The definition's names and task for the current step are looked up by its place in the sequence, so
those of another step are used.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .aiox-core/development/workflows/release.yaml --
workflow:
  id: release
  sequence:
    - {id: freeze, agent: devops}
    - {id: tag, agent: devops}
-- .aiox/release-20260102-abc123-state.yaml --
workflow_id: release
workflow_name: Release
instance_id: release-20260102-abc123
target_context: core
started_at: '2026-01-02T10:00:00Z'
updated_at: '2026-01-02T10:00:00Z'
status: active
current_step_index: 0
steps:
  - {step_index: 0, phase: tag, agent: devops, status: pending}
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .aiox-core/development/workflows/release.yaml --
workflow:
  id: release
  sequence:
    - {id: freeze, agent: devops}
    - {id: tag, agent: devops}
-- .aiox/release-20260102-abc123-state.yaml --
workflow_id: release
workflow_name: Release
instance_id: release-20260102-abc123
target_context: core
started_at: '2026-01-02T10:00:00Z'
updated_at: '2026-01-02T10:00:00Z'
status: active
current_step_index: 1
steps:
  - {step_index: 0, phase: freeze, agent: devops, status: completed}
  - {step_index: 1, phase: tag, agent: devops, status: pending}
```

## Evidence

The state manager of SynkraAI/aios-core makes one step of each entry of the sequence, headers and
markers included, and never looks at the definition again.
"""

from collections.abc import Iterator

from synapse_ls.engine.word_matching import slug_of
from synapse_ls.formats.workflow_definition import WorkflowDefinition
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span, unknown_name_finding
from synapse_ls.text import edit_distance, phrases
from synapse_ls.text.finding import Finding, Related


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for an active workflow instance whose steps differ from its
    definition's.
    """
    if not isinstance(state := facts.document, WorkflowState) or state.shape != "instance":
        return
    path = tree.workflows.get(state.workflow_id, "") if state.status == "active" else ""
    definition = tree.snapshot.document(path, WorkflowDefinition)
    if definition is None or not definition.steps or not state.steps:
        return
    yield from _misspelt_phases(facts, state, definition)
    difference = _step_difference(state, definition)
    place = state.root.key_node("steps") if state.root else None
    if difference and place:
        yield Finding(
            place.span,
            f"{difference}, so another step's names and task may be used.",
            "End this instance and begin a new one.",
            related=(Related(path, first_line_span(tree.snapshot.facts(path)), "The definition."),),
        )


def _misspelt_phases(
    facts: FileFacts, state: WorkflowState, definition: WorkflowDefinition
) -> Iterator[Finding]:
    """Yield one finding for each phase of a state that misspells a step of the definition."""
    names: dict[str, str] = {}
    for step in definition.steps:
        for name in filter(None, (step.phase, step.id, step.step, step.name)):
            names.setdefault(slug_of(name), name)
    root = state.root
    phases = [root.text("current_phase")] if root else []
    phases += [node.text("phase") for node in root.nodes("steps")] if root else []
    for phase in filter(None, phases):
        slug = slug_of(phase.value)
        meant = "" if slug in names else edit_distance.nearest_word(slug, names)
        if meant:
            message = (
                f"No phase of `{state.workflow_id}` is called `{phase.value}`, so no rules of a "
                "phase are injected for it."
            )
            yield unknown_name_finding(facts, phase, message, (), "", meant=names[meant])


def _step_difference(state: WorkflowState, definition: WorkflowDefinition) -> str:
    """Return how the steps of an instance differ from those of its definition, "" if they do
    not.
    """
    mine, defined = len(state.steps), len(definition.steps)
    if mine != defined:
        return f"The instance has {phrases.format_count(mine, 'step')} and its definition {defined}"
    step = state.current_step
    intended = definition.steps[step.index] if step else None
    if step and intended and step.agent and intended.agent and step.agent != intended.agent:
        return f"The current step is @{step.agent}'s and @{intended.agent}'s in the definition"
    return ""
