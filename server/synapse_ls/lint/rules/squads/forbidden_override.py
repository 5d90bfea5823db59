"""A squad is to override what cannot be overridden.

## What it does

Reports domains of a squad with `extends: override` that are called like the constitution, the
context rules, or a domain that the root's manifest marks `_NON_NEGOTIABLE=true`.

## Why it matters

The root's rules stay. Those of the squad are added under the squad's name instead of replacing
them.

## Example

```bad
-- .synapse/constitution --
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
-- squads/etl-squad/.synapse/manifest --
ETL_EXTENDS=override
CONSTITUTION_STATE=active
-- squads/etl-squad/.synapse/constitution --
CONSTITUTION_RULE_ART1_0=Speed First (NON-NEGOTIABLE)
```

```good
-- .synapse/constitution --
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
-- squads/etl-squad/.synapse/manifest --
ETL_EXTENDS=override
PIPELINE_STATE=active
PIPELINE_ALWAYS_ON=true
-- squads/etl-squad/.synapse/pipeline --
PIPELINE_RULE_0=Load in batches.
```

## Evidence

ADR-001 E1: the constitution is non-negotiable and can never be switched off. The manifest of
SynkraAI/aios-core marks what is with `_NON_NEGOTIABLE`.
"""

from collections.abc import Iterator

from synapse_ls.engine.systems.synapse.compiler import NOT_OVERRIDABLE
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import declared_domains
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.naming_conventions import squad_prefix


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each domain of an overriding squad that is protected in the root."""
    if (squad := tree.home_of(facts.path).squad) is None or squad.extends != "override":
        return
    protected = {
        domain.name: "is marked non-negotiable"
        for domain in tree.root.domains
        if domain.declaration and domain.declaration.non_negotiable
    } | dict.fromkeys(NOT_OVERRIDABLE, "always holds")
    for domain in declared_domains(tree, facts.path):
        bare = domain.name.removeprefix(f"{squad_prefix(squad.folder)}_")
        name = next((name for name in (domain.name, bare) if name in protected), "")
        if name and domain.is_active and domain.declaration:
            yield Finding(
                domain.declaration.span,
                f"{name} of the root {protected[name]}, so {domain.label} is added to it and "
                "overrides nothing.",
                "Give the domain another name.",
            )
