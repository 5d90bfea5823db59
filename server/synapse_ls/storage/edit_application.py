"""Apply edit plans on disk, all or nothing, or show them as diffs."""

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

from synapse_ls.storage import atomic_files
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.text_edit import text_diff
from synapse_ls.text.user_error import UserError
from synapse_ls.workspace.edit_plan import CREATE, EDIT, MOVE, RENAME, EditPlan, FileEdit
from synapse_ls.workspace.regular_files import read_whole

_BOM = b"\xef\xbb\xbf"

_Undo = Callable[[], object]


def plan_diff(plan: EditPlan) -> str:
    """Return what the application of an edit plan would do, as a unified diff with the headers of
    git; "" for an empty plan.
    """
    parts = []
    for change in plan.edits:
        if change.action in (RENAME, MOVE):
            parts.append(f"rename from {change.path}\nrename to {change.target}\n")
        before = "/dev/null" if change.action == CREATE else f"a/{change.path}"
        parts.append(text_diff(change.before, change.after, before, f"b/{change.result_path}"))
    return "".join(parts)


def apply_plan(root: Path, plan: EditPlan) -> tuple[str, ...]:
    """Carry out ``plan`` below ``root``; return the paths that were written, in the order of the
    plan.

    First every file is compared with the text that the plan was made for, so that nobody's change
    is lost. Then the files are written one by one, each atomically; where one fails, those before
    it are put back. A file's byte order mark, line breaks and permissions stay.

    Raises UserError; unless its sentence says otherwise, everything is then as it was before.
    """
    old = [_read_current(root, change) for change in plan.edits]
    undo: list[tuple[str, _Undo]] = []
    try:
        for change, data in zip(plan.edits, old, strict=True):
            _write_change(root, change, data, undo)
    except BaseException as error:
        # Take changes back, the last one first.
        lost = []
        for path, step in reversed(undo):
            try:
                step()
            except (atomic_files.StorageError, OSError):
                lost.append(path)
        failure = (
            atomic_files.storage_error("write", "the files", error)
            if isinstance(error, OSError)
            else error
        )
        if not isinstance(failure, atomic_files.StorageError):
            raise
        if lost:
            failure = UserError(
                f"{failure.sentence} What was done before could not be taken back in "
                f"{', '.join(lost)}.",
                f"Check these files. {failure.remedy}",
            )
        raise failure from error
    return tuple(change.result_path for change in plan.edits)


def _new_content(change: FileEdit, old: bytes) -> bytes:
    return (_BOM if old.startswith(_BOM) else b"") + change.after.encode()


def check_place(root: Path, change: FileEdit) -> None:
    """Raise UserError where something stands where a change creates a file, or moves one to."""
    new = root / change.result_path
    # To some file systems a new name may be the old one, as ``A`` and ``a`` are.
    old, is_renamed = root / change.path, change.action in (RENAME, MOVE)
    is_same = is_renamed and old.exists() and new.exists() and old.samefile(new)
    if change.action != EDIT and os.path.lexists(new) and not is_same:
        raise UserError(
            f"{change.result_path} already exists, so nothing was written.",
            "Move it away, or choose another name.",
        )


def _read_current(root: Path, change: FileEdit) -> bytes:
    """Return the bytes of a file that will be changed; raise UserError where they are not as
    planned.
    """
    check_place(root, change)
    if change.action == CREATE or (change.action == MOVE and (root / change.path).is_dir()):
        return b""
    try:
        data = read_whole(root / change.path)
    except OSError as error:
        raise atomic_files.storage_error("read", change.path, error) from error
    decoded = decode_text(data)
    if (_BOM if decoded.bom else b"") + decoded.text.encode(errors="replace") != data:
        raise UserError(
            f"{change.path} is not UTF-8 throughout, so a change could damage the rest of it.",
            "Save it as UTF-8 first.",
        )
    if decoded.text != change.before:
        raise UserError(
            f"{change.path} has changed since it was read, so nothing was written.",
            "Run the command again.",
        )
    return data


def _write_change(root: Path, change: FileEdit, old: bytes, undo: list[tuple[str, _Undo]]) -> None:
    """Make one change and note how to take it back."""
    source, target, within = str(root / change.path), str(root / change.result_path), str(root)
    made_folders = atomic_files.make_folders(os.path.dirname(target), within=within)
    undo += (
        (folder, partial(atomic_files.remove_folder, folder, within=within))
        for folder in made_folders
    )
    if change.action == CREATE:
        atomic_files.atomic_write(target, _new_content(change, old), within=within, durable=True)
        undo.append((change.path, lambda: atomic_files.remove_file(target, within=within)))
        return
    if change.action in (RENAME, MOVE):
        atomic_files.move_path(source, target, within=within)
        undo.append((change.path, lambda: atomic_files.move_path(target, source, within=within)))
    if change.edits:
        atomic_files.atomic_write(target, _new_content(change, old), within=within, durable=True)
        undo.append(
            (
                change.path,
                lambda: atomic_files.atomic_write(target, old, within=within, durable=True),
            )
        )
