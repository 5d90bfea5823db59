"""A file contains what looks like a key or token that gives access to something.

## What it does

Reports tokens of known shapes: keys of cloud and model providers, tokens of code hosts, package
registries and chat services, JSON web tokens, private keys, bearer tokens, and passwords, in the
addresses of services or where they are called one. Obvious examples are left alone. The message
does not repeat what it found.

## Why it matters

A tree is committed and shared, and its rules go to a model with every prompt: whoever reads either
has the access too.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Call the API with gh\\x70_R7kQ2mZx9LwT4vB8nYc3JhF6sDgPa1EuK5Xo.
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Call the API with the token in $GITHUB_TOKEN.
```

## Evidence

CWE-798, use of hardcoded credentials; the prefixes are those that the issuers document, such as
"Behind GitHub's new authentication token formats".
"""

from collections.abc import Iterator

from synapse_ls.formats.rule_syntax import to_upper_snake
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text import secret_masking, secret_shapes
from synapse_ls.text.finding import Finding


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each secret, at the secret."""
    for secret in secret_masking.find_secrets(facts.text):
        if facts.text.startswith(("...", "…"), secret.span.end):
            continue  # an abbreviated one opens nothing
        effect = "so whoever can read the file can use it."
        is_vowel = secret.sentence_start.startswith("An ")
        undo = f"Revoke this {secret.kind}; others may have read it."
        if secret.kind == secret_shapes.PASSWORD:
            undo = "Change this password in the service that it opens."
        name = to_upper_snake(secret.kind)
        write = f"Here, write the name of an environment variable, for example `${name}`."
        yield Finding(
            secret.span,
            f"An {secret.kind} seems to be here, {effect}"
            if is_vowel
            else f"A {secret.kind} seems to be here, {effect}",
            " ".join((undo, write)),
        )
