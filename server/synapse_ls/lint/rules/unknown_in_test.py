"""A test of the tree names something that the tree does not have.

## What it does

Reports domains, agents and workflows that a case of `.synapse/tests/` names and nothing
defines.

## Why it matters

The case can only fail, whatever the block says.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/tests/prompts.toml --
[[case]]
name = "the language is told"
domains = ["GLOBL"]
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/tests/prompts.toml --
[[case]]
name = "the language is told"
domains = ["GLOBAL"]
```

## Evidence

The table of fields in the user guide.

## Fix

The name that was probably meant is put in its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.formats.problem import Text
from synapse_ls.formats.tree_tests import TreeTests
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lookup import once
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.unknown import unknown
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import kebab, snake, upper_snake
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each name that nothing has."""
    document = facts.document
    for case in document.cases if isinstance(document, TreeTests) else ():
        for field in ("domains", "no_domains"):
            for name in case.lists.get(field, ()):
                if upper_snake(name.value) not in _domains(tree):
                    yield _missing(facts, "domain", name, _domains(tree))
        agent = case.named.get("agent")
        if agent and _agents(tree) and kebab(agent.value) not in _agents(tree):
            yield _missing(facts, "agent", agent, _agents(tree))
        workflow = case.named.get("workflow")
        if workflow and _workflows(tree) and snake(workflow.value) not in _workflows(tree):
            yield _missing(facts, "workflow", workflow, _workflows(tree))


def _missing(facts: FileFacts, what: str, name: Text, known: Mapping[str, str]) -> Finding:
    message = f"The tree has no {what} `{name.value}`, so the case fails."
    return unknown(facts, name, message, known.values(), f"Name a {what} of the tree.")


@once
def _domains(tree: Tree) -> Mapping[str, str]:
    return {upper_snake(label): label for label in tree.labels}


@once
def _agents(tree: Tree) -> Mapping[str, str]:
    """The agents that are defined, or that a domain waits for."""
    waited = (d.declaration.agent_trigger for d in tree.labels.values() if d.declaration)
    return {kebab(name): name for name in (*tree.agents, *waited) if name}


@once
def _workflows(tree: Tree) -> Mapping[str, str]:
    waited = (d.declaration.workflow_trigger for d in tree.labels.values() if d.declaration)
    return {snake(name): name for name in (*tree.workflows, *waited) if name}


RULE = TreeRule(
    code="SYN209",
    name="unknown-in-test",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.TESTS}),
    check=check,
    reads={
        "domain": Reach.EVERYWHERE,
        "file": Reach.EVERYWHERE,
        "agent": Reach.EVERYWHERE,
        "workflow": Reach.EVERYWHERE,
    },
)
