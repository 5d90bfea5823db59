"""The bracket table of Chati.dev has a gap, an overlap, or other limits than those that hold.

## What it does

Reports rows of the bracket table in `chati.dev/intelligence/context-engine.md` that leave
percentages to nobody, claim them twice, or differ from the brackets of the `chati` profile.

## Why it matters

The table is what people and agents go by, and a block is made by the profile: where they differ,
agents expect layers that are not there.

## Example

```bad
-- chati.dev/intelligence/context-engine.md --
| Bracket | Context remaining |
|---|---|
| FRESH | 60-100% |
| MODERATE | 40-60% |
| DEPLETED | 25-35% |
| CRITICAL | <25% |
```

```good
-- chati.dev/intelligence/context-engine.md --
| Bracket | Context remaining |
|---|---|
| FRESH | 60-100% |
| MODERATE | 40-60% |
| DEPLETED | 25-40% |
| CRITICAL | <25% |
```

## Evidence

"Chati Context Engine", "Context Brackets"; Article XII: brackets are calculated.
"""

from collections.abc import Iterator

from synapse_ls.engine.compiled_plan import Profile
from synapse_ls.engine.systems.chati.profile import PROFILE
from synapse_ls.formats.chati.config_file import BracketRange, BracketTable
from synapse_ls.lint.lint_rule import FileFacts
from synapse_ls.text.finding import Finding

_BRACKETS = Profile(PROFILE).brackets
_FLOORS = {bracket.name: int(bracket.floor) for bracket in _BRACKETS}
_CEILINGS = dict(zip(_FLOORS, (100, *_FLOORS.values()), strict=False))


def check(facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each bracket whose range differs from the one in use."""
    if not isinstance(document := facts.document, BracketTable):
        return
    rows = sorted(document.ranges, key=lambda row: (-row.high, -row.low))
    for number, row in enumerate(rows):
        right = (_FLOORS.get(row.name), _CEILINGS.get(row.name))
        if row.name not in _FLOORS or (row.low, row.high) == right:
            continue
        above = rows[number - 1] if number else None
        below = rows[number + 1] if number + 1 < len(rows) else None
        yield Finding(
            row.span,
            f"{row.name} is for {row.low}–{row.high} % here{_neighbour_effect(above, row, below)}, "
            f"and a block is made for {right[0]}–{right[1]} %.",
            f"Write {right[0]}-{right[1]}%.",
        )


def _neighbour_effect(
    above: BracketRange | None, row: BracketRange, below: BracketRange | None
) -> str:
    """Return how the limits of a row gap or overlap with its neighbours, "" if they do not."""
    for upper, lower in ((above, row), (row, below)):
        if upper is None or lower is None:
            continue
        if lower.high < upper.low:
            return f", which leaves {lower.high}–{upper.low} % to nobody"
        if lower.high > upper.low:
            return f", which {(lower if upper is row else upper).name} has in part too"
    return ""
