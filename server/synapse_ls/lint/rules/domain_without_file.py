"""A domain is declared, but no file holds its rules.

## What it does

Reports domains of a manifest that no rule file serves, and names the file that was probably meant
to. A file is found by the domain's name in lower case, with `-` or `_`, also with `.env` or `.md`;
in a squad, the file `rules` serves a domain without a file of its own. A name that probably is another
domain's, misspelt, is told apart: it says something that the other one does not say.

## Why it matters

None of the domain's rules are injected, whatever triggers it: there are none.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testings --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

ADR-001 A5 gives every domain one file. The reference reader (`domain-loader.js`,
SynkraAI/aios-core) takes a missing one for an empty one; public trees declare dozens of domains
that way.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.lint.diagnostic import Finding, Fix, Related, Severity
from synapse_ls.lint.lookup import declared, first_line, folder_of, misnamed
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.waking import misspelt
from synapse_ls.text.edit import TextEdit
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.naming import candidates
from synapse_ls.workspace.tree import Tree


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """One finding for each domain without a file, where it is first mentioned."""
    for domain in declared(tree, facts.path):
        # A domain that is switched off may wait for its file: it is not injected either way.
        if domain.file is None and domain.declaration and domain.active:
            yield _finding(tree, facts, domain, domain.declaration.span)


def _misspelt(facts: FileFacts, domain: Domain, other: str) -> Finding:
    """What is said of a name that stands for another domain's."""
    assert domain.declaration is not None
    count = len(domain.name)
    edits = (
        (facts.path, TextEdit(Span(entry.key_start, entry.key_start + count), other))
        for entry in domain.declaration.entries.values()
    )
    return Finding(
        domain.declaration.span,
        f"{domain.name} has no file and is probably misspelt, so {other} goes without what is set here.",
        f"Write `{other}`.",
        Fix(f"Write `{other}`", safe=False, edits=tuple(edits)),
    )


def _finding(tree: Tree, facts: FileFacts, domain: Domain, span: Span) -> Finding:
    wanted = candidates(domain.name, folder_of(domain.manifest_path))[0]
    message = f"{domain.name} has no file, so none of its rules are injected."
    other = misspelt(tree.home_of(domain.manifest_path)).get(domain.name)
    if other is not None:
        return _misspelt(facts, domain, other)
    meant = misnamed(tree.home_of(domain.manifest_path)).get(domain.name)
    if meant is None:
        return Finding(span, message, f"Create the file `{wanted}`, or delete the domain.")
    name = meant.rpartition("/")[2]
    place = Related(
        meant, first_line(tree.snapshot.facts(meant)), f"Probably meant for {domain.name}."
    )
    return Finding(span, message, f"Rename the file `{name}` to `{wanted}`.", related=(place,))


RULE = TreeRule(
    code="SYN201",
    name="domain-without-file",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"file": Reach.FOLDER, "domain": Reach.FOLDER},
)
