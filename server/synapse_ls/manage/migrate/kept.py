"""What of a CARL tree has no counterpart here and is kept to be read: ``.synapse/carl/``.

No prompt and no linter looks into that folder.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from synapse_ls.manage.migrate.change import KEPT, Change
from synapse_ls.manage.migrate.reading import Carl
from synapse_ls.workspace.folders import TREE

FOLDER = f"{TREE}/carl"


def kept_files(root: Path, carl: Carl) -> Iterator[Change]:
    """The files that no domain has, as they are."""
    for source in carl.others:
        path = f"{FOLDER}/{source.path.rpartition('/')[2]}"
        why = f"{source.path}, which no domain has"
        yield Change(KEPT, path, root / path, None, source.data, why)
