"""Nothing can activate a domain.

## What it does

Reports active domains with rules that are not always on and wait for no agent, no workflow, no
keyword, no file and no number of turns or tokens. Where a line of the domain is reported as
misspelt or misplaced, that is all that is said. Domains of a squad come in with it and need no
trigger.

## Why it matters

The domain looks switched on, and none of its rules is ever injected.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_EXCLUDE=manual
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
TESTING_EXCLUDE=manual
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

SYNAPSE Context Brackets and ADR-001 A6: a domain comes in by `_ALWAYS_ON`, a trigger or its recall;
the state alone activates nothing."""

from collections.abc import Iterator

from synapse_ls.lint import domain_triggers, tree_lookups
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding
from synapse_ls.workspace.naming_conventions import kebab_case


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each domain that nothing can bring in, where it is first mentioned."""
    for domain in tree_lookups.declared_domains(tree, facts.path):
        if (declaration := domain.declaration) is None:
            continue
        recall = declaration.entries.get("RECALL")
        lacks_state = not declaration.is_active and "STATE" not in declaration.entries
        if domain.exact and lacks_state and recall and recall.items:
            yield Finding(
                declaration.span,
                f"CARL takes {domain.name} for inactive, because it has no `_STATE`, so its "
                "keywords activate nothing.",
                f"Write `{domain.name}_STATE=active`.",
            )
        if not domain.file or not domain_triggers.is_dormant(domain):
            continue
        values = tree_lookups.misspelt_domains(tree.home_of(facts.path)).values()
        rule_file = tree.snapshot.facts(domain.file)
        problems = {problem.kind for problem in rule_file.problems} if rule_file else set()
        if (
            domain.name in values
            or domain_triggers.has_unreadable_line(facts, domain.name)
            or "manifest-key-in-rules" in problems
            or (domain.exact and recall)  # told of the empty list
        ):
            continue
        name = domain.name
        agent = kebab_case(name.removeprefix("AGENT_"))
        of_agent = name.startswith("AGENT_") and not domain.exact
        trigger = f"_AGENT_TRIGGER={agent}" if of_agent else "_RECALL=<keywords>"
        yield Finding(
            declaration.span,
            f"{name} is switched on, but nothing can activate it, so none of its rules are "
            "injected.",
            f"Write what it waits for, such as `{name}{trigger}`, or `{name}_ALWAYS_ON=true`.",
        )
