"""The places of a root for all rule systems, and the kind of file of a path.

CARL's sessions (``.carl/sessions``) are not part of a tree: a prompt reads their overrides, and
nothing writes there.
"""

from functools import lru_cache

from synapse_ls.formats.config_settings import PathSettings
from synapse_ls.workspace import chati_places, tree_folders
from synapse_ls.workspace.file_kinds import (
    ACCESS_FILE,
    MARKDOWN_ENDINGS,
    SQUAD_PLACES,
    SYNCED_PLACES,
    YAML_ENDINGS,
    FileKind,
    Place,
    adopted_places,
    is_walkable,
    squad_folder_of,
)

IDENTITY = "system/core_identity.md"
SHORT_TERM = "memory/short_term.md"
LONG_TERM = "memory/long_term"
# Brainiac's files (source: Brainiac Context Ordering).
INDEX = "_index.md"

# Kinds of Brainiac's files in Markdown.
BRAINIAC_KINDS = frozenset(
    {FileKind.IDENTITY, FileKind.SHORT_TERM, FileKind.LONG_TERM, FileKind.MEMORY_INDEX}
)
# Kinds of Brainiac's files whose text a plan is made of, sections included.
BRAINIAC_PLAN_KINDS = BRAINIAC_KINDS | {FileKind.ACCESS_LOG, FileKind.SECTION}

# The places of every such system; one that a root does not have costs a look for its folder.
SYSTEM_PLACES: tuple[Place, ...] = (
    Place(tree_folders.CARL_FILE, FileKind.CARL),
    Place(tree_folders.CARL, None),
    Place(tree_folders.CARL_SAMPLE, FileKind.COMPONENT),
    *chati_places.PLACES,
    Place(IDENTITY, FileKind.IDENTITY, essential=True),
    Place(SHORT_TERM, FileKind.SHORT_TERM, essential=True),
    Place(
        LONG_TERM,
        FileKind.LONG_TERM,
        MARKDOWN_ENDINGS,
        deep=True,
        special_names=((INDEX, FileKind.MEMORY_INDEX),),
        confined=True,
    ),
    Place(ACCESS_FILE, FileKind.ACCESS_LOG),
)


@lru_cache(maxsize=64)
def root_places(paths: PathSettings) -> tuple[Place, ...]:
    """Return the places of a root by which its paths are classified, those that every prompt needs
    first.
    """
    places: tuple[Place, ...] = (
        Place(tree_folders.CONFIG, FileKind.CONFIG),
        *adopted_places(paths),
        Place(tree_folders.TREE, None),
        *(Place(p, FileKind.WORKFLOW_STATE, ("-state.yaml",), deep=True) for p in paths.states),
        *(Place(p, FileKind.AGENT, MARKDOWN_ENDINGS) for p in paths.agents),
        *(Place(p, FileKind.WORKFLOW, YAML_ENDINGS) for p in paths.workflows),
        *(Place(p, FileKind.TASK, MARKDOWN_ENDINGS) for p in paths.tasks),
        *(Place(p, FileKind.STORY, MARKDOWN_ENDINGS, deep=True) for p in paths.stories),
        *(Place(p, FileKind.PATTERNS) for p in paths.patterns),
        *(Place(p, FileKind.CHAINS) for p in paths.chains),
        *(Place(p, FileKind.CONSTITUTION_SOURCE) for p in paths.constitution),
        *(Place(p, FileKind.SECTION) for p in paths.sections),
        Place(tree_folders.TESTS, FileKind.TESTS, (".toml",)),
        *(Place(p, FileKind.MEMORY, MARKDOWN_ENDINGS, deep=True) for p in tree_folders.MEMORIES),
        *SYNCED_PLACES,
        *(Place(p, FileKind.RULES) for p in paths.manifest_rule_files),
        Place(tree_folders.SESSIONS, FileKind.SESSION, (".json",)),
        *SYSTEM_PLACES,
    )
    # Without rules that another folder is served instead of.
    return tuple(
        place
        for place in places
        if place.kind not in (None, FileKind.CARL)
        or place.path.partition("/")[0] not in paths.dormant
    )


def classify_path(path: str, paths: PathSettings) -> FileKind | None:
    """Classify a path relative to the root by what kind of file it is; None where it is not ours.

    Templates (``_*``), dot files and files about a folder (README, LICENSE) are not ours, nor
    is anything below a tree's own folder but its tests and sessions.
    """
    if tree_folders.is_above_root(path):
        return FileKind.CARL if tree_folders.is_carl_scope(path) else None
    squad, inner = squad_folder_of(path, paths), path
    if squad and any(place.classify(path) for place in adopted_places(paths)):
        return FileKind.INSTRUCTIONS
    if squad:
        inner = path[len(squad) + 1 :]
        if not is_walkable(squad.rpartition("/")[2]):
            return None
    kinds = (place.classify(inner) for place in (SQUAD_PLACES if squad else root_places(paths)))
    return next((kind for kind in kinds if kind is not None), None)
