"""A rule file has the name of a file of secrets.

## What it does

Reports rule files that end in `.env` and serve a domain that is switched on.

## Why it matters

The file is read. But most `.gitignore` files leave `*.env` out of a repository, so that everybody
else goes without the rules, and many agents are forbidden to open such files.

## Example

```bad
-- .carl/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .carl/testing.env --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .carl/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .carl/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

CARL v1 takes `.env` off the name of a rule file, and no other ending. The templates of
github/gitignore for Node, Python and others ignore `.env` files."""

from collections.abc import Iterator

from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.lint.tree_lookups import first_line_span
from synapse_ls.text.finding import Finding

_ENDING = ".env"


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for a rule file that is named like an ``.env`` file of secrets, on its
    first line.
    """
    if not facts.path.endswith(_ENDING):
        return
    name = facts.path.rpartition("/")[2]
    if any(domain.is_active for domain in tree.domains_of_file(facts.path)):
        yield Finding(
            first_line_span(facts),
            f"`{name}` looks like a file of secrets, which Git often ignores and agents may not "
            "open.",
            f"Rename it to `{name.removesuffix(_ENDING)}`.",
        )
