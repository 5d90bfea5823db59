"""What may never be left out is longer than an agent client takes.

## What it does

Adds up the constitution, the rules of the longest bracket and non-negotiable domains that are
always on, and with them each other non-negotiable domain, and compares that with the hard limit of
agent clients.

## Why it matters

Budgets never cut these rules, but a client does: beyond its limit the agent is shown a beginning
and a path. So that it gets whole rules, the last of them are left out, and nothing in the tree says
so.

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

Claude Code keeps 10,000 characters of what a hook adds (its hooks reference); beyond that the text
goes to a file and the model gets a preview."""

from collections.abc import Iterator

from synapse_ls.formats.manifest import DomainDeclaration, Manifest
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.reply_limits import CLIENT_REPLY_LIMITS, largest_domain_size
from synapse_ls.lint.tree_lookups import declared_domains, first_line_span
from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span
from synapse_ls.workspace.tree_domains import Domain

COMMANDS_DOMAIN = "COMMANDS"  # only those that a prompt asks for are told


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield a finding where protected rules are longer than a client's limit for the output of one
    reply.
    """
    client, limit = min(CLIENT_REPLY_LIMITS.items(), key=lambda row: row[1])
    standing = tuple(_standing_domains(tree)) if facts.path == tree.manifest_path else ()
    if (base := sum(largest_domain_size(tree, domain) for domain in standing)) > limit:
        what = "What is in every block"
        # The span of the first of the domains that has a declaration.
        declared = facts.document.domains if isinstance(facts.document, Manifest) else {}
        spans = (declared[domain.name].span for domain in standing if domain.name in declared)
        yield _limit_finding(next(spans, first_line_span(facts)), what, base, client, limit)
        return
    for domain in declared_domains(tree, facts.path):
        declaration = domain.declaration
        if declaration is None or not _is_protected(declaration) or domain in standing:
            continue
        total = base + largest_domain_size(tree, domain)
        if total > limit and not (domain.builtin and domain.name == COMMANDS_DOMAIN):
            what = f"{domain.label}" if not base else f"{domain.label} with what is in every block"
            yield _limit_finding(declaration.span, what, total, client, limit)


def _limit_finding(span: Span, what: str, total: int, client: str, limit: int) -> Finding:
    """Return the finding for text that is longer than a client takes."""
    return Finding(
        span,
        f"{what} has {total:,} characters, and {client} takes {limit:,} of them.",
        "Shorten them.",
    )


def _standing_domains(tree: Tree) -> Iterator[Domain]:
    """Yield the domains of the root that are in every block and that no budget cuts."""
    for domain in tree.root.domains:
        declaration = domain.declaration
        if domain.builtin and domain.name in ("CONSTITUTION", "CONTEXT"):
            stands = domain.is_active or domain.name == "CONSTITUTION"
        else:
            is_told = domain.name == "GLOBAL" or (declaration is not None and declaration.always_on)
            stands = is_told and declaration is not None and _is_protected(declaration)
        if stands:
            yield domain


def _is_protected(declaration: DomainDeclaration) -> bool:
    """Return whether a domain is active and marked non-negotiable."""
    return (
        "NON_NEGOTIABLE" in declaration.entries
        and declaration.non_negotiable
        and declaration.is_active
    )
