"""A test of the tree names something that the tree does not have.

## What it does

Reports domains, rules, agents, workflows and brackets that a case of `.synapse/tests/` names and
nothing defines. Rules are not looked for in trees of more than a thousand domains.

## Why it matters

The case can only fail, whatever the block says.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/tests/prompts.toml --
[[case]]
name = "the language is injected"
domains = ["GLOBL"]
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/tests/prompts.toml --
[[case]]
name = "the language is injected"
domains = ["GLOBAL"]
```

## Evidence

The table of fields in the user guide.

## Fix

The name that was probably meant is put in its place.
"""

from collections.abc import Iterator, Mapping

from synapse_ls.formats.tree_tests import TreeTests
from synapse_ls.lint.lint_rule import FileFacts, Tree, weak_cache
from synapse_ls.lint.tree_lookups import tree_profile, unknown_name_finding
from synapse_ls.text.finding import Finding, Text
from synapse_ls.workspace.naming_conventions import kebab_case, snake_case, upper_snake
from synapse_ls.workspace.tree_domains import rules_in

# Domains whose rules are looked through; in larger trees only the test itself tells.
MOST_DOMAINS = 1_000


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each domain, rule, bracket, agent or workflow in a test that the tree
    does not have.
    """
    profile = tree_profile(tree)
    document = facts.document
    for case in document.cases if isinstance(document, TreeTests) else ():
        for field in ("domains", "no_domains"):
            for name in case.lists.get(field, ()):
                if upper_snake(name.value) not in _domains_by_name(tree):
                    yield _missing_name_finding(facts, "domain", name, _domains_by_name(tree))
        for field in ("rules", "no_rules"):
            for name in case.lists.get(field, ()):
                if not _is_rule_name(tree, name.value):
                    yield _missing_name_finding(
                        facts,
                        "rule",
                        name,
                        {name: name for file in _rule_files(tree) for name in _rule_keys(file)},
                    )
        bracket = case.references.get("bracket")
        if bracket and profile.find_bracket(bracket.value) is None:
            message = f"The profile has no bracket `{bracket.value}`, so the case fails."
            names = [bracket.name for bracket in profile.brackets]
            yield unknown_name_finding(
                facts, bracket, message, names, f"Name one of {', '.join(names)}."
            )
        for noun, spell, names_by_spelling in (
            ("agent", kebab_case, _agents_by_name(tree)),
            ("workflow", snake_case, _workflows_by_name(tree)),
        ):
            named = case.references.get(noun)
            if named and names_by_spelling and spell(named.value) not in names_by_spelling:
                yield _missing_name_finding(facts, noun, named, names_by_spelling)


def _missing_name_finding(
    facts: FileFacts, noun: str, name: Text, known_names: Mapping[str, str]
) -> Finding:
    message = f"The tree has no {noun} `{name.value}`, so the case fails."
    return unknown_name_finding(
        facts, name, message, known_names.values(), f"Name one of the tree's {noun}s."
    )


@weak_cache
def _domains_by_name(tree: Tree) -> Mapping[str, str]:
    above = (domain.label for domain in tree.carl_scopes.domains) if tree.carl_scopes else ()
    return {upper_snake(label): label for label in (*tree.domains_by_label, *above)}


def _is_rule_name(tree: Tree, name: str) -> bool:
    """Return whether a rule has this name: its key, or in plain text its domain and line."""
    label, line, number = name.rpartition(" line ")
    if line and number.isdigit() and upper_snake(label) in _domains_by_name(tree):
        return True
    files = _rule_files(tree)
    return len(files) > MOST_DOMAINS or any(name in _rule_keys(file) for file in files)


@weak_cache
def _rule_files(tree: Tree) -> tuple[FileFacts, ...]:
    """Return the files that serve the domains, each of them once."""
    files = (
        *(domain.file or "" for domain in tree.domains_by_label.values()),
        *tree.snapshot.files_above,
    )
    facts = map(tree.snapshot.facts, files)
    return tuple(dict.fromkeys(facts for facts in facts if facts))


@weak_cache
def _rule_keys(facts: FileFacts) -> Mapping[str, str]:
    """Return the keys of a file's rules."""
    return {rule.key: rule.key for rule in rules_in(facts.document) if rule.key}


@weak_cache
def _agents_by_name(tree: Tree) -> Mapping[str, str]:
    """Return the agents that are defined or that a domain waits for."""
    waited = (d.declaration.agent_trigger for d in tree.domains_by_label.values() if d.declaration)
    return {kebab_case(name): name for name in (*tree.agents, *waited) if name}


@weak_cache
def _workflows_by_name(tree: Tree) -> Mapping[str, str]:
    waited = (
        d.declaration.workflow_trigger for d in tree.domains_by_label.values() if d.declaration
    )
    return {snake_case(name): name for name in (*tree.workflows, *waited) if name}
