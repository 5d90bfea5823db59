"""The configuration has a setting that does not exist, or a value that it cannot have.

## What it does

Reports keys of `.synapse/config.toml` that are no settings, and values of the wrong type or outside
the words or numbers that are allowed.

## Why it matters

The line has no effect: the default of the setting holds.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
matching = "words"
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
matching = "word"
```

## Evidence

The table of settings in the user guide.

## Fix

The word that was probably meant is put in its place. What is injected may change.
"""

from __future__ import annotations

from synapse_ls.lint.fixes import near_word_fixer
from synapse_ls.lint.lint_rule import ProblemRule
from synapse_ls.text.finding import Finding, Fix, Severity
from synapse_ls.workspace.file_facts import FileFacts

_write_key, _write_value = near_word_fixer(), near_word_fixer(quote='"')


def write_near_word(facts: FileFacts, problem: Finding) -> Fix | None:
    """Returns the fix that writes the nearest allowed key or value into the configuration: a key
    bare, a value in quotes.
    """
    return (_write_key if problem.kind == "unknown-config-key" else _write_value)(facts, problem)


RULE = ProblemRule(
    code="SYN121",
    name="bad-config",
    severity=Severity.WARNING,
    checks_configuration=True,
    claims=("unknown-config-key", "bad-config-value"),
    remedy="Correct the value, or delete the line.",
    fix=write_near_word,
)
