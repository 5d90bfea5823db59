"""The way back from a migration, to the byte; what was changed since is merged or kept, never lost."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.manage.clients import record
from synapse_ls.manage.migrate import disk
from synapse_ls.manage.migrate.change import HOOK, shown
from synapse_ls.manage.migrate.journal import (
    UNDOING,
    UNDONE,
    Chapter,
    alone,
    carry_out,
    chapters,
    digest,
)
from synapse_ls.manage.migrate.merging import merge
from synapse_ls.manage.plan import ManageError
from synapse_ls.sessions.files import LOCK_SUFFIX, SessionError
from synapse_ls.workspace.folders import TREE

RESTORED, DELETED, MERGED, MOVED, LEFT = "restored", "removed", "merged", "kept", "left"

KEPT = f"{TREE}-kept"
"""Where a rollback puts what was changed in the tree since the migration."""

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to one file or folder: one of the words above, and its path."""

    action: str
    path: str
    target: str = ""


@dataclass(frozen=True, slots=True)
class Rollback:
    """What a rollback did, or would do."""

    steps: tuple[Step, ...]
    chapters: tuple[Chapter, ...]


@dataclass(slots=True)
class _File:
    """A file of one or several chapters: what it was before all of them, and what they made of it."""

    path: str
    file: Path
    part: str
    before: bytes | None
    after: bytes | None
    known: set[str]


def complete(chapter: Chapter) -> Chapter:
    """Carry out a chapter, or take it back where that fails. ManageError says why."""
    try:
        return carry_out(chapter)
    except (SessionError, ManageError) as error:
        try:
            take_back(chapter.root, [chapter])
        except (SessionError, ManageError) as second:
            raise ManageError(
                f"{error.sentence} What was done before could not be taken back: {second.sentence}",
                f"Run `synapse migrate --rollback`. {error.remedy}",
            ) from error
        raise ManageError(f"{error.sentence} Nothing was changed.", error.remedy) from error


def roll_back(root: Path, *, force: bool = False, dry_run: bool = False) -> Rollback:
    """Take everything back that was migrated in ``root``.

    Raises ManageError, before anything is changed, where there is nothing to take back, and for
    files whose changes collide; ``force`` leaves those as they are.
    """
    with alone(root):
        found = chapters(root)
        if not found:
            raise ManageError(
                f"There is no migration of {root} to take back.", "`synapse migrate` makes one."
            )
        return take_back(root, found, force=force, dry_run=dry_run)


def take_back(
    root: Path, found: Sequence[Chapter], *, force: bool = False, dry_run: bool = False
) -> Rollback:
    """Take these chapters back, the last ones of a project."""
    files = _files(found)
    wanted, steps = _wanted(files, fresh=found[0].fresh, force=force)
    back = _removed(found, force=force)
    steps += [Step(RESTORED, path) for path, _ in back]
    if dry_run:
        return Rollback(tuple(steps), tuple(found))
    marked = [chapter.marked(UNDOING) for chapter in found]
    for path in (path for chapter in found for path in chapter.gone):
        disk.tidy(root / path)
    for place, copy in back:
        target = root / place
        for folder in reversed(target.parents):
            disk.make_folder(folder)
        disk.copy(copy, target)
    for file, data in wanted.items():
        if data is None:
            disk.unlink(file)
            continue
        for folder in reversed(file.parents):
            disk.make_folder(folder)
        disk.write(file, data)
    for one in files:
        if one.part == HOOK:
            record.forget(one.file)
    steps += _tidied(root, found, steps)
    for chapter in marked:
        chapter.marked(UNDONE)
    return Rollback(tuple(steps), tuple(found))


def _files(found: Sequence[Chapter]) -> list[_File]:
    """The files of the chapters, each once."""
    by_file: dict[str, _File] = {}
    for chapter in found:
        for number, entry in enumerate(chapter.entries):
            after = chapter.after(number) if entry.after else None
            real = os.path.realpath(entry.file)  # a folder may go by several names
            known = by_file.get(real)
            if known is None:
                before = chapter.before(number) if entry.before else None
                known = _File(entry.path, entry.file, entry.part, before, after, set())
                by_file[real] = known
            known.after = after
            known.known.add(entry.after)
    return list(by_file.values())


def _wanted(
    files: Sequence[_File], *, fresh: bool, force: bool
) -> tuple[dict[Path, bytes | None], list[Step]]:
    """What has to be written, and the steps in words. ManageError where changes collide."""
    wanted: dict[Path, bytes | None] = {}
    steps: list[Step] = []
    collisions: list[str] = []
    for one in files:
        now = disk.read(one.file)
        if now == one.before or (now is None and one.before is None):
            continue
        if one.before is None:
            if digest(now) in one.known:
                wanted[one.file] = None
                steps.append(Step(DELETED, one.path))
            elif not fresh:
                steps.append(Step(MOVED, one.path, f"{KEPT}/{one.path}"))
        elif now is None or digest(now) in one.known:
            wanted[one.file] = one.before
            steps.append(Step(RESTORED, one.path))
        else:
            merged = _merged(one, now)
            if merged is not None:
                wanted[one.file] = merged
                steps.append(Step(MERGED, one.path))
            elif force:
                steps.append(Step(LEFT, one.path))
            else:
                collisions.append(one.path)
    if collisions:
        raise ManageError(
            f"Not taken back: {', '.join(collisions)} changed since, in lines that the migration "
            "changed too.",
            "Put these lines right by hand, then roll back with --force, which leaves such files "
            "alone.",
        )
    return wanted, steps


def _merged(one: _File, now: bytes) -> bytes | None:
    """The file as it was before, with what somebody has done since; None where that collides."""
    try:
        for data in (one.before, one.after, now):
            (data or b"").decode()
    except UnicodeDecodeError:
        return None
    text = merge(shown(one.after), shown(one.before), shown(now))
    return None if text is None else _BOM * now.startswith(_BOM) + text.encode()


def _removed(found: Sequence[Chapter], *, force: bool) -> list[tuple[str, Path]]:
    """What the chapters have removed and that is not there, with its copy."""
    back = []
    for chapter in found:
        for number, path in enumerate(chapter.gone):
            place, copy = chapter.root / path, chapter.removed(number)
            if not disk.is_there(place):
                back.append((path, copy))
            elif not disk.is_same(place, copy) and not force:
                raise ManageError(
                    f"Not taken back: there is another {path} now.",
                    "Move it away, or use --force, which leaves it as it is.",
                )
    return back


def _tidied(root: Path, found: Sequence[Chapter], steps: Sequence[Step]) -> list[Step]:
    """Put away what is left of the tree, and remove the folders that were made for it."""
    tree = root / TREE
    done: list[Step] = []
    disk.remove(tree.with_name(f"{tree.name}.partial"))
    if found[0].fresh and tree.is_dir():
        _without_locks(tree)
        if disk.is_there(tree):
            target = _free(root / KEPT)
            disk.rename(tree, target)
            done.append(Step(MOVED, TREE, target.name))
    moved = [step.path for step in steps if step.action == MOVED]
    shelf = _free(root / KEPT) if moved else root
    for path in moved:
        for folder in reversed((shelf / path).parents):
            disk.make_folder(folder)
        disk.rename(root / path, shelf / path)
    for chapter in reversed(found):
        for made in reversed(chapter.folders):
            disk.remove_empty(root / made)
    return done


def _without_locks(tree: Path) -> None:
    """Remove the empty files that hold locks, and every folder that is empty then."""
    for folder, _, names in os.walk(tree, topdown=False):
        for name in names:
            file = Path(folder, name)
            if name.endswith(LOCK_SUFFIX) and file.stat().st_size == 0:
                disk.unlink(file)
        disk.remove_empty(Path(folder))


def _free(path: Path) -> Path:
    """``path``, or the first of ``path-2``, ``path-3`` … that nothing has."""
    number, found = 2, path
    while disk.is_there(found):
        found, number = path.with_name(f"{path.name}-{number}"), number + 1
    return found
