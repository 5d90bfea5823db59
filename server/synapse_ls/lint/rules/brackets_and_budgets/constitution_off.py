"""The constitution is switched off, which is not possible.

## What it does

Reports a state of CONSTITUTION that is not active, where there are articles.

## Why it matters

The setting is ignored: the articles are injected with every prompt, whatever the manifest says.

## Example

```bad
-- .synapse/manifest --
CONSTITUTION_STATE=inactive
-- .synapse/constitution --
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
CONSTITUTION_RULE_ART1_1=MUST: Write the failing test first.
```

```good
-- .synapse/manifest --
CONSTITUTION_STATE=active
-- .synapse/constitution --
CONSTITUTION_RULE_ART1_0=Tests First (NON-NEGOTIABLE)
CONSTITUTION_RULE_ART1_1=MUST: Write the failing test first.
```

## Evidence

ADR-001 E1: the constitution is injected always and cannot be disabled.

## Fix

The state is set to what it is in effect, `active`.
"""

from collections.abc import Iterator

from synapse_ls.formats.manifest import Manifest
from synapse_ls.lint.fixes import word_fix
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.tree_folders import MANIFEST


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield a finding at the state of CONSTITUTION in the root's manifest, where there are
    articles.
    """
    manifest = facts.document
    if facts.path != MANIFEST or not isinstance(manifest, Manifest):
        return
    declaration = manifest.domains.get("CONSTITUTION")
    domain = tree.domains_by_label.get("CONSTITUTION")
    # Where nothing is injected nothing is ignored.
    if declaration is None or declaration.is_active or domain is None or not tree.rules_of(domain):
        return
    span = declaration.entries["STATE"].value.span
    yield Finding(
        span,
        "The constitution cannot be switched off, so its articles are still injected.",
        "Write `active`.",
        word_fix(facts, span, "active", safe=True),
    )
