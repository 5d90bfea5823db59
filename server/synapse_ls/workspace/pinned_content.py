"""Read the part of a tree that can be pinned, with digests.

These are the files that decide what agents get and what the guard forbids: rules, configuration,
agents, tasks, workflows, squads, memories, hand-offs, continuations. `WORK_KINDS` and
`WORK_FOLDERS` change with the work and are not pinned.
"""

import os
from collections.abc import Iterator

from synapse_ls.formats.config_settings import PathSettings
from synapse_ls.text.sha256 import sha256
from synapse_ls.workspace import activation_folders, chati_places, file_scanner, outside_links
from synapse_ls.workspace.file_kinds import SQUAD_PLACES, FileKind, LoadScope
from synapse_ls.workspace.path_classification import classify_path, root_places
from synapse_ls.workspace.regular_files import Stamp, open_descriptor, stamp_of_status, take_stamp
from synapse_ls.workspace.tree_folders import CARL, CONTINUATIONS, MEMORIES, PRIVATE_FOLDERS
from synapse_ls.workspace.tree_loader import load_tree

_WORK = "workflow_state story session access_log chati_session tests synced component"
# Kinds of files that are not pinned; the last three are what no prompt is told.
WORK_KINDS = frozenset(map(FileKind, _WORK.split()))
# Folders of notes that are not pinned.
WORK_FOLDERS = (*PRIVATE_FOLDERS, f"{CARL}/sessions")
# The earlier continuations lie beside the latest one.
_CONTINUATION_FOLDERS = tuple(os.path.dirname(path) for path in CONTINUATIONS)
_MEMORY_FOLDERS = (*MEMORIES, chati_places.MEMORIES, *_CONTINUATION_FOLDERS)
MAX_BYTES = 16_000_000  # bytes; of a larger file nothing is told
# What stands for the digest of what cannot be read, so that it counts as changed when it can.
UNREAD = "unread"


def scan_content(root: str) -> tuple[dict[str, str], dict[str, Stamp | None]]:
    """Return the digest of each file that can be pinned, by its path relative to the root; and the
    stamps of all that was looked at, None for what is not there: while they hold, so do the
    digests.
    """
    loaded = load_tree(root, LoadScope.PROMPT)
    stamps: dict[str, Stamp | None] = {}
    paths = loaded.index.snapshot().config.paths
    scanner = file_scanner.Scanner(root, paths, stamps, [], lambda *_: False)
    digests: dict[str, str] = {}
    read_when_activated = _activation_paths(root, paths, stamps)
    places = [(scanner.base, place) for place in root_places(paths)]
    places += [(squad, place) for squad in scanner.list_squads() for place in SQUAD_PLACES]
    files = [
        file
        for base, place in places
        if place.kind not in WORK_KINDS
        for file in scanner.files_in(base, place)
    ]
    files += scanner.files_above()
    pinned = (file.path for file in files if file.kind not in WORK_KINDS)
    for path in dict.fromkeys((*pinned, *CONTINUATIONS, *read_when_activated)):
        digest, stamps[path] = read_digest(f"{root}/{path}")
        if digest is not None:
            digests[path] = digest
    return digests, stamps


def read_digest(path: str) -> tuple[str | None, Stamp | None]:
    """Return the digest of a file that can be pinned (None where there is none) and its stamp."""
    try:
        descriptor = open_descriptor(path)
    except (FileNotFoundError, NotADirectoryError):
        return None, None
    except OSError:
        return UNREAD, take_stamp(path)
    try:
        status = os.fstat(descriptor)
        stamp = stamp_of_status(status)
        if status.st_size > MAX_BYTES:
            return UNREAD, stamp
        digest, left = sha256(), MAX_BYTES
        while left > 0 and (part := os.read(descriptor, 1 << 20)):
            digest.update(part)
            left -= len(part)
        return digest.hexdigest(), stamp
    except OSError:
        return UNREAD, None
    finally:
        os.close(descriptor)


def is_pinned_path(root: str, path: str) -> bool:
    """Return whether a file at this path, relative to the root, would be one that can be pinned."""
    if os.path.dirname(path) in _CONTINUATION_FOLDERS:
        return path.endswith(activation_folders.MARKDOWN)
    paths = load_tree(root, LoadScope.PROMPT).index.snapshot().config.paths
    is_rule = classify_path(path, paths) not in {None, *WORK_KINDS}
    return is_rule or path in _activation_paths(root, paths, {})


def covers_profile(root: str, profile: str) -> bool:
    """Return whether a pin of the tree has the rules that another ``profile`` reads: those that are
    dormant as it is served are not pinned.
    """
    own, other = (
        load_tree(root, LoadScope.PROMPT, profile=name).index.snapshot().config.paths.dormant
        for name in ("", profile)
    )
    return set(own) <= set(other)


def _activation_paths(root: str, paths: PathSettings, stamps: dict[str, Stamp | None]) -> list[str]:
    """Return the files that the configuration names, an activation and the memory read, whatever
    the tree makes of them: a definition counts in a folder of agents even if it is called
    ``README.md``, and patterns do in a folder of workflow states.
    """
    names = ("agents", "workflows", "states", "squads")
    folders = activation_folders.WorkFolders(root, {name: getattr(paths, name) for name in names})
    files = [
        *paths.patterns,
        *paths.chains,
        *paths.constitution,
        *folders.iter_files("agents", activation_folders.MARKDOWN),
        *folders.iter_files("workflows", activation_folders.YAML),
        *folders.iter_handoffs(),
    ]
    for path in (*folders.listed, *files):  # what a link leads to may come to count
        stamps[path] = take_stamp(folders.full_path(path))
    files = list(filter(folders.real_path, files))
    for folder in _MEMORY_FOLDERS:
        files += _memory_files(root, folder, stamps)
    settings = (*activation_folders.PREFERENCE_FILES, *activation_folders.PERMISSION_FILES)
    return [*files, *paths.named, *settings]


def _memory_files(root: str, top: str, stamps: dict[str, Stamp | None]) -> Iterator[str]:
    """Yield the Markdown in a folder of notes, and the folders that are too deep to be looked
    into; as the memory does, it follows no link.
    """
    stamps[top] = take_stamp(f"{root}/{top}")
    folders = [] if outside_links.find_outside_link(root, top) else [top]
    while folders:
        folder = folders.pop()
        if folder.count("/") >= file_scanner.MAX_DEPTH:
            yield folder
            continue
        stamps[folder] = take_stamp(f"{root}/{folder}")
        try:
            with os.scandir(f"{root}/{folder}") as entries:
                listed = sorted((e.name, e.is_dir(follow_symlinks=False)) for e in entries)
        except OSError:
            continue
        for name, is_folder in listed:
            if is_folder:
                folders.append(f"{folder}/{name}")
            elif name.endswith(activation_folders.MARKDOWN):
                yield f"{folder}/{name}"
