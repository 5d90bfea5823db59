"""A ``.carl/`` folder as it is on disk."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from synapse_ls.formats.carl import manifest as carl_manifest
from synapse_ls.formats.manifest import Manifest
from synapse_ls.manage.migrate import disk
from synapse_ls.manage.plan import ManageError
from synapse_ls.text.decode import decode
from synapse_ls.text.lines import LineIndex

CARL = ".carl"
MANIFEST = f"{CARL}/manifest"
V2 = f"{CARL}/carl.json"

_MOST = 4_000_000  # bytes; CARL reads every file with every prompt
_SUFFIX = ".env"
_OWN = ("manifest", "commands", "context")
_SHOWN = 10
_OUTSIDE = "is a link that leads out of the project"
_UNREAD = "it is no file that CARL reads"


@dataclass(frozen=True, slots=True)
class Source:
    """A file of the folder; ``path`` is relative to the root, ``text`` without byte order mark."""

    path: str
    data: bytes
    text: str
    newline: str


@dataclass(frozen=True, slots=True)
class Carl:
    """A tree of CARL v1.

    ``rules`` are the files of its domains by the name in the manifest. ``others`` are files that no
    domain has, ``left`` names of what is not taken over, but for the sessions, and why.
    """

    manifest: Source
    document: Manifest
    rules: Mapping[str, Source]
    commands: Source | None
    context: Source | None
    others: tuple[Source, ...]
    left: Mapping[str, str]


def read_carl(root: Path) -> Carl:
    """The tree in ``root``. Raises ManageError, with the place, for what cannot be read whole."""
    folder = root / CARL
    by_name: dict[str, str] = {}
    left: dict[str, str] = {}
    for name in sorted(entry.name for entry in folder.iterdir()):
        if _leads_out(root, folder / name):
            left[name] = f"it {_OUTSIDE}"
        elif (folder / name).is_dir():
            left[name] = _UNREAD
        elif not name.startswith("."):
            by_name[name] = name
    # A file of the very name is preferred to one with a suffix.
    stems = {name.removesuffix(_SUFFIX): name for name in by_name if name.endswith(_SUFFIX)}
    stems |= by_name
    manifest = read_text(root, MANIFEST)
    document = carl_manifest.parse(manifest.text).document
    names = dict.fromkeys(("GLOBAL", *document.domains))
    served = {
        name: stems[name.lower()]
        for name in names
        if name.lower() in stems and name.lower() not in _OWN
    }
    taken = {*served.values(), *(stems.get(own, "") for own in _OWN)}
    others = [name for name in by_name if name not in taken]
    left |= {name: _UNREAD for name in others if not _is_readable(folder / name)}
    return Carl(
        manifest,
        document,
        {name: read_text(root, f"{CARL}/{file}") for name, file in served.items()},
        _own(root, stems, "commands"),
        _own(root, stems, "context"),
        tuple(_other(root, f"{CARL}/{name}") for name in others if name not in left),
        {name: why for name, why in left.items() if name != "sessions"},
    )


def read_text(root: Path, path: str) -> Source:
    """A file that has to be text."""
    data = _bytes(root, path)
    decoded = decode(data)
    bad = [p for p in decoded.problems if p.kind != "foreign-encoding" and "\ufffd" in p.span.cut(decoded.text)]  # fmt: skip
    if bad:
        line, column = LineIndex(decoded.text).position(bad[0].span.start)
        raise ManageError(
            f"{path}:{line + 1}:{column + 1} is not UTF-8, so what it says is not known for certain.",
            "Save the file as UTF-8 first.",
        )
    return Source(path, data, decoded.text, decoded.newline)


def readable(root: Path) -> list[str]:
    """The files of CARL's folder that can be read, relative to the root."""
    return [
        f"{CARL}/{entry.name}"
        for entry in sorted((root / CARL).iterdir())
        if not _leads_out(root, entry) and _is_readable(entry)
    ]


def shorten(names: list[str]) -> str:
    """Names as a list for people, the first ones only where there are many."""
    more = len(names) - _SHOWN
    return ", ".join(names[:_SHOWN]) + (f" and {more} more" if more > 0 else "")


def _own(root: Path, stems: Mapping[str, str], name: str) -> Source | None:
    """One of the files that are no domain's."""
    return read_text(root, f"{CARL}/{stems[name]}") if name in stems else None


def _leads_out(root: Path, path: Path) -> bool:
    """Whether a file of CARL's folder is neither in the project nor in that folder, which may be shared."""
    real = Path(os.path.realpath(path))
    return not any(real.is_relative_to(os.path.realpath(home)) for home in (root, root / CARL))


def _is_readable(file: Path) -> bool:
    return file.is_file() and os.access(file, os.R_OK) and file.stat().st_size <= _MOST


def _other(root: Path, path: str) -> Source:
    data = _bytes(root, path)
    decoded = decode(data)
    return Source(path, data, decoded.text, decoded.newline)


def _bytes(root: Path, path: str) -> bytes:
    file = root / path
    if _leads_out(root, file):
        raise ManageError(f"{path} {_OUTSIDE}, so it is not read.", "Put the file itself there.")
    if not file.is_file():
        raise ManageError(f"{path} is not a file that can be read.", "Move it away.")
    if file.stat().st_size > _MOST:
        raise ManageError(
            f"{path} has more than {_MOST:,} bytes, which no prompt could hold.", "Move it away."
        )
    return disk.read(file) or b""
