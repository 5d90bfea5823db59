"""Roll back a migration byte for byte; later changes are merged or kept, never lost.

The journal is kept by path, which may be another clone by now. So a migration counts only if the
project's files show it.
"""

import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import chain
from pathlib import Path

from synapse_ls.setup.install.settings_backup import content_digest, delete_record
from synapse_ls.setup.migrate import migration_journal as journal
from synapse_ls.setup.planned_changes import file_text
from synapse_ls.storage.atomic_files import LOCK_SUFFIX
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.tree_folders import CONFIG, TREE

_SAME_EVERYWHERE = (CONFIG, f"{TREE}/.gitignore")  # in every project, so that they show nothing


def read_own_chapters(root: Path) -> list[journal.Chapter]:
    """Return the chapters of the last migration, the first one first, where it is one of this clone
    and was not taken back. Raises UserError.
    """
    chapters = journal.read_chapters(root)
    starts = [number for number, chapter in enumerate(chapters) if chapter.kind == journal.MIGRATE]
    migration = chapters[starts[-1] if starts else 0 :]
    return migration if _is_shown_here(root, migration) else []


def interrupted_chapter(root: Path) -> journal.Chapter | None:
    """Return the chapter of the migration journal that was begun and neither finished nor taken
    back.
    """
    return next(
        (c for c in read_own_chapters(root) if c.state in (journal.PREPARED, journal.UNDOING)), None
    )


def _is_shown_here(root: Path, migration: Sequence[journal.Chapter]) -> bool:
    """Return whether the files of a project show that a migration is about them. The user's own
    settings do not, since any clone meets them.
    """
    original: dict[str, str] = {}
    written: dict[str, set[str]] = {}
    for chapter in migration:
        for entry in chapter.entries:
            if entry.file.is_relative_to(root):
                path = entry.file.relative_to(root).as_posix()
                original.setdefault(path, entry.before)
                written.setdefault(path, set()).add(entry.after)
        if chapter.kind == journal.FINISH:
            # It writes nothing, and notes the tree beside which it removes.
            for path, digest in chapter.sources.items():
                original.setdefault(path, "")
                written.setdefault(path, set()).add(digest)
    now = {path: content_digest(journal.read_file(root / path)) for path in original}
    unchanged = {path for path, digest in now.items() if digest == original[path]}
    done = {path for path, digest in now.items() if digest in written[path]} - unchanged
    if any(now[path] for path in done.difference(_SAME_EVERYWHERE)):
        return True
    # Nothing was done, or all is taken back.
    gone = chain.from_iterable(chapter.gone for chapter in migration)
    is_before = bool(original) and unchanged | done == original.keys()
    return is_before and all(os.path.lexists(root / path) for path in gone)


def merge_changes(base: str, ours: str, theirs: str) -> str | None:
    """Merge, for a rollback, what both ``ours`` and ``theirs`` made of ``base``, line by line; None
    where they collide.

    Changes collide where they touch the same lines, or lines side by side, unless they are equal.
    """
    old = base.splitlines(keepends=True)
    changes = []
    for side, text in enumerate((ours, theirs)):
        new = text.splitlines(keepends=True)
        opcodes = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        changes += [(i1, i2, new[j1:j2], side) for tag, i1, i2, j1, j2 in opcodes if tag != "equal"]
    changes.sort(key=lambda change: (change[0], change[1], change[3]))
    merged: list[str] = []
    at = 0
    last: tuple[int, int, list[str], int] | None = None
    for change in changes:
        start, end, lines, side = change
        if last is not None and side != last[3]:
            if change[:3] == last[:3]:
                continue
            if start <= last[1]:
                return None
        merged += old[at:start]
        merged += lines
        at, last = end, change
    return "".join(merged + old[at:])


RESTORED, DELETED, MERGED, MOVED, LEFT = "restored", "removed", "merged", "kept", "left"

# Where a rollback puts what was changed in the tree since the migration.
ROLLBACK_FOLDER = f"{TREE}-kept"

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class RollbackStep:
    """What the rollback of a migration does to one file or folder: one of the words above, and its
    path.
    """

    action: str
    path: str
    target: str = ""


@dataclass(slots=True)
class _ChapterFile:
    """A file of one or several chapters: what it was before all of them, and what they made of
    it.
    """

    path: str
    file: Path
    part: str
    before: bytes | None
    after: bytes | None
    known_digests: set[str] = field(default_factory=set)


def complete_chapter(chapter: journal.Chapter) -> journal.Chapter:
    """Carry out a chapter of a migration, or roll it back where that fails. UserError says why."""
    try:
        return journal.carry_out_chapter(chapter)
    except UserError as error:
        try:
            take_back_chapters(chapter.root, [chapter])
        except UserError as second:
            raise UserError(
                f"{error.sentence} What was done before could not be taken back: {second.sentence}",
                f"Run `synapse migrate --rollback`. {error.remedy}",
            ) from error
        raise UserError(f"{error.sentence} Nothing was changed.", error.remedy) from error


def roll_back_migration(
    root: Path, *, force: bool = False, dry_run: bool = False
) -> list[RollbackStep]:
    """Roll a migration back, everything that was migrated in ``root``.

    Raises UserError, before anything is changed, where there is nothing to take back, and for
    files whose changes collide; ``force`` leaves those as they are.
    """
    with journal.lock_chapters(root):
        if not (chapters := read_own_chapters(root)) and journal.read_chapters(root):
            raise UserError(
                f"Nothing in {root} shows that it was migrated, so what is recorded of this place "
                "may be of another clone, and nothing was taken back.",
                f"What files were before is in {journal.chapters_folder(root)}: copy what you "
                "miss, then delete that folder.",
            )
        if not chapters:
            raise UserError(
                f"There is no migration of {root} to take back.", "`synapse migrate` makes one."
            )
        return take_back_chapters(root, chapters, force=force, dry_run=dry_run)


def take_back_chapters(
    root: Path,
    taken_chapters: Sequence[journal.Chapter],
    *,
    force: bool = False,
    dry_run: bool = False,
) -> list[RollbackStep]:
    """Roll these chapters of migrations back, the last ones of a project."""
    for chapter in taken_chapters:
        journal.check_links(chapter)
    by_file: dict[str, _ChapterFile] = {}
    for chapter in taken_chapters:
        for number, entry in enumerate(chapter.entries):
            after = chapter.read_copy("after", number) if entry.after else None
            real = os.path.realpath(entry.file)  # a folder may go by several names
            if real not in by_file:
                before = chapter.read_copy("before", number) if entry.before else None
                by_file[real] = _ChapterFile(entry.path, entry.file, entry.part, before, after)
            by_file[real].after = after
            by_file[real].known_digests.add(entry.after)
    files = list(by_file.values())
    wanted, steps = _plan_writes(files, fresh=taken_chapters[0].fresh, force=force)
    # What the chapters have removed and that is not there, with its copy.
    back = []
    for chapter in taken_chapters:
        for number, path in enumerate(chapter.gone):
            place, copy = chapter.root / path, chapter.removed_copy(number)
            if not os.path.lexists(place):
                back.append((path, copy))
            elif not journal.is_same_content(place, copy) and not force:
                raise UserError(
                    f"Not taken back: there is another {path} now.",
                    "Move it away, or use --force, which leaves it as it is.",
                )
    steps += [RollbackStep(RESTORED, path) for path, _ in back]
    if dry_run:
        return steps
    marked = [chapter.with_state(journal.UNDOING) for chapter in taken_chapters]
    for path in chain.from_iterable(chapter.gone for chapter in taken_chapters):
        journal.finish_removal(root / path, root)
    for path, copy in back:
        target = root / path
        journal.make_folder(target.parent, root)
        journal.copy_path(copy, target, root)
    for file, data in wanted.items():
        if data is None:
            journal.remove_file(file, root)
        else:
            journal.make_folder(file.parent, root)
            journal.write_file(file, data, root)
    for chapter_file in files:
        if chapter_file.part == journal.HOOK:
            delete_record(chapter_file.file)
    steps += _clean_up(root, taken_chapters, steps)
    for chapter in marked:
        chapter.with_state(journal.UNDONE)
    return steps


def _plan_writes(
    files: Sequence[_ChapterFile], *, fresh: bool, force: bool
) -> tuple[dict[Path, bytes | None], list[RollbackStep]]:
    """Return what has to be written, and the steps in words. UserError where changes collide."""
    wanted: dict[Path, bytes | None] = {}
    steps: list[RollbackStep] = []
    collisions: list[str] = []
    for file in files:
        if (now := journal.read_file(file.file)) == file.before:
            continue
        if file.before is None:
            if content_digest(now) in file.known_digests:
                wanted[file.file] = None
                steps.append(RollbackStep(DELETED, file.path))
            elif not fresh:
                steps.append(RollbackStep(MOVED, file.path, f"{ROLLBACK_FOLDER}/{file.path}"))
        elif now is None or content_digest(now) in file.known_digests:
            wanted[file.file] = file.before
            steps.append(RollbackStep(RESTORED, file.path))
        else:
            # As it was before, with what somebody has done since.
            merged = None
            with suppress(UnicodeDecodeError):
                for data in (file.before, file.after, now):
                    (data or b"").decode()
                versions = (file_text(data) for data in (file.after, file.before, now))
                merged = merge_changes(*versions)
            if merged is not None:
                wanted[file.file] = _BOM * now.startswith(_BOM) + merged.encode()
                steps.append(RollbackStep(MERGED, file.path))
            elif force:
                steps.append(RollbackStep(LEFT, file.path))
            else:
                collisions.append(file.path)
    if collisions:
        raise UserError(
            f"Not taken back: {', '.join(collisions)} changed since, in lines that the migration "
            "changed too.",
            "Put these lines right by hand, then roll back with --force, which leaves such files "
            "alone.",
        )
    return wanted, steps


def _clean_up(
    root: Path, chapters: Sequence[journal.Chapter], steps: Sequence[RollbackStep]
) -> list[RollbackStep]:
    """Put away what is left of the tree, and remove the folders that were made for it."""
    tree = root / TREE
    done: list[RollbackStep] = []
    journal.remove_path(journal.partial_path(tree, root), root)
    if chapters[0].fresh and tree.is_dir():
        # Remove the empty files that hold locks, and every folder that is empty then.
        for lock_folder, _, names in os.walk(tree, topdown=False):
            for name in names:
                file = Path(lock_folder, name)
                if name.endswith(LOCK_SUFFIX) and file.stat().st_size == 0:
                    journal.remove_file(file, root)
            journal.remove_empty_folder(Path(lock_folder), root)
        if os.path.lexists(tree):
            target = _free_path(root / ROLLBACK_FOLDER)
            journal.rename_path(tree, target, root)
            done.append(RollbackStep(MOVED, TREE, target.name))
    moved = [step.path for step in steps if step.action == MOVED]
    shelf = _free_path(root / ROLLBACK_FOLDER) if moved else root
    for path in moved:
        journal.make_folder((shelf / path).parent, root)
        journal.rename_path(root / path, shelf / path, root)
    for chapter in reversed(chapters):
        for folder in reversed(chapter.folders):
            journal.remove_empty_folder(root / folder, root)
    return done


def _free_path(path: Path) -> Path:
    """Return ``path``, or the first of ``path-2``, ``path-3`` … that nothing has."""
    number, free = 2, path
    while os.path.lexists(free):
        free, number = path.with_name(f"{path.name}-{number}"), number + 1
    return free
