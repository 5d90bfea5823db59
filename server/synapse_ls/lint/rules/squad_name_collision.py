"""Two squads, or a squad and the root, have domains of one name.

## What it does

Reports a squad whose folder stands for the same prefix as another's (`etl` and `etl-squad` are both
`ETL`), and a squad's domain whose full name is that of a domain of the root.

## Why it matters

In rule keys, session overrides and explanations the name means the first one only, so the other cannot
be switched, and its rules cannot be told apart.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl/squad.yaml --
name: etl
version: 1.0.0
-- squads/etl-squad/squad.yaml --
name: etl-squad
version: 1.0.0
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- squads/etl/squad.yaml --
name: etl
version: 1.0.0
-- squads/etl-archive-squad/squad.yaml --
name: etl-archive-squad
version: 1.0.0
```

## Evidence

ADR-001 R5: the squad's name before its domains, as in `ETL_PIPELINE`, is what keeps them apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from synapse_ls.lint.diagnostic import Finding, Related, Severity
from synapse_ls.lint.lookup import declared, first_line, once
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.home import Home
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.squads import Squad
from synapse_ls.workspace.tree import Tree

_REMEDY = "Give one of them another name."


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for a squad whose name is taken; else one for each of its domains whose name is."""
    squad = tree.home_of(facts.path).squad
    if squad is None:
        return
    first = _first(tree)[squad.namespace]
    if first is not squad:
        if facts.path == _file(squad):
            yield _squads(tree, facts, first, squad)
    elif facts.kind is FileKind.MANIFEST:
        yield from _domains(tree, facts)


@once
def _first(tree: Tree) -> Mapping[str, Squad]:
    """The squad that a prefix means: the first by folder."""
    found: dict[str, Squad] = {}
    for squad in tree.squads:
        found.setdefault(squad.namespace, squad)
    return found


@once
def _of_root(root: Home) -> Mapping[str, Domain]:
    """The root's domains by label; of two with the same label the first."""
    return {domain.label: domain for domain in reversed(root.domains)}


def _file(squad: Squad) -> str:
    """The file that makes a folder a squad."""
    return squad.yaml_path or squad.manifest_path


def _squads(tree: Tree, facts: FileFacts, first: Squad, squad: Squad) -> Finding:
    there = _file(first)
    return Finding(
        first_line(facts),
        f"Domains of {first.path} begin with {squad.namespace}_ too, so those of this squad cannot "
        "be told apart from them.",
        _REMEDY,
        related=(Related(there, first_line(tree.snapshot.facts(there)), "The first one is here."),),
    )


def _domains(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    for domain in declared(tree, facts.path):
        other = _of_root(tree.root).get(domain.label)
        said = domain.declaration
        if other is None or said is None or other.declaration is None:
            continue
        overrides = tree.home_of(facts.path).squad
        if overrides and overrides.extends == "override" and domain.name == other.name:
            continue
        yield Finding(
            said.span,
            f"The root has a domain {domain.label} too, so by that name this one cannot be meant.",
            _REMEDY,
            related=(Related(other.manifest_path, other.declaration.span, "The root's."),),
        )


RULE = TreeRule(
    code="SYN604",
    name="squad-name-collision",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.SQUAD, FileKind.MANIFEST}),
    check=check,
    reads={"squad": Reach.EVERYWHERE, "domain": Reach.FOLDER},
)
