"""A rule file belongs to no domain.

## What it does

Reports files in a tree's folder that no domain of its manifest is named after. A file that is
probably meant for a domain without a file is reported at that domain instead. Where the folder has
no manifest that can be read, its first file is reported for all of them.

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
    home = tree.home_of(facts.path)
    if facts.path in home.served or facts.path in meant_files(home):
        return
    folder = folder_of(facts.path)
    if tree.snapshot.facts(f"{folder}/manifest") is None:
        strays = [path for path in home.orphans if folder_of(path) == folder]
        if strays[:1] in ([], [facts.path]):
            yield _without_manifest(facts, folder, len(strays))
        return
    domain = domain_of_file(facts.path)
    yield Finding(
        first_line(facts),
        f"No domain of the manifest is called {domain}, so none of these rules are injected.",
        f"Declare {domain} in the manifest, or delete the file.",
        _declare(tree, facts, domain),
    )


def _without_manifest(facts: FileFacts, folder: str, count: int) -> Finding:
    """What is said once for a folder whose rules nothing declares."""
    files = f"none of the {count} rule files beside it is" if count > 1 else "this rule file is not"
    return Finding(
        first_line(facts),
        f"There is no {folder}/manifest that can be read, so {files} ever injected.",
        f"Create it with lines such as {domain_of_file(facts.path)}_STATE=active.",
    )


def _declare(tree: Tree, facts: FileFacts, domain: str) -> Fix:
    manifest = tree.snapshot.facts(f"{folder_of(facts.path)}/manifest")
    assert manifest is not None
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
