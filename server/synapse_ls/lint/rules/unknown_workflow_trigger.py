"""A domain waits for a workflow that does not exist.

## What it does

Reports values of `_WORKFLOW_TRIGGER` that no workflow definition, workflow pattern or alias has as
an id, where workflows were found at all. Spelling in kebab-case or snake_case makes no difference,
and the ids that the framework's own trees use are known.

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

from synapse_ls.engine.aliases import WORKFLOWS
from synapse_ls.engine.plan import slug_of
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.fixes import one
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.triggers import Trigger, triggers_of
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.keys import key
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import near_misses
from synapse_ls.workspace.snapshot import Snapshot
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each trigger of an active domain that names no workflow."""
    snapshot = tree.snapshot
    if not snapshot.paths(FileKind.WORKFLOW) and not snapshot.paths(FileKind.PATTERNS):
        return
    aliases = _aliases(snapshot)
    for trigger in triggers_of(facts, "WORKFLOW_TRIGGER"):
        slug = slug_of(trigger.id)
        names = {slug, aliases.get(slug, slug)}
        names |= {other for other, target in aliases.items() if target in names}
        if not any(_is_known(snapshot, name) for name in names):
            yield _finding(facts, trigger, near_misses(trigger.id, (*_defined(snapshot), *aliases)))


def _is_known(snapshot: Snapshot, name: str) -> bool:
    """Whether a definition or pattern has the id, or an instance of it is there."""
    workflow = key("workflow", name)
    mentions = (snapshot.facts(path) for path in snapshot.referrers(workflow))
    return bool(snapshot.definers(workflow)) or any(
        facts is not None and facts.kind is FileKind.WORKFLOW_STATE for facts in mentions
    )


def _aliases(snapshot: Snapshot) -> dict[str, str]:
    own = snapshot.config.workflow_aliases
    return WORKFLOWS | {slug_of(other): slug_of(name) for other, name in own.items()}


def _defined(snapshot: Snapshot) -> Iterator[str]:
    """The ids of definitions and patterns, as they are written."""
    for kind in (FileKind.WORKFLOW, FileKind.PATTERNS):
        for path in snapshot.paths(kind):
            facts = snapshot.facts(path)
            yield from (
                (d.key[1] for d in facts.definitions if d.key[0] == "workflow") if facts else ()
            )


def _finding(facts: FileFacts, trigger: Trigger, meant: tuple[str, ...]) -> Finding:
    message = f"No workflow is called `{trigger.id}`, so none ever brings {trigger.domain} in."
    if not meant:
        return Finding(trigger.span, message, "Write the id of a workflow, or name it an alias.")
    write = f"Write `{meant[0]}`"
    fix = one(facts, write, trigger.span, meant[0], safe=False)
    return Finding(trigger.span, message, f"{write}.", fix)


RULE = TreeRule(
    code="SYN304",
    name="unknown-workflow-trigger",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"workflow": Reach.EVERYWHERE, "setting": Reach.EVERYWHERE},
)
