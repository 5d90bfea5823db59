"""The configuration names a profile that does not exist.

## What it does

Reports a `profile` in `.synapse/config.toml` that is neither one of this version nor one of
`[profiles]`.

## Why it matters

The default profile is used in its place, with its own layers, brackets and budgets.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
profile = "synapse-life"
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
profile = "synapse-live"
```

## Evidence

The table of profiles in the user guide.

## Fix

The profile that was probably meant is put in its place. What is injected changes.
"""

from collections.abc import Iterator

from synapse_ls.engine.profiles import profile_names
from synapse_ls.formats import config_settings, toml_document
from synapse_ls.lint.fixes import word_fix
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.edit_distance import choice_remedy, nearest_choice
from synapse_ls.text.finding import Finding


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield a finding at the name of a profile that does not exist."""
    if not isinstance(config := facts.document, config_settings.Config) or not config.profile:
        return
    names = profile_names(config.profiles)
    if config.profile in names:
        return
    span = toml_document.key_positions(facts.text)["profile",].value
    word = nearest_choice(config.profile, names)
    yield Finding(
        span,
        f"There is no profile `{config.profile}`, so the default one is used.",
        choice_remedy(config.profile, names, '"'),
        word_fix(facts, span, f'"{word}"') if word else None,
    )
