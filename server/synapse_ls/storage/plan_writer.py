"""This module writes compiled plans into the cache that `plan_cache` reads, looks for damage in
them and drops them.
"""

from __future__ import annotations

import os
from marshal import dumps, loads

from synapse_ls.engine import compiled_plan
from synapse_ls.engine.packed_strings import DamagedPlanError, join_slices
from synapse_ls.storage.plan_cache import (
    CACHE_VERSION,
    LENGTH_BYTES,
    CachedPlan,
    PlanStamps,
    cache_file_name,
    plan_file,
    read_plan,
    with_digest,
    without_digest,
    write_cache_file,
)
from synapse_ls.workspace.regular_files import FOLDER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from synapse_ls.engine.compiled_plan import Plan
    from synapse_ls.storage.plan_cache import Stamps
    from synapse_ls.workspace.regular_files import Stamp

SHELF_FOLDERS = 16  # folders whose stamps are unpacked together


def write_plan(plan: Plan, profile: str, always: Stamps, content: Stamps, names: str) -> None:
    """Writes a plan to the cache; a cache that cannot be written is no reason to fail.

    names: what `tree_identity` returned before the files were read.
    """
    paths = tuple(path for position in plan.periodic for path in plan.domain(position).paths)
    kept = {
        path: stamp
        for path, stamp in always.items()
        if not _is_seen_by_folder(plan.root, path, always)
    }
    guards = _guards_of(plan)
    keep_plan(
        CachedPlan(
            plan, PlanStamps(plan.root, kept, _pack_content(content), paths, guards, names, 0)
        ),
        profile,
    )


def keep_plan(cached: CachedPlan, profile: str) -> bool:
    """Writes a plan with its stamps to the cache; returns whether that could be done."""
    plan = cached.plan
    core, data = plan.to_bytes()
    core = with_digest(core)
    content, ends = join_slices(cached.content)
    size = len(content) + len(core) + len(data)
    stamps: tuple[Any, ...] = (cached.always, ends, cached.paths, cached.guards, cached.names)
    head = with_digest(dumps((CACHE_VERSION, size, *stamps, len(core))))
    parts = (len(head).to_bytes(LENGTH_BYTES, "little"), head, content, core, data)
    return write_cache_file(cache_file_name(plan.root, profile, "plan"), b"".join(parts))


def replace_rules(cached: CachedPlan, plan: Plan, content: Stamps, read: int) -> CachedPlan:
    """Returns a cached plan with ``plan`` in its place, which says something else of some rule files.

    content: the stamps of all rule files. read: the time in nanoseconds from which on they were read.
    """
    packed, guards = _pack_content(content), _guards_of(plan)
    return CachedPlan(
        plan,
        PlanStamps(cached.root, cached.always, packed, cached.paths, guards, cached.names, read),
    )


def _guards_of(plan: Plan) -> tuple[str, ...]:
    return (plan.settings["guard"], *plan.guarded_actions)


def _pack_content(content: Stamps) -> tuple[bytes, ...]:
    """Returns the stamps of rule files, and of folders of them, in shelves."""
    folders: dict[str, dict[str, Stamp | None]] = {}
    for path, stamp in content.items():
        is_folder = stamp is not None and stamp[1] == FOLDER
        folders.setdefault(path if is_folder else path.rpartition("/")[0], {})[path] = stamp
    count = -(-len(folders) // SHELF_FOLDERS)
    shelves: list[dict[str, Stamps]] = [{} for _ in range(count)]
    for folder, stamps in folders.items():
        shelves[compiled_plan.shelf_of(folder, count)][folder] = stamps
    return tuple(map(dumps, shelves))


def _is_seen_by_folder(root: str, path: str, stamps: Stamps) -> bool:
    """Returns whether a file is missing and the stamp of its folder would change when it comes to
    be there.

    What is there and cannot be reached does not change its folder when it can be.
    """
    if stamps[path] is not None or stamps.get(path.rpartition("/")[0]) is None:
        return False
    try:
        os.lstat(f"{root}/{path}")
    except FileNotFoundError:
        return True
    except (OSError, ValueError):
        pass
    return False


def is_damaged(root: str, profile: str = "") -> bool:
    """Returns whether there is a cached plan of this version that cannot be read to its end."""
    try:
        with open(plan_file(root, profile), "rb") as file:
            data = file.read()
    except OSError:
        return False
    found = read_plan(root, profile)
    if found is None:
        # One of another version is only old; where that cannot be told, nobody can read it.
        head = data[LENGTH_BYTES : LENGTH_BYTES + int.from_bytes(data[:LENGTH_BYTES], "little")]
        try:
            version = loads(without_digest(head))[0]
        except (ValueError, TypeError, EOFError, LookupError):
            return True
        return bool(version == CACHE_VERSION)
    try:
        found.plan.check_parts()
    except DamagedPlanError:
        return True
    return False


def drop_plan(root: str, profile: str = "") -> None:
    """Removes the cached plan of a tree, if there is one."""
    try:
        os.unlink(plan_file(root, profile))
    except OSError:
        return
