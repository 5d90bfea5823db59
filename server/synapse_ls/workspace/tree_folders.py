"""Names of the folders and files of a tree: ``.synapse``, ``.carl``, sessions, tests, squads …

`ROOT_MARKS` lists what marks a root, in order of precedence, with profile and title.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

# What marks a root, in the order in which it is looked for, the profile it speaks for, and how
# sentences name that system.
ROOT_MARKS = (
    (".synapse", "synapse", "SYNAPSE"),
    (".carl/carl.json", "carl-v2", "CARL"),
    (".carl/manifest", "carl", "CARL"),
    ("chati.dev", "chati", "Chati.dev"),
    (".chati", "chati", "Chati.dev"),
    ("system/core_identity.md", "brainiac", "Brainiac"),
    ("memory/short_term.md", "brainiac", "Brainiac"),
)

# What appears where a tree comes into being: its own folder, or a file among others of a root.
ROOT_MARK_TOPS = tuple(
    dict.fromkeys(mark.partition("/")[0] if mark[0] == "." else mark for mark, _, _ in ROOT_MARKS)
)

TREE = ".synapse"
MANIFEST = f"{TREE}/manifest"
CONFIG = f"{TREE}/config.toml"
SESSIONS = f"{TREE}/sessions"
TESTS = f"{TREE}/tests"
# Where memories are; what was forgotten lies beside them.
MEMORIES = (f"{TREE}/memory/shared", f"{TREE}/memory/agents")
CONTINUATION = f"{TREE}/continuation/latest.md"
# The same in a tree of Chati.dev (Chati Context Engine, "Autonomous Context Recovery").
CHATI_STATE = ".chati"
CHATI_CONTINUATION = f"{CHATI_STATE}/continuation/latest.md"
CHATI_MEMORIES = f"{CHATI_STATE}/memories"
CONTINUATIONS = (CONTINUATION, CHATI_CONTINUATION)
# Folders in a tree's own that hold no rules: what is written while one works with it.
STATE_FOLDERS = ("sessions", "cache", "metrics", "memory", "continuation")
_NOTE_PLACES = {
    TREE: STATE_FOLDERS,
    CHATI_STATE: ("continuation", "memories"),
    "memory": ("short_term.md",),  # Brainiac's
}
CARL = ".carl"
CARL_SAMPLE = f"{CARL}/manifest.template"  # what a project's own script writes the manifest from
# The one file of CARL v2; where it is, the files of CARL v1 beside it are not read.
CARL_FILE = f"{CARL}/carl.json"
# What leads above a root; only CARL v2's file is looked for there (`file_scanner`).
PARENT = "../"
ROOT_MANIFESTS = (MANIFEST, f"{CARL}/manifest")
# Folders with a manifest and rule files at the root, of which one is served: see `rules_folder`.
RULE_FOLDERS = (TREE, CARL)
# The folder of a framework whose rules have another format.
CHATI = "chati.dev"
# Where squads are unless ``[paths]`` says otherwise.
SQUADS = "squads"
METRICS = f"{TREE}/metrics"
# Folders that hold words of a person's prompts, or, `METRICS`, what was measured at each.
PRIVATE_FOLDERS = (
    SESSIONS,
    f"{TREE}/continuation",
    f"{CHATI_STATE}/continuation",
    METRICS,
    f"{TREE}/memory/digests",
)


def rules_folder(profile: str, custom_profiles: Mapping[str, Mapping[str, object]]) -> str:
    """Return the folder whose rules a profile reads; "" where that depends on which folders there
    are.

    ``custom_profiles`` are the profiles of the configuration, each of which may extend another.
    """
    profile = base_profile(profile, custom_profiles)
    if not profile:
        return ""
    return CARL if profile in ("carl", "carl-v2") else TREE


def base_profile(profile: str, custom_profiles: Mapping[str, Mapping[str, object]]) -> str:
    """Return the profile that one of the configuration extends, be it by way of others."""
    visited: set[str] = set()
    while profile in custom_profiles and profile not in visited:
        visited.add(profile)
        profile = str(custom_profiles[profile].get("extends", "synapse"))
    return profile


def is_above_root(path: str) -> bool:
    """Check whether a path, relative to a root, is that of a file above it."""
    return path.startswith(PARENT)


def is_carl_scope(path: str) -> bool:
    """Check whether a path, relative to a root, is one at which a ``carl.json`` above it may be."""
    up, _, rest = path.rpartition(PARENT)
    return is_above_root(path) and rest == CARL_FILE and not up.replace(PARENT, "")


def is_in_rule_folder(path: str) -> bool:
    """Check whether a path, relative to the root, lies in a folder of `RULE_FOLDERS`."""
    return path.startswith((f"{TREE}/", f"{CARL}/"))


def is_session_path(path: str) -> bool:
    """Check whether a path, relative to the root, is the session store or lies in it."""
    return path == SESSIONS or path.startswith(f"{SESSIONS}/")


def is_note_path(path: str) -> bool:
    """Check whether a path, relative to the root, is that of a file or folder in which this program
    keeps its notes, or lies in one.
    """
    top, _, rest = path.partition("/")
    return rest.partition("/")[0] in _NOTE_PLACES.get(top, ())


def is_under(path: str, folder: str) -> bool:
    """Check whether a path is that of a folder or lies in the folder; every path lies in the folder
    "" (the root).
    """
    return not folder or path == folder or path.startswith(f"{folder}/")


def paths_overlap(a: str, b: str) -> bool:
    """Check whether one of two paths lies in the other."""
    return is_under(a, b) or is_under(b, a)
