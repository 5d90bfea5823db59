"""A domain waits for a workflow that does not exist.

## What it does

Reports values of `_WORKFLOW_TRIGGER` that no workflow definition, workflow pattern or alias has as
an id, where workflows were found at all; where none were, misspelt ids of the framework's own. Spelling
in kebab-case or snake_case makes no difference, and the ids that the framework's own trees use are
known. A list of ids is always reported: a domain waits for one workflow.

## Why it matters

A workflow in progress never brings the domain in: its id never equals this one.

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

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.engine.plan import slug_of
from synapse_ls.lint import workflows
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.triggers import listed, triggers_of
from synapse_ls.lint.unknown import misspelt, unknown
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each trigger of an active domain that names no workflow."""
    found_any = workflows.any_known(tree)
    for trigger in triggers_of(facts, "WORKFLOW_TRIGGER"):
        domain, name = trigger.domain, trigger.id.value
        several = listed(trigger, "workflow")
        if several:
            yield several
            continue
        without = () if found_any else workflows.names_without_files(tree)
        meant = misspelt(slug_of(name), without)
        if not (meant or found_any) or workflows.is_defined(tree, name) or _is_running(tree, name):
            continue
        message = f"No workflow is called `{name}`, so none ever brings {domain} in."
        names = workflows.known_names(tree) if found_any else (meant,)
        remedy = "Write the id of a workflow, or name it an alias."
        yield unknown(facts, trigger.id, message, names, remedy)


def _is_running(tree: Tree, workflow: str) -> bool:
    """Whether an instance of the workflow is there, wherever its definition is."""
    for name in workflows.names_of(tree, workflow):
        mentions = map(tree.snapshot.facts, tree.snapshot.referrers(key("workflow", name)))
        if any(found and found.kind is FileKind.WORKFLOW_STATE for found in mentions):
            return True
    return False


RULE = TreeRule(
    code="SYN304",
    name="unknown-workflow-trigger",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"workflow": Reach.EVERYWHERE, "setting": Reach.EVERYWHERE},
)
