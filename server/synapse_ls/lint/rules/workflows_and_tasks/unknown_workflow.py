"""The state of a workflow names a workflow that does not exist.

## What it does

Reports the `workflow_id` of an active or paused instance that no workflow definition, workflow
pattern or alias has as an id, where workflows were found at all. Spelling in kebab-case or
snake_case makes no difference.

## Why it matters

Steps cannot be looked up, so the phase's other names and the step's task stay unknown, and a domain
that waits for the workflow by its right name never comes in.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .aiox-core/development/workflows/release.yaml --
workflow: {id: release, sequence: []}
-- .aiox/release-20260102-abc123-state.yaml --
workflow_id: relaese
workflow_name: Release
instance_id: release-20260102-abc123
target_context: core
started_at: '2026-01-02T10:00:00Z'
updated_at: '2026-01-02T10:00:00Z'
status: active
current_step_index: 0
steps: []
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .aiox-core/development/workflows/release.yaml --
workflow: {id: release, sequence: []}
-- .aiox/release-20260102-abc123-state.yaml --
workflow_id: release
workflow_name: Release
instance_id: release-20260102-abc123
target_context: core
started_at: '2026-01-02T10:00:00Z'
updated_at: '2026-01-02T10:00:00Z'
status: active
current_step_index: 0
steps: []
```

## Evidence

The state manager of SynkraAI/aios-core writes the id of the definition that an instance follows.

## Fix

The id that was probably meant is put in its place. What is injected changes.
"""

from collections.abc import Iterator

from synapse_ls.formats.config_settings import Config
from synapse_ls.formats.toml_document import key_positions
from synapse_ls.formats.workflow_state import WorkflowState
from synapse_ls.lint import tree_lookups
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Text


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a running workflow instance whose workflow does not exist, and for bad
    aliases.
    """
    if isinstance(state := facts.document, Config):
        yield from _alias_findings(tree, facts, state)
    if not isinstance(state, WorkflowState) or state.status not in ("active", "paused"):
        return
    name = state.root.text("workflow_id") if state.root and state.shape == "instance" else None
    if (
        name
        and tree_lookups.has_workflows(tree)
        and not tree_lookups.is_workflow_defined(tree, name.value)
    ):
        message = f"No workflow is called `{name.value}`, so nothing is known of its steps."
        names = tree_lookups.known_workflow_names(tree)
        remedy = "Write the id of a workflow, or name it an alias."
        yield tree_lookups.unknown_name_finding(facts, name, message, names, remedy)


def _alias_findings(tree: Tree, facts: FileFacts, config: Config) -> Iterator[Finding]:
    """Yield one finding for each workflow alias of the configuration that leads to no workflow."""
    if not config.workflow.aliases or not tree_lookups.has_workflows(tree):
        return
    where = key_positions(facts.text)
    for other, name in config.workflow.aliases.items():
        place = where.get(("workflow", "aliases", other))
        if place and name and not tree_lookups.is_workflow_defined(tree, name):
            message = f"No workflow is called `{name}`, so the alias `{other}` has no effect."
            names = tuple(
                n for n in tree_lookups.known_workflow_names(tree) if n not in (other, name)
            )
            yield tree_lookups.unknown_name_finding(
                facts, Text(name, place.value), message, names, "Write the id of a workflow."
            )
