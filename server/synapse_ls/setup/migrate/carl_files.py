"""This module reads a ``.carl/`` folder as it is on disk.

What of it has no counterpart here is kept to be read in ``.synapse/carl/``; no prompt and no linter
looks into that folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.formats.carl import manifest as carl_manifest
from synapse_ls.formats.manifest import Manifest
from synapse_ls.setup.migrate import disk_operations
from synapse_ls.setup.migrate.carl_mentions import CARL_OWN_FILES
from synapse_ls.setup.migrate.migration_change import KEPT, MigrationChange
from synapse_ls.text.decoding import decode_text
from synapse_ls.text.line_index import LineIndex
from synapse_ls.workspace.edit_plan import EditError
from synapse_ls.workspace.tree_folders import TREE

CARL = ".carl"
CARL_MANIFEST = f"{CARL}/manifest"
CARL_JSON = f"{CARL}/carl.json"

_FILE_LIMIT = 4_000_000  # bytes; CARL reads every file with every prompt
_SUFFIX = ".env"
_OWN_FILES = ("manifest", "commands", "context")
_MOST_NAMES = 10
_OUTSIDE = "is a link that leads out of the project"
_UNREAD_REASON = "it is no file that CARL reads"


@dataclass(frozen=True, slots=True)
class CarlFile:
    """A CarlFile is a file of the folder; ``path`` is relative to the root, ``text`` without byte
    order mark.
    """

    path: str
    data: bytes
    text: str
    newline: str


@dataclass(frozen=True, slots=True)
class CarlTree:
    """A CarlTree is a tree of CARL v1.

    ``rules`` are the files of its domains by the name in the manifest. ``others`` are files that no
    domain has, ``left`` names of what is not taken over, but for the sessions, and why.
    """

    manifest: CarlFile
    document: Manifest
    rules: Mapping[str, CarlFile]
    commands: CarlFile | None
    context: CarlFile | None
    others: tuple[CarlFile, ...]
    left: Mapping[str, str]


def read_carl(root: Path) -> CarlTree:
    """Reads the CARL tree in ``root``. Raises EditError, with the place, for what cannot be read
    whole.
    """
    by_name, left = _list_names(root)
    # A file of the very name is preferred to one with a suffix.
    stems = {name.removesuffix(_SUFFIX): name for name in by_name if name.endswith(_SUFFIX)}
    stems |= {name: name for name in by_name}
    manifest = read_text(root, CARL_MANIFEST)
    document = carl_manifest.parse(manifest.text).document
    served = {
        name: stems[name.lower()]
        for name in dict.fromkeys(("GLOBAL", *document.domains))
        if name.lower() in stems and name.lower() not in _OWN_FILES
    }
    taken = {*served.values(), *(stems.get(own, "") for own in _OWN_FILES)}
    others = [name for name in by_name if name not in taken]
    left |= {name: _UNREAD_REASON for name in others if not _is_readable(root / CARL / name)}
    return CarlTree(
        manifest,
        document,
        {name: read_text(root, f"{CARL}/{file}") for name, file in served.items()},
        _own_file(root, stems, "commands"),
        _own_file(root, stems, "context"),
        tuple(_other_file(root, f"{CARL}/{name}") for name in others if name not in left),
        {name: why for name, why in left.items() if name != "sessions"},
    )


def _list_names(root: Path) -> tuple[list[str], dict[str, str]]:
    """Returns the names of the files in the tree, and what else is in it: name -> why it is left."""
    names: list[str] = []
    left: dict[str, str] = {}
    for path in sorted((root / CARL).iterdir(), key=lambda path: path.name):
        if _leads_out(root, path):
            left[path.name] = f"it {_OUTSIDE}"
        elif path.is_dir():
            left[path.name] = _UNREAD_REASON
        elif not path.name.startswith("."):
            names.append(path.name)
    return names, left


def read_text(root: Path, path: str) -> CarlFile:
    """Reads a file of CARL's that has to be text."""
    data = _read_bytes(root, path)
    decoded = decode_text(data)
    bad = [p for p in decoded.problems if p.kind != "foreign-encoding" and "\ufffd" in p.span.cut(decoded.text)]  # fmt: skip
    if bad:
        line, column = LineIndex(decoded.text).position(bad[0].span.start)
        raise EditError(
            f"{path}:{line + 1}:{column + 1} is not UTF-8, so what it says is not known for certain.",
            "Save the file as UTF-8 first.",
        )
    return CarlFile(path, data, decoded.text, decoded.newline)


def readable_files(root: Path) -> list[str]:
    """Returns the files of CARL's folder that can be read, relative to the root."""
    return [
        f"{CARL}/{entry.name}"
        for entry in sorted((root / CARL).iterdir())
        if not _leads_out(root, entry) and _is_readable(entry)
    ]


def shorten_list(names: list[str]) -> str:
    """Returns the names of CARL's files as a list for people, the first ones only where there are
    many.
    """
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def _own_file(root: Path, stems: Mapping[str, str], name: str) -> CarlFile | None:
    """Returns one of the files that are no domain's."""
    return read_text(root, f"{CARL}/{stems[name]}") if name in stems else None


def _leads_out(root: Path, path: Path) -> bool:
    """Tells whether a file of CARL's folder is neither in the project nor in that folder, which
    may be shared.
    """
    real = Path(os.path.realpath(path))
    return not any(real.is_relative_to(os.path.realpath(home)) for home in (root, root / CARL))


def _is_readable(file: Path) -> bool:
    return file.is_file() and os.access(file, os.R_OK) and file.stat().st_size <= _FILE_LIMIT


def _other_file(root: Path, path: str) -> CarlFile:
    data = _read_bytes(root, path)
    decoded = decode_text(data)
    return CarlFile(path, data, decoded.text, decoded.newline)


def _read_bytes(root: Path, path: str) -> bytes:
    file = root / path
    if _leads_out(root, file):
        raise EditError(f"{path} {_OUTSIDE}, so it is not read.", "Put the file itself there.")
    if not file.is_file():
        raise EditError(f"{path} is not a file that can be read.", "Move it away.")
    if file.stat().st_size > _FILE_LIMIT:
        raise EditError(
            f"{path} has more than {_FILE_LIMIT:,} bytes, which no prompt could hold.",
            "Move it away.",
        )
    return disk_operations.read_file(file) or b""


KEPT_FOLDER = f"{TREE}/carl"


def kept_files(root: Path, carl: CarlTree) -> Iterator[MigrationChange]:
    """Yields the files of CARL's folder that no domain has, as they are."""
    for source in carl.others:
        path = f"{KEPT_FOLDER}/{source.path.rpartition('/')[2]}"
        why = f"{source.path}, which no domain has"
        yield MigrationChange(KEPT, path, root / path, None, source.data, why)


CARL_FILES = (CARL, ".claude/hooks/carl-hook.py", *CARL_OWN_FILES)
"""What CARL brought into a project, which goes with ``--finish``."""


def existing_removals(root: Path) -> list[str]:
    """Returns the files of CARL that are still in the project, of those that CARL has brought into
    it.
    """
    return [path for path in CARL_FILES if os.path.lexists(root / path)]
