"""A domain is declared, but no file holds its rules.

## What it does

Reports domains of a manifest that no rule file serves, and names the file that was probably meant
to. A file is found by the domain's name in lower case, with `-` or `_`, also with `.env` or `.md`;
in a squad, the file `rules` serves a domain without a file of its own. A name that probably is
another domain's, misspelt, is another finding: it says something that the other one does not say.
In a squad the name `DOMAIN`, which a template left, becomes that of the squad. More than five
domains of which nothing else is known are one finding.

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

from collections.abc import Iterator

from synapse_ls.formats.manifest import DomainDeclaration
from synapse_ls.lint import tree_lookups
from synapse_ls.lint.fixes import replace_words
from synapse_ls.lint.lint_rule import FileFacts, Tree
from synapse_ls.text.finding import Finding, Fix, Related
from synapse_ls.workspace import naming_conventions
from synapse_ls.workspace.tree_domains import Domain

# Domains without a file that get a finding each; more of them have one cause.
MAX_SEPARATE = 5

_NAMED = 3  # domains that a finding about several names


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each domain without a file, where it is first mentioned, or one for all
    of them where there are many of which nothing else is known.
    """
    # A domain that is switched off may wait for its file: it is not injected either way.
    missing = [
        (domain, domain.declaration)
        for domain in tree_lookups.declared_domains(tree, facts.path)
        if domain.file is None and domain.declaration and domain.is_active
    ]
    home = tree.home_of(facts.path)
    explained = (
        tree_lookups.misspelt_domains(home).keys() | tree_lookups.misnamed_rule_files(home).keys()
    )
    plain = [(domain, declared) for domain, declared in missing if domain.name not in explained]
    if len(plain) > MAX_SEPARATE:
        # One finding for many domains without a file, at the first, with the places of the others.
        names = ", ".join(domain.name for domain, _ in plain[:_NAMED])
        (first, first_declared), *rest = plain
        file_name = naming_conventions.domain_file_names(
            first.name, tree_lookups.parent_folder(first.manifest_path)
        )[0]
        yield Finding(
            first_declared.span,
            f"{len(plain)} domains have no file, so none of their rules are injected: {names} and "
            f"{len(plain) - _NAMED} more.",
            f"Create the files, such as `{file_name}`, or delete the domains.",
            related=tuple(
                Related(facts.path, declared.span, f"{domain.name} has no file.")
                for domain, declared in rest
            ),
        )
        missing = [(domain, declared) for domain, declared in missing if domain.name in explained]
    for domain, declared in missing:
        yield _missing_file_finding(tree, facts, domain, declared)


def _renaming_fix(facts: FileFacts, declared: DomainDeclaration, other: str) -> Fix:
    """Return the fix that writes another name into all keys of a domain."""
    starts = (entry.key_start for entry in declared.entries.values())
    return replace_words(facts, starts, declared.name, other)


def _missing_file_finding(
    tree: Tree, facts: FileFacts, domain: Domain, declared: DomainDeclaration
) -> Finding:
    """Return the finding for a domain without a file, with the file that was probably meant."""
    span, home = declared.span, tree.home_of(domain.manifest_path)
    folder = tree_lookups.parent_folder(domain.manifest_path)
    file_name = naming_conventions.domain_file_names(domain.name, folder)[0]
    message = f"{domain.name} has no file, so none of its rules are injected."
    if named := tree_lookups.named_rule_file(tree, facts, domain.name):
        here = tree_lookups.parent_folder(facts.path)
        target = f"{here}/{file_name}"
        remedy = (
            f"Move `{named[1]}` into the folder `{here}`, name it `{file_name}`, and delete this "
            "line."
        )
        if tree_lookups.parent_folder(named[1]) == here:
            remedy = f"Rename `{named[1]}` to `{target}`, and delete this line."
        return Finding(
            named[0].key.span,
            f"`{domain.name}_FILE` is ignored, because the rules of {domain.name} are read only "
            f"from `{target}`.",
            remedy,
        )
    if (other := tree_lookups.misspelt_domains(home).get(domain.name)) is not None:
        # The finding for a domain name that misspells another domain's.
        return Finding(
            span,
            f"{domain.name} has no file and is probably misspelt, so {other} goes without what is "
            "set here.",
            f"Write `{other}`.",
            _renaming_fix(facts, declared, other),
        )
    rule_file = tree_lookups.misnamed_rule_files(home).get(domain.name)
    if rule_file is None and domain.name in naming_conventions.TEMPLATE_NAMES:
        # The finding for a name that a template left.
        template_sentence = (
            f"{domain.name} is still the name that a template left, and no file has its rules."
        )
        if not (key := naming_conventions.squad_prefix(domain.squad)):
            template_remedy = (
                "Put a name of your own in its place, and the rules into a file of that name; or "
                "delete it."
            )
            return Finding(span, template_sentence, template_remedy)
        is_taken = any(
            other.name == key for other in tree_lookups.declared_domains(tree, facts.path)
        )
        return Finding(
            span,
            template_sentence,
            f"Write `{key}` in its place, and the rules into the file "
            f"`{naming_conventions.SQUAD_RULES}`; or delete "
            "the manifest.",
            None if is_taken else _renaming_fix(facts, declared, key),
        )
    if rule_file is None:
        remedy = f"Create the file `{file_name}`, or delete the domain."
        if domain.squad:
            remedy = (
                f"Create the file `{file_name}` or `{naming_conventions.SQUAD_RULES}`, "
                "or delete the domain."
            )
        return Finding(span, message, remedy)
    target = f"{folder}/{file_name}"
    place = Related(
        rule_file,
        tree_lookups.first_line_span(tree.snapshot.facts(rule_file)),
        f"Probably meant for {domain.name}.",
    )
    message = (
        f"No rules of {domain.name} are injected: they are read from `{target}`, but the file is "
        f"called `{rule_file}`."
    )
    return Finding(span, message, f"Rename the file `{rule_file}` to `{target}`.", related=(place,))
