"""Two known pitfalls of Chati.dev have the same id.

## What it does

Reports an id of `chati.dev/intelligence/gotchas.yaml`, `.chati/gotchas.json` or
`.chati/memories/shared/gotchas.json` that an earlier entry has, in this file or in another of them.

## Why it matters

Each of these stores counts from `G001`, so a reference to `G001` means two things, and a resolution
that is noted for one of them is shown for the other.

## Example

```bad
-- chati.dev/intelligence/gotchas.yaml --
gotchas:
  - {id: G001, pattern: An effect without dependencies}
-- .chati/memories/shared/gotchas.json --
[{"id": "G001", "pattern": "Connection refused"}]
```

```good
-- chati.dev/intelligence/gotchas.yaml --
gotchas:
  - {id: G001, pattern: An effect without dependencies}
-- .chati/memories/shared/gotchas.json --
[{"id": "G002", "pattern": "Connection refused"}]
```

## Evidence

Three parts of mateusmetzker/Chati.dev keep pitfalls, each in a file and with a counter of its own.
"""

from collections.abc import Iterator
from itertools import chain

from synapse_ls.formats.chati.memory_files import GotchaStore
from synapse_ls.lint.lint_rule import FileFacts, FileKind, Tree
from synapse_ls.text.finding import Finding, Related
from synapse_ls.text.span import Span

_STORES = (FileKind.CHATI_GOTCHAS, FileKind.CHATI_TRACKED)


def check(tree: Tree, facts: FileFacts) -> Iterator[Finding]:
    """Yield one finding for each id that an earlier gotcha has; ``chati.dev/`` comes before
    ``.chati/``.
    """
    first: dict[str, tuple[str, Span]] = {}
    stores = chain.from_iterable(tree.snapshot.documents(kind, GotchaStore) for kind in _STORES)
    for path, store in stores:
        for id in store.ids:
            place = first.setdefault(id.value, (path, id.span))
            if path == facts.path and place != (path, id.span):
                yield Finding(
                    id.span,
                    f"`{id.value}` is a pitfall in {place[0]} already, so the id means two things.",
                    "Give one of them another id.",
                    related=(Related(*place, "The first one is here."),),
                )
