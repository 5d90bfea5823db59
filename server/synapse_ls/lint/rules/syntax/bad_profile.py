"""A profile of the configuration says something that it cannot mean.

## What it does

Reports in `[profiles]` of `.synapse/config.toml`

- layers, sections, classes of entries and brackets that the extended profile does not know;
- words that are in a list twice;
- brackets that have no floor or never hold, and floors that contradict the order in `use_brackets`;
- a heading, a `tag` or a name of a bracket that would pass for other markup;
- an `extends` that names no profile, and a name that another profile has already.

## Why it matters

The line has no effect; the rest of the profile holds.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
profile = "lean"

[profiles.lean.brackets.FRESH]
layers = ["L0", "l1"]
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
profile = "lean"

[profiles.lean.brackets.FRESH]
layers = ["L0", "L1"]
```

## Evidence

The chapter on profiles of one's own in the user guide.

## Fix

The word that was probably meant is put in its place, but for layers, which are numbers. What is
injected may change.
"""

from collections.abc import Iterator

from synapse_ls.engine.profiles import find_faults
from synapse_ls.formats import config_settings, toml_document
from synapse_ls.lint.fixes import single_edit_fix
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.edit_distance import nearest_word
from synapse_ls.text.finding import Finding
from synapse_ls.text.span import Span


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield a finding for each value of a custom profile that is not valid."""
    if not isinstance(config := facts.document, config_settings.Config) or not config.profiles:
        return
    where = toml_document.key_positions(facts.text)
    for fault in find_faults(config.profiles):
        # The place of a value, or of the closest table above it where the value is missing.
        path = ("profiles", *fault.path)
        while path and path not in where:
            path = path[:-1]
        place = where.get(path, toml_document.KeyPosition(Span(0, 0), Span(0, 0)))
        span = place.key if fault.at_key else place.value
        written = span.cut(facts.text)
        word = written.strip("\"'")
        nearest = nearest_word(word, fault.words) if fault.words else None
        words = ", ".join(f"`{word}`" for word in fault.words)
        yield Finding(
            span,
            fault.sentence,
            fault.remedy
            or (
                f"Write `{nearest}`."
                if nearest
                else f"Write one of {words}."
                if words
                else _DEFAULT_REMEDY
            ),
            single_edit_fix(facts, f"Write `{nearest}`", span, written.replace(word, nearest))
            if nearest
            else None,
        )


_DEFAULT_REMEDY = "Change it, or delete it."
