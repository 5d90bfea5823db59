"""A rule file belongs to no domain.

## What it does

Reports files in a tree's folder that no domain of its manifest is named after. A file that is
probably meant for a domain without a file is reported at that domain instead.

## Why it matters

Nothing can bring the file in, so none of its rules are ever injected.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
-- .synapse/house-style --
HOUSE_STYLE_RULE_0=Write British English.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
HOUSE_STYLE_STATE=active
HOUSE_STYLE_ALWAYS_ON=true
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
-- .synapse/house-style --
HOUSE_STYLE_RULE_0=Write British English.
```

## Evidence

ADR-001 A6: the manifest is the registry of domains. The SYNAPSE reference tree itself once carried
an unregistered `my-custom-rules`.

## Fix

The domain is added to the manifest, switched on; a trigger is left to its author.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.lint.diagnostic import Finding, Fix, Severity
from synapse_ls.lint.fixes import line_break, one
from synapse_ls.lint.lookup import first_line, folder_of, meant_files
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import RULE_KINDS
from synapse_ls.workspace.naming import domain_of_file
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for a file that no domain claims."""
    if facts.path in tree.served or facts.path in meant_files(tree):
        return
    domain = domain_of_file(facts.path)
    yield Finding(
        first_line(facts),
        f"No domain of the manifest is called {domain}, so none of these rules are injected.",
        f"Declare {domain} in the manifest, or delete the file.",
        _declare(tree, facts, domain),
    )


def _declare(tree: Tree, facts: FileFacts, domain: str) -> Fix | None:
    manifest = tree.snapshot.facts(f"{folder_of(facts.path)}/manifest")
    if manifest is None:
        return None
    text = manifest.text
    end = line_break(text)
    before = "" if not text or text.endswith(("\n", "\r")) else end
    new = f"{before}{domain}_STATE=active{end}"
    return one(
        manifest, f"Declare {domain} in the manifest", Span(len(text), len(text)), new, safe=False
    )


RULE = TreeRule(
    code="SYN202",
    name="file-without-domain",
    severity=Severity.WARNING,
    kinds=RULE_KINDS,
    check=check,
    reads={"domain": Reach.FOLDER, "file": Reach.FOLDER},
)
