"""The keys of rules begin with another domain's name.

## What it does

Reports rules whose prefix is not the name of the domain that the file serves, nor its beginning,
nor that name without `AGENT_` or `WORKFLOW_`, nor its trigger. Each foreign prefix is reported once
in a file.

## Why it matters

The rules are injected all the same, with the domain of the file; but a key that was copied from
another file often means that its text was, too. In `.carl/` it is an error: CARL skips such rules,
and even another case of letters makes another domain.

## Example

```bad
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
DEPLOY_RULE_0=Tag the release first.
```

```good
-- .synapse/manifest --
TESTING_STATE=active
TESTING_RECALL=unit test
DEPLOY_STATE=active
DEPLOY_RECALL=deploy
-- .synapse/testing --
TESTING_RULE_0=Write the failing test first.
-- .synapse/deploy --
DEPLOY_RULE_0=Tag the release first.
```

## Evidence

CARL v1 reads only keys that begin with `{DOMAIN}_RULE_`. The SYNAPSE reference reader throws the
key away; ADR-001 writes `DEV_RULE_AUTH_0` in the file of AGENT_DEV, so short forms are accepted.
"""

from collections.abc import Iterator

from synapse_ls.formats.rule_syntax import parse_key, to_upper_snake
from synapse_ls.lint.domain_triggers import is_dormant
from synapse_ls.lint.fixes import replace_words
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding, Severity
from synapse_ls.text.span import Span
from synapse_ls.workspace import naming_conventions, tree_domains


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each foreign prefix, at the first rule that carries it."""
    domains = tree.domains_of_file(facts.path)
    exact = bool(domains) and domains[0].exact
    expected = {
        prefix if exact else to_upper_snake(prefix)
        for domain in domains
        for prefix in domain.prefixes
    }
    if not expected or all(map(is_dormant, domains)):
        return
    if len(domains) == 1 and (exact or not domains[0].shared):
        expected |= naming_conventions.TEMPLATE_NAMES  # reported by the rule on placeholders
    names = [f"{name}_" for domain in domains for name in domain.prefixes]
    starts_by_prefix: dict[str, list[int]] = {}
    for rule in tree_domains.rules_in(facts.document):
        if not (prefix := rule.domain) or prefix in expected:
            continue
        # A key without the shape of a rule's is odd in itself; its prefix is no domain. So it is
        # with the beginning of the name of one, as `AGENT_UX` is of `AGENT_UX_DESIGN_EXPERT`.
        key = parse_key(rule.key)
        is_numbered = key is not None and key.number is not None
        is_short_form = any(name.startswith(f"{prefix}_") for name in names)
        if exact or (is_numbered and not is_short_form):
            starts_by_prefix.setdefault(prefix, []).append(rule.key_span.start)
    for prefix, starts in starts_by_prefix.items():
        span = Span(starts[0], starts[0] + len(prefix))
        every_domain = (*tree.domains, *tree.home_of(facts.path).domains)
        is_domain = any(domain.name == prefix for domain in every_domain)
        finding = _prefix_finding(prefix, span, len(starts), domains, is_domain)
        if near := nearest_word(prefix, expected - naming_conventions.TEMPLATE_NAMES):
            finding = finding._replace(fix=replace_words(facts, starts, prefix, near))
            if not is_domain:
                finding = finding._replace(remedy=f"Write `{near}`.")
        yield finding


def _prefix_finding(
    prefix: str, span: Span, count: int, domains: tuple[tree_domains.Domain, ...], is_domain: bool
) -> Finding:
    """Return the finding for rules whose keys begin with another name than their domain's."""
    rules = "This rule is" if count == 1 else f"{count} rules are"
    owners = " and ".join(domain.name for domain in domains[:3])
    remedy = f"Begin the key with `{domains[0].name}_`, or move the rule to its own domain's file."
    if domains[0].exact:
        why = (
            f"CARL reads keys of this file that begin with `{domains[0].name}_RULE_`, and no others"
        )
        if prefix.upper() == domains[0].name.upper():
            why = f"CARL injects `{prefix}` from `{domains[0].name}`"
        return Finding(
            span, f"{rules} not injected, because {why}.", remedy, own_severity=Severity.ERROR
        )
    if domains[0].shared:
        lost = f"{rules} not injected, because `{prefix}` is no domain of this file ({owners})."
        return Finding(span, lost, remedy, own_severity=Severity.ERROR)
    sentence = f"{rules} injected with {owners}, though the key begins with the name `{prefix}`."
    if not is_domain:
        sentence = (
            f"No domain is called `{prefix}`. {rules} injected with {owners}, whose file this is."
        )
    return Finding(span, sentence, remedy)
