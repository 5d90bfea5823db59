"""This module tells which chapters of a migration's journal are about the clone that is there now.

The journal is kept by path, and a path may have another clone by now. So a migration counts only
where files of the project show it: what it wrote is there, or most of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from synapse_ls.setup.migrate import disk_operations
from synapse_ls.setup.migrate.migration_change import file_text
from synapse_ls.setup.migrate.migration_journal import (
    FINISH,
    MIGRATE,
    PREPARED,
    UNDOING,
    Chapter,
    ChapterEntry,
    content_digest,
    read_chapters,
)
from synapse_ls.workspace.tree_folders import CONFIG, TREE

_MOST = 0.5  # of what a migration wrote has to be there, and more
_SAME_EVERYWHERE = (CONFIG, f"{TREE}/.gitignore")  # in every project, so that they show nothing


def read_own_chapters(root: Path) -> list[Chapter]:
    """Returns the chapters of the last migration, the first one first, where it is one of this clone
    and was not taken back. Raises EditError.
    """
    chapters = read_chapters(root)
    starts = [number for number, chapter in enumerate(chapters) if chapter.kind == MIGRATE]
    migration = chapters[starts[-1] if starts else 0 :]
    return migration if _is_shown_here(root, migration) else []


def interrupted_chapter(root: Path) -> Chapter | None:
    """Returns the chapter of the migration journal that was begun and neither finished nor taken
    back.
    """
    return next((c for c in read_own_chapters(root) if c.state in (PREPARED, UNDOING)), None)


def _is_shown_here(root: Path, migration: Sequence[Chapter]) -> bool:
    """Tells whether the files of a project show that a migration is about them."""
    original: dict[str, str] = {}
    written: dict[str, set[str]] = {}
    for _, _, path, entry in _project_entries(root, migration):
        original.setdefault(path, entry.before)
        written.setdefault(path, set()).add(entry.after)
    for chapter in migration:
        if chapter.kind == FINISH:  # it writes nothing, and notes the tree beside which it removes
            for path, digest in chapter.sources.items():
                written.setdefault(path, set()).add(digest)
                original.setdefault(path, "")
    now = {path: content_digest(disk_operations.read_file(root / path)) for path in original}
    unchanged = {path for path, digest in now.items() if digest == original[path]}
    done = {path for path, digest in now.items() if digest in written[path]} - unchanged
    if any(now[path] for path in done.difference(_SAME_EVERYWHERE)):
        return True
    if original and unchanged | done == original.keys():  # nothing was done, or all is taken back
        return all(
            disk_operations.path_exists(root / path)
            for chapter in migration
            for path in chapter.gone
        )
    return _has_most_lines(root, migration)


def _project_entries(
    root: Path, migration: Sequence[Chapter]
) -> Iterator[tuple[Chapter, int, str, ChapterEntry]]:
    """Yields (chapter, number, path, entry) of each file in the project; any clone meets the user's
    own settings.
    """
    for chapter in migration:
        for number, entry in enumerate(chapter.entries):
            if entry.file.is_relative_to(root):
                yield chapter, number, entry.file.relative_to(root).as_posix(), entry


def _has_most_lines(root: Path, migration: Sequence[Chapter]) -> bool:
    """Tells whether most lines that a migration wrote are there."""
    wanted: dict[str, set[str]] = {}
    for chapter, number, path, entry in _project_entries(root, migration):
        if path not in _SAME_EVERYWHERE:
            after = chapter.content_after(number) if entry.after else None
            before = chapter.content_before(number) if entry.before else None
            wanted[path] = _text_lines(after) - _text_lines(before)
    there = sum(
        len(lines & _text_lines(disk_operations.read_file(root / path)))
        for path, lines in wanted.items()
    )
    return there > _MOST * sum(map(len, wanted.values()))


def _text_lines(data: bytes | None) -> set[str]:
    return {line.strip() for line in file_text(data).splitlines()} - {""}
