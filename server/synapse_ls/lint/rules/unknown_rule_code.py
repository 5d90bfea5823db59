"""The configuration of the linter names a rule that does not exist.

## What it does

Reports codes, beginnings of codes and names under `[lint]` that no rule of this version has.

## Why it matters

The entry has no effect: a finding that was to be silent is reported, or one that was asked for is
not.

## Example

```bad
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
[lint]
ignore = ["SYN999"]
```

```good
-- .synapse/global --
GLOBAL_RULE_0=Answer in English.
-- .synapse/config.toml --
[lint]
ignore = ["SYN105"]
```

## Evidence

The index of the rules.
"""

from __future__ import annotations

from collections.abc import Iterator

from synapse_ls.formats.config import Config
from synapse_ls.formats.toml_places import Path, places
from synapse_ls.lint import registry
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.rule import FileRule
from synapse_ls.lint.selectors import takes
from synapse_ls.workspace.facts import FileFacts
from synapse_ls.workspace.kinds import FileKind


def check(facts: FileFacts) -> Iterator[Finding]:
    """One finding for each selector that means no rule, at the selector."""
    if not isinstance(facts.document, Config):
        return
    unknown = [
        (selector, path)
        for selector, path in _selectors(facts.document)
        if not any(takes((selector,), rule) for rule in registry.rules())
    ]
    where = places(facts.text) if unknown else {}
    for selector, path in unknown:
        yield Finding(
            where[path].key,
            f"No rule has the code or name `{selector}`, so this has no effect.",
            "Correct it, or delete it.",
        )


def _selectors(config: Config) -> Iterator[tuple[str, Path]]:
    lint = config.lint
    for setting, listed in (("select", lint.select), ("ignore", lint.ignore)):
        yield from ((selector, ("lint", setting, i)) for i, selector in enumerate(listed))
    yield from ((selector, ("lint", "severity", selector)) for selector in lint.severity)
    for pattern, listed in lint.per_path.items():
        for i, selector in enumerate(listed):
            yield selector, ("lint", "per_path", pattern, i)


RULE = FileRule(
    code="SYN123",
    name="unknown-rule-code",
    severity=Severity.WARNING,
    kinds=frozenset({FileKind.CONFIG}),
    check=check,
)
