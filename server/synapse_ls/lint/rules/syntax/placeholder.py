"""A template's placeholder was left in place of a name or a text.

## What it does

Reports rules whose key begins with a template's name for the domain (`DOMAIN_RULE_0`), rules and
keywords that are a placeholder as a whole (`TODO`, `{{RULE_TEXT}}`, `[your rule here]`,
`keyword1`), and rules that begin like a note to oneself (`TODO: …`).

## Why it matters

The text is injected as it is, and agents try to follow it; a key of a template is dropped by
readers that look for the domain's name.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
DOMAIN_RULE_0=Write the failing test first.
DOMAIN_RULE_1=TODO
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
```

## Evidence

The template of the SYNAPSE create task ends in a placeholder rule; CARL v1 installs a manifest
whose comments say `keyword1,keyword2,trigger phrase` and a domain to copy that begins `This is Rule
0`.

## Fix

A template's name in the keys becomes that of the domain, unless other rules have these keys.
"""

from collections.abc import Iterator, Sequence

from synapse_ls.formats.manifest import Manifest
from synapse_ls.formats.rule import Rule
from synapse_ls.lint import domain_triggers
from synapse_ls.lint.fixes import replace_words
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Fix
from synapse_ls.text.grouping import group_pairs
from synapse_ls.text.span import Span
from synapse_ls.workspace import naming_conventions, tree_domains


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield a finding for each placeholder text or keyword, and one for keys with a template's
    domain name.
    """
    if isinstance(facts.document, Manifest):
        for declaration, entry in domain_triggers.domains_with_recall(facts):
            for keyword in entry.items:  # such as ``keyword1``
                if domain_triggers.PLACEHOLDER_KEYWORD.fullmatch(keyword.value):
                    yield Finding(
                        keyword.span,
                        f"`{keyword.value}` is a template's placeholder, so no prompt activates "
                        f"{declaration.name} by it.",
                        "Write a word that users write, or delete the keyword.",
                    )
        return
    domains = tree.domains_of_file(facts.path)
    is_injected = any(
        domain.is_active and not domain_triggers.is_dormant(domain) for domain in domains
    )
    rules = tree_domains.rules_in(facts.document) if is_injected else ()
    for rule in rules:
        if domain_triggers.is_placeholder(rule.text):
            yield Finding(
                rule.text_span,
                f"`{rule.text[:60]}` is injected as a rule, but it is only a placeholder.",
                "Write the rule in its place, or delete the line.",
            )
    # Where several domains share a file, their prefixes decide: that is for another rule.
    if len(domains) == 1 and not domains[0].shared:
        # One finding for each template name that keys of a file begin with.
        domain = domains[0]
        starts_by_name = group_pairs((rule.domain, rule.key_span.start) for rule in rules)
        for name, starts in starts_by_name.items():
            if name in domain.prefixes or name not in naming_conventions.TEMPLATE_NAMES:
                continue
            count = "1 rule is" if len(starts) == 1 else f"{len(starts)} rules are"
            yield Finding(
                Span(starts[0], starts[0] + len(name)),
                f"`{name}` is a template's name for a domain: {count} injected with {domain.name}, "
                "but CARL and rule tools do not find them.",
                f"Write `{domain.name}`.",
                _renaming_fix(facts, rules, name, domain.name),
            )


def _renaming_fix(facts: FileFacts, rules: Sequence[Rule], name: str, meant: str) -> Fix | None:
    """Return the fix that writes the domain's name into the keys, None where such keys exist
    already.
    """
    keys = [rule.key for rule in rules]
    template_rules = [rule for rule in rules if rule.domain == name]
    if any(meant + rule.key[len(name) :] in keys for rule in template_rules):
        return None
    return replace_words(facts, (rule.key_span.start for rule in template_rules), name, meant)
