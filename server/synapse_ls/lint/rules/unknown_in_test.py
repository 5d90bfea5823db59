"""A test of the tree names something that the tree does not have.

## What it does

Reports domains, rules, agents, workflows and brackets that a case of `.synapse/tests/` names and
nothing defines. Rules are not looked for in trees of more than a thousand domains.

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
from synapse_ls.lint.layers import profile_of
from synapse_ls.lint.lookup import once
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.unknown import unknown
from synapse_ls.workspace.domains import rules_in
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import kebab, snake, upper_snake
from synapse_ls.workspace.tree import Tree

MOST_DOMAINS = 1_000
"""Domains whose rules are looked through; in larger trees only the test itself tells."""


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each name that nothing has."""
    profile = profile_of(tree)
    document = facts.document
    for case in document.cases if isinstance(document, TreeTests) else ():
        for field in ("domains", "no_domains"):
            for name in case.lists.get(field, ()):
                if upper_snake(name.value) not in _domains(tree):
                    yield _missing(facts, "domain", name, _domains(tree))
        for field in ("rules", "no_rules"):
            for name in case.lists.get(field, ()):
                if not _is_rule(tree, name.value):
                    yield _missing(facts, "rule", name, _every_key(tree))
        bracket = case.named.get("bracket")
        if bracket and profile.bracket_named(bracket.value) is None:
            message = f"The profile has no bracket `{bracket.value}`, so the case fails."
            names = [known.name for known in profile.brackets]
            yield unknown(facts, bracket, message, names, f"Name one of {', '.join(names)}.")
        agent = case.named.get("agent")
        if agent and _agents(tree) and kebab(agent.value) not in _agents(tree):
            yield _missing(facts, "agent", agent, _agents(tree))
        workflow = case.named.get("workflow")
        if workflow and _workflows(tree) and snake(workflow.value) not in _workflows(tree):
            yield _missing(facts, "workflow", workflow, _workflows(tree))


def _missing(facts: FileFacts, what: str, name: Text, known: Mapping[str, str]) -> Finding:
    message = f"The tree has no {what} `{name.value}`, so the case fails."
    return unknown(facts, name, message, known.values(), f"Name one of the tree's {what}s.")


@once
def _domains(tree: Tree) -> Mapping[str, str]:
    above = (domain.label for domain in tree.scopes.domains) if tree.scopes else ()
    return {upper_snake(label): label for label in (*tree.labels, *above)}


def _is_rule(tree: Tree, name: str) -> bool:
    """Whether a rule goes by this name: its key, or in plain text its domain and line."""
    label, line, number = name.rpartition(" line ")
    if line and number.isdigit() and upper_snake(label) in _domains(tree):
        return True
    files = _rule_files(tree)
    return len(files) > MOST_DOMAINS or any(name in _keys(file) for file in files)


@once
def _rule_files(tree: Tree) -> tuple[FileFacts, ...]:
    """The files that serve the domains, each of them once."""
    files = (*(domain.file or "" for domain in tree.labels.values()), *tree.snapshot.above)
    found = map(tree.snapshot.facts, files)
    return tuple(dict.fromkeys(facts for facts in found if facts))


@once
def _keys(facts: FileFacts) -> Mapping[str, str]:
    """The keys of a file's rules, which stay as they are while other files change."""
    return {rule.key: rule.key for rule in rules_in(facts.document) if rule.key}


def _every_key(tree: Tree) -> Mapping[str, str]:
    return {name: name for file in _rule_files(tree) for name in _keys(file)}


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
        "setting": Reach.EVERYWHERE,
        "rules": Reach.EVERYWHERE,
    },
)
