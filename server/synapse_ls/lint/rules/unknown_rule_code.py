"""The configuration or a comment names a rule that does not exist.

## What it does

Reports codes, beginnings of codes and names, under `[lint]` and in the brackets of `synapse: ignore`
comments, that no rule of this version has.

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

import re
from collections.abc import Iterator
from functools import lru_cache

from synapse_ls.formats.config import Config
from synapse_ls.formats.toml_places import Path, places
from synapse_ls.lint.comments import COMMENTS, directives_of
from synapse_ls.lint.diagnostic import Finding, Severity
from synapse_ls.lint.registry import rules
from synapse_ls.lint.rule import FileRule
from synapse_ls.lint.selectors import is_known
from synapse_ls.text.near import nearest
from synapse_ls.text.span import Span
from synapse_ls.workspace.facts import FileFacts

_CODE = re.compile(r"(?i:syn)\d*")


def check(facts: FileFacts) -> Iterator[Finding]:
    """One finding for each selector that means no rule, at the selector."""
    for directive in directives_of(facts):
        for named in directive.selectors:
            if not is_known(named.value):
                yield _unknown(named.value, named.span)
    if not isinstance(facts.document, Config):
        return
    unknown = [
        (selector, path) for selector, path in _selectors(facts.document) if not is_known(selector)
    ]
    where = places(facts.text) if unknown else {}
    for selector, path in unknown:
        yield _unknown(selector, where[path].key)


def _unknown(selector: str, span: Span) -> Finding:
    return Finding(
        span,
        f"No rule has the code or name `{selector}`, so this has no effect.",
        f"Write `{meant}`." if (meant := _meant(selector)) else "Correct it, or delete it.",
    )


@lru_cache(maxsize=1024)
def _meant(selector: str) -> str:
    """The code, the beginning of codes or the name that was probably meant, or "".

    Of a code that only has another number nobody can tell which one that should be.
    """
    if is_known(selector.upper()):
        return selector.upper()
    if _CODE.fullmatch(selector):
        return ""
    families = (rule.code[:4] for rule in rules())
    return nearest(
        selector, dict.fromkeys((*families, *(n for r in rules() for n in (r.code, r.name))))
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
    configures=True,
    kinds=frozenset(COMMENTS),
    check=check,
)
