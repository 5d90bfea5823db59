"""What may never be left out is longer than an agent client takes.

## What it does

Adds up the constitution, the rules of the longest bracket and non-negotiable domains that are always on,
and with them each other non-negotiable domain, and compares that with the hard limit of agent clients.

## Why it matters

Budgets never cut these rules, but a client does: beyond its limit the agent is shown a beginning and a
path. So that it gets whole rules, the last of them are left out, and nothing in the tree says so.

## Example

```bad
-- .synapse/config.toml --
profile = "synapse-live"
-- .synapse/manifest --
RELEASE_STATE=active
RELEASE_NON_NEGOTIABLE=true
RELEASE_RECALL=release
-- .synapse/release ×150 --
RELEASE_RULE_0=Step 0: write down who did it, when it was done, and how it was seen to work.
```

```good
-- .synapse/config.toml --
profile = "synapse-live"
-- .synapse/manifest --
RELEASE_STATE=active
RELEASE_NON_NEGOTIABLE=true
RELEASE_RECALL=release
-- .synapse/release ×20 --
RELEASE_RULE_0=Step 0: write down who did it, when it was done, and how it was seen to work.
```

## Evidence

Claude Code keeps 10,000 characters of what a hook adds (its hooks reference); beyond that the text goes
to a file and the model gets a preview.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.manifest import Declaration, Manifest
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.lookup import declared, first_line
from synapse_ls.lint.rule import Reach, TreeRule
from synapse_ls.lint.sizes import HARD_LIMITS, size
from synapse_ls.text.span import Span
from synapse_ls.workspace.domains import Domain
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind
from synapse_ls.workspace.tree import Tree

ONE_BY_ONE = "COMMANDS"  # only those that a prompt asks for are told


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """A finding at the constitution if what always stands is too long, else at each domain."""
    client, limit = min(HARD_LIMITS.items(), key=lambda row: row[1])
    standing = tuple(_standing(tree)) if facts.path == tree.manifest_path else ()
    base = sum(size(tree, domain) for domain in standing)
    if base > limit:
        what = "The constitution, the rules of the bracket and what is non-negotiable"
        yield _finding(_place(facts, standing), what, base, client, limit)
        return
    for domain in declared(tree, facts.path):
        said = domain.declaration
        if said is None or not _is_protected(said) or domain in standing:
            continue
        total = base + size(tree, domain)
        if total > limit and not (domain.builtin and domain.name == ONE_BY_ONE):
            beside = " and what stands in every block" if base else ""
            what = f"The non-negotiable rules of {domain.label}{beside}"
            yield _finding(said.span, what, total, client, limit)


def _finding(span: Span, what: str, total: int, client: str, limit: int) -> Finding:
    return Finding(
        span,
        f"{what} have {total:,} characters and {client} takes {limit:,}, so the last of them are left "
        "out there.",
        "Shorten them.",
    )


def _standing(tree: Tree) -> Iterator[Domain]:
    """The domains of the root that no budget cuts and that are in every block."""
    for domain in tree.root.domains:
        said = domain.declaration
        if domain.builtin and domain.name in ("CONSTITUTION", "CONTEXT"):
            stands = domain.active or domain.name == "CONSTITUTION"
        else:
            is_told = domain.name == "GLOBAL" or (said is not None and said.always_on)
            stands = is_told and said is not None and _is_protected(said)
        if stands:
            yield domain


def _is_protected(said: Declaration) -> bool:
    return "NON_NEGOTIABLE" in said.entries and said.non_negotiable and said.active


def _place(facts: FileFacts, standing: tuple[Domain, ...]) -> Span:
    """The declaration of the first domain concerned that has one."""
    declared = facts.document.domains if isinstance(facts.document, Manifest) else {}
    found = (declared[domain.name].span for domain in standing if domain.name in declared)
    return next(found, first_line(facts))


RULE = TreeRule(
    code="SYN407",
    name="output-over-limit",
    severity=Severity.ERROR,
    kinds=frozenset({FileKind.MANIFEST}),
    check=check,
    reads={"content": Reach.FOLDER, "file": Reach.FOLDER},
)
