"""The places of a root by all rule systems, and what kind of file a path is by them.

CARL's own sessions (``.carl/sessions``) are no part of a tree: what they override is read when a
prompt is answered, and nothing writes there.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from synapse_ls.formats.config_settings import PathSettings
from synapse_ls.workspace import brainiac_places, chati_places
from synapse_ls.workspace.file_kinds import (
    MARKDOWN_ENDINGS,
    SQUAD_PLACES,
    SYNCED_PLACES,
    YAML_ENDINGS,
    FileKind,
    Place,
    is_walkable,
    squad_folder_of,
)
from synapse_ls.workspace.tree_folders import (
    CARL,
    CARL_FILE,
    CONFIG,
    MEMORIES,
    SESSIONS,
    TESTS,
    TREE,
    is_above_root,
    is_carl_scope,
)

if TYPE_CHECKING:
    from synapse_ls.workspace.snapshot import Snapshot

CARL_PLACES = (Place(CARL_FILE, FileKind.CARL), Place(CARL, None))


SYSTEM_PLACES: tuple[Place, ...] = (*CARL_PLACES, *chati_places.PLACES, *brainiac_places.PLACES)
"""The places of every such system; one that a root does not have costs a look for its folder."""


def urgent_paths(snapshot: Snapshot) -> Iterator[str]:
    """Yield the files that the next prompt tells most of, as far as what is known so far says so.

    A path that does not exist costs a look.
    """
    yield from chati_places.urgent_paths(snapshot)


def classify_system_path(path: str) -> FileKind | None:
    """Return what kind of file of one of these systems a path is, None for every other file."""
    return next((kind for place in SYSTEM_PLACES if (kind := place.classify(path))), None)


@lru_cache(maxsize=64)
def root_places(paths: PathSettings) -> tuple[Place, ...]:
    """Return the places of a root by which its paths are classified, those that every prompt needs
    first.
    """
    places = (
        Place(CONFIG, FileKind.CONFIG),
        Place(TREE, None),
        *(Place(p, FileKind.WORKFLOW_STATE, ("-state.yaml",), deep=True) for p in paths.states),
        *(Place(p, FileKind.AGENT, MARKDOWN_ENDINGS) for p in paths.agents),
        *(Place(p, FileKind.WORKFLOW, YAML_ENDINGS) for p in paths.workflows),
        *(Place(p, FileKind.TASK, MARKDOWN_ENDINGS) for p in paths.tasks),
        *(Place(p, FileKind.STORY, MARKDOWN_ENDINGS, deep=True) for p in paths.stories),
        *(Place(p, FileKind.PATTERNS) for p in paths.patterns),
        *(Place(p, FileKind.CHAINS) for p in paths.chains),
        *(Place(p, FileKind.CONSTITUTION_SOURCE) for p in paths.constitution),
        *(Place(p, FileKind.SECTION) for p in paths.sections),
        Place(TESTS, FileKind.TESTS, (".toml",)),
        *(Place(p, FileKind.MEMORY, MARKDOWN_ENDINGS, deep=True) for p in MEMORIES),
        *SYNCED_PLACES,
        *(Place(p, FileKind.RULES) for p in paths.manifest_rule_files),
        Place(SESSIONS, FileKind.SESSION, (".json",)),
        *SYSTEM_PLACES,
    )
    return tuple(place for place in places if not _is_dormant(place, paths.dormant))


def _is_dormant(place: Place, dormant: tuple[str, ...]) -> bool:
    """Check whether a place belongs to rules which another folder is served instead of."""
    of_rules = place.kind is None or place.kind is FileKind.CARL
    return of_rules and place.path.partition("/")[0] in dormant


def classify_path(path: str, paths: PathSettings) -> FileKind | None:
    """Classify a path relative to the root by what kind of file it is; None where it is not ours.

    Templates (``_*``), dot files and files about a folder (README, LICENSE) are not ours, nor
    is anything below a tree's own folder but its tests and sessions.
    """
    if is_above_root(path):
        return FileKind.CARL if is_carl_scope(path) else None
    squad, inner = squad_folder_of(path, paths), path
    if squad:
        inner = path[len(squad) + 1 :]
        if not is_walkable(squad.rpartition("/")[2]):
            return None
    kinds = (place.classify(inner) for place in (SQUAD_PLACES if squad else root_places(paths)))
    return next((kind for kind in kinds if kind is not None), None)
