"""Two squads, or a squad and the root, have domains of one name.

## What it does

Reports a squad whose folder has the same prefix as another's (`etl` and `etl-squad` are both
`ETL`), and a squad's domain whose full name is that of a domain of the root.

## Why it matters

In rule keys, session overrides and explanations the name means the first one only, so the other
cannot be switched, and its rules look the same.

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

from collections.abc import Iterator, Mapping

from synapse_ls.lint.lint_rule import FileFacts, FileKind, Tree, weak_cache
from synapse_ls.lint.tree_lookups import declared_domains, first_line_span
from synapse_ls.text.finding import Finding, Related
from synapse_ls.workspace.tree_domains import Domain, Home, Squad

_REMEDY = "Give one of them another name."


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a squad whose name collides with another one; else one for each of its
    domains whose name does.
    """
    if (squad := tree.home_of(facts.path).squad) is None:
        return
    first = next(other for other in tree.squads if other.namespace == squad.namespace)
    if first is not squad:
        if facts.path == _squad_file(squad):
            path = _squad_file(first)
            place = first_line_span(tree.snapshot.facts(path))
            yield Finding(
                first_line_span(facts),
                f"Domains of {first.path} begin with {squad.namespace}_ too, so those of this "
                "squad look the same.",
                _REMEDY,
                related=(Related(path, place, "The first one is here."),),
            )
        return
    for domain in declared_domains(tree, facts.path) if facts.kind is FileKind.MANIFEST else ():
        other = _root_domains(tree.root).get(domain.label)
        declaration = domain.declaration
        if other is None or declaration is None or other.declaration is None:
            continue
        if squad.extends == "override" and domain.name == other.name:
            continue
        yield Finding(
            declaration.span,
            f"The root has a domain {domain.label} too, so by that name this one cannot be meant.",
            _REMEDY,
            related=(Related(other.manifest_path, other.declaration.span, "The root's."),),
        )


@weak_cache
def _root_domains(root: Home) -> Mapping[str, Domain]:
    """Return the root's domains by label, the first of two with the same label."""
    return {domain.label: domain for domain in reversed(root.domains)}


def _squad_file(squad: Squad) -> str:
    """Return the path of the file that makes a folder a squad."""
    return squad.yaml_path or squad.manifest_path
