"""A rule file belongs to no domain.

## What it does

Reports files in a tree's folder that no domain of its manifest is named after. A file that is
probably meant for a domain without a file is reported at that domain instead. Where the folder has
no manifest that can be read, its first file is reported for all of them. Of two files that are named
after one domain, the one that is not read is reported.

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
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.lint.diagnostic import Finding, Related, Severity
from synapse_ls.lint.lookup import first_line, folder_of, meant_files
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.text.near import distance
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.folders import CARL, CARL_FILE
from synapse_ls.workspace.kinds import RULE_KINDS
from synapse_ls.workspace.naming import candidates, domain_of_file, rule_file_stem
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for a file that no domain claims."""
    home = tree.home_of(facts.path)
    if facts.path in home.served or facts.path in meant_files(home):
        return
    folder = folder_of(facts.path)
    if tree.manifest_path == CARL_FILE and folder == tree.folder:
        yield Finding(
            first_line(facts),
            "CARL v2 reads `carl.json` and no other file, so none of these rules are injected.",
            "Delete the file, or `carl.json` where this is what is wanted.",
        )
        return
    if tree.snapshot.facts(f"{folder}/manifest") is None:
        strays = [path for path in home.orphans if folder_of(path) == folder]
        meant = [path for path in strays if _is_named_like_one(path)]
        if meant:
            if meant[0] == facts.path:
                yield _misnamed_manifest(facts, folder)
            return
        if strays[:1] in ([], [facts.path]):
            yield _without_manifest(facts, folder, len(strays))
        return
    domain = domain_of_file(facts.path)
    found_as = candidates(domain, folder)
    if folder == CARL and rule_file_stem(facts.path) not in found_as and domain not in tree.labels:
        yield Finding(
            first_line(facts),
            f"CARL looks for {domain} in `{found_as[0]}`, so none of these rules are injected.",
            f"Rename the file to `{found_as[0]}`, and declare {domain} in the manifest.",
        )
        return
    instead = next((d.file for d in home.domains if d.name == domain and d.file), None)
    yield (
        _beside(facts, domain, tree.snapshot.facts(instead))
        if instead
        else Finding(
            first_line(facts),
            f"No domain of the manifest is called {domain}, so none of these rules are injected.",
            f"Declare {domain} in the manifest with what brings it in, or delete the file.",
        )
    )


def _beside(facts: FileFacts, domain: str, other: FileFacts | None) -> Finding:
    """What is said of a second file of a domain, of which only one is read."""
    assert other is not None
    name = other.path.rpartition("/")[2]
    return Finding(
        first_line(facts),
        f"`{name}` is read for {domain} instead of this file, so none of these rules are injected.",
        f"Move what is worth keeping to `{name}`, and delete this file.",
        related=(Related(other.path, first_line(other), f"This file is read for {domain}."),),
    )


def _is_named_like_one(path: str) -> bool:
    """Whether a file is a manifest under a name that is a slip away."""
    return distance(rule_file_stem(path).casefold(), "manifest", 2) <= 2


def _misnamed_manifest(facts: FileFacts, folder: str) -> Finding:
    """What is said of the file that was meant, once for the folder."""
    return Finding(
        first_line(facts),
        f"This file is not read as {folder}/manifest, so nothing in the folder is ever injected for it.",
        "Rename it to `manifest`.",
    )


def _without_manifest(facts: FileFacts, folder: str, count: int) -> Finding:
    """What is said once for a folder whose rules nothing declares."""
    files = f"none of the {count} rule files beside it is" if count > 1 else "this rule file is not"
    return Finding(
        first_line(facts),
        f"There is no {folder}/manifest that can be read, so {files} ever injected.",
        f"Create it with lines such as {domain_of_file(facts.path)}_STATE=active.",
    )


RULE = TreeRule(
    code="SYN202",
    name="file-without-domain",
    severity=Severity.WARNING,
    kinds=RULE_KINDS,
    check=check,
    reads={"domain": Reach.SERVED, "file": Reach.FOLDER},
)
