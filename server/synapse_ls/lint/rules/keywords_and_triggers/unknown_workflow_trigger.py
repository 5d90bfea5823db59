"""A domain waits for a workflow whose name is misspelt.

## What it does

Reports values of `_WORKFLOW_TRIGGER` that misspell, beyond doubt, the id that a workflow
definition, a workflow pattern or an alias has, or one of the framework's own. A name that is like
no other one may well be that of a workflow in progress. Spelling in kebab-case or snake_case makes
no difference, and the ids that the framework's own trees use are known. A list of ids is always
reported: a domain waits for one workflow.

## Why it matters

The workflow that was meant does not activate the domain when it is in progress: its id never equals
this one.

## Example

```bad
-- .synapse/manifest --
WORKFLOW_RELEASE_STATE=active
WORKFLOW_RELEASE_WORKFLOW_TRIGGER=relaese_train
-- .synapse/workflow-release --
WORKFLOW_RELEASE_RULE_0=Tag the release first.
-- .aiox-core/development/workflows/release-train.yaml --
workflow:
  id: release-train
  sequence: []
```

```good
-- .synapse/manifest --
WORKFLOW_RELEASE_STATE=active
WORKFLOW_RELEASE_WORKFLOW_TRIGGER=release_train
-- .synapse/workflow-release --
WORKFLOW_RELEASE_RULE_0=Tag the release first.
-- .aiox-core/development/workflows/release-train.yaml --
workflow:
  id: release-train
  sequence: []
```

## Evidence

ADR-001 E5. SynkraAI/aios-core writes triggers with the ids of `data/workflow-patterns.yaml`, while
its workflow files and their states have ids of their own; both count here.

## Fix

The id that was probably meant is put in its place. What is injected changes.
"""

from collections.abc import Iterator

from synapse_ls.engine.word_matching import slug_of
from synapse_ls.lint import tree_lookups
from synapse_ls.lint.domain_triggers import domain_triggers, id_list_finding
from synapse_ls.lint.lint_rule import FileFacts, FileKind, Tree
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.fact_extraction import make_key


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each trigger of an active domain that misspells the name of
    a workflow.
    """
    aliases = tree_lookups.workflow_aliases(tree)
    names = {alias: alias for alias in (*aliases, *aliases.values())}
    names |= {slug_of(name): name for name in tree_lookups.known_workflow_names(tree)}
    for trigger in domain_triggers(facts, "WORKFLOW_TRIGGER"):
        domain, name = trigger.domain, trigger.id.value

        def brings_in(workflow: str, trigger: str = name) -> bool:
            return slug_of(trigger) in tree_lookups.workflow_names(tree, workflow)

        if several := id_list_finding(facts, trigger, "workflow", brings_in):
            yield several
            continue
        meant_name = names.get(tree_lookups.misspelt_name(slug_of(name), tuple(names)), "")
        if (
            not meant_name
            or tree_lookups.is_workflow_defined(tree, name)
            or _is_running(tree, name)
        ):
            continue
        message = (
            f"No workflow is called `{name}`, so {domain} is not activated for `{meant_name}`."
        )
        yield tree_lookups.unknown_name_finding(
            facts, trigger.id, message, (meant_name,), f"Write `{meant_name}`.", meant=meant_name
        )


def _is_running(tree: Tree, workflow: str) -> bool:
    """Return whether a state file has an instance of the workflow, wherever its definition is."""
    keys = (make_key("workflow", name) for name in tree_lookups.workflow_names(tree, workflow))
    paths = (path for key in keys for path in tree.snapshot.referring_paths(key))
    mentions = map(tree.snapshot.facts, paths)
    return any(mention and mention.kind is FileKind.WORKFLOW_STATE for mention in mentions)
