"""Find the files that a patch changes, in the forms that ``git apply``, ``patch`` and
``apply_patch`` read.

Sources: ``git help format-patch``; the manual of GNU diffutils; the parser of Codex's
``apply_patch``, which takes white space around its marks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from synapse_ls.guard.agent_action import DELETE, UNKNOWN_FILE, WRITE

_CODEX_HEADERS: Final = {
    "add file": WRITE, "update file": WRITE, "move to": WRITE, "delete file": DELETE,
}  # fmt: skip
_CODEX_MARKS: Final = ("", "begin patch", "end patch", "end of file", "environment id")
_HEADERS: Final = {
    "--- ": WRITE, "+++ ": WRITE, "*** ": WRITE, "Index: ": WRITE, "rename to ": WRITE,
    "copy to ": WRITE, "rename from ": DELETE,
}  # fmt: skip
_NO_FILE: Final = "/dev/null"


def codex_files(text: str) -> Iterator[tuple[str, str]]:
    """Yield (what is done, path) for each file that a patch of ``apply_patch`` names, with
    `UNKNOWN_FILE` for a header that no client is known to take.
    """
    for line in text.split("\n") if "***" in text else ():
        stars, mark, header = line.replace("\ufeff", " ").partition("***")
        if mark and not stars.strip():
            name, _, path = header.partition(":")
            name = name.strip().casefold()
            if name in _CODEX_HEADERS:
                yield _CODEX_HEADERS[name], path.strip() or UNKNOWN_FILE
            elif not stars and name not in _CODEX_MARKS:
                yield WRITE, UNKNOWN_FILE


def diff_files(text: str) -> Iterator[tuple[str, str, bool]]:
    """Yield (what is done, path, whether it may have more folders in front) for each file that a
    patch of ``git apply`` or ``patch`` names.
    """
    old_lines = new_lines = 0
    last = ""
    for line in text.split("\n"):
        sign = line[:1].strip("\r")
        if (old_lines > 0 or new_lines > 0) and sign in ("", " ", "+", "-", "\\"):
            old_lines -= sign not in ("+", "\\")
            new_lines -= sign not in ("-", "\\")
            continue
        old_lines = new_lines = 0
        words = line.split(" ")  # `@@ -1,2 +3 @@`: so many lines of the old and the new text
        if words[0] == "@@" and words[3:4] == ["@@"]:
            counts = [word.partition(",")[2] or "1" for word in words[1:3]]
            old_lines, new_lines = (int(n[:9]) if n.isdecimal() else 0 for n in counts)
        header = line.strip()
        if header.startswith("diff --git "):
            yield from ((WRITE, _plain_path(name), True) for name in header[11:].split(" b/"))
        for mark, verb in _HEADERS.items():
            if not header.startswith(mark) or header.endswith(("****", "----")):
                continue  # those are the lines of a hunk with context
            path = _plain_path(header[len(mark) :])
            if path != _NO_FILE:
                yield verb, path, not mark[0].isalpha()
            elif last:
                yield DELETE, last, True
            last = path if mark == "--- " and path != _NO_FILE else ""


def _plain_path(name: str) -> str:
    """Return the path of a header without what stands behind it, and without its quotes."""
    if name[:1] != '"':
        return name.partition("\t")[0].strip()
    data = name.strip().strip('"').encode("utf-8", "replace").decode("unicode_escape", "replace")
    return data.encode("latin-1", "replace").decode("utf-8", "replace")  # git escapes bytes
