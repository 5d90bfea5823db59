"""What the linter says of rule files that an agent has just edited, for that agent to read.

The linter needs more of Python than the hook has, and on a large tree more time than a client
waits. So it runs in a process of its own that is given a few seconds.
"""

from __future__ import annotations

import os
import sys

from synapse_ls.engine.hashing import text_hash
from synapse_ls.service import cache, log
from synapse_ls.service.touched import within
from synapse_ls.text.json import JsonError, loads
from synapse_ls.workspace.discover import find_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Final

    from synapse_ls.service.call import Call

SECONDS: Final = 4.0  # clients give a hook five or more
MOST: Final = 20  # findings that are told
LENGTH: Final = 400  # code points of one
MEMO: Final = "diagnosed"  # file -> [stamp, identities of its findings], in the cache folder
FILES: Final = 200  # files of a tree that are remembered
SEVERE: Final = ("error", "warning")
HEAD: Final = "Synapse LS found in the rule files that were just edited:"

_CODE: Final = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from synapse_ls.service.diagnose import main; main(sys.argv[2], sys.argv[3:])"
)


def report(call: Call, edited: Iterable[str]) -> str:
    """What there is to say of the files at ``edited``, as the client spells them; "" for nothing."""
    lines: list[str] = []
    for root, paths in _by_tree(call, edited).items():
        inner = within(call.root, root)
        place = f"{inner}/" if inner else "" if root == call.root else f"{root}/"
        lines += [f"{place}{line}" for line in _of_tree(root, paths)]
    if not lines:
        return ""
    shown = lines[:MOST]
    if len(lines) > MOST:
        shown.append(f"… {len(lines) - MOST} more: run `synapse check`.")
    return "\n".join((HEAD, *shown))


def _by_tree(call: Call, edited: Iterable[str]) -> dict[str, list[str]]:
    """Root of a tree -> its files among ``edited``: the nearest tree is the one that lints them."""
    found: dict[str, list[str]] = {}
    for path in edited:
        full = os.path.join(call.event.cwd or call.root, path.replace("\\", os.sep))
        root = find_root(full)
        inner = within(root, full) if root else ""
        if root and inner:
            found.setdefault(root, []).append(inner)
    return found


def _of_tree(root: str, paths: list[str]) -> list[str]:
    memo = cache.read_memo(root, MEMO)
    stamps = {path: _stamp(root, path) for path in paths}
    # Another registration of the hook may have told of the same edit.
    new = [path for path in paths if stamps[path] != _kept(memo, path)[0]]
    if not new:
        return []
    findings = _lint(root, new)
    if findings is None:
        return [f"{path}: could not be checked in time; run `synapse check`." for path in new]
    lines = []
    for path in new:
        known = _kept(memo, path)[1]
        own = [finding for finding in findings if finding["path"] == path]
        lines += [_line(f) for f in own if f["severity"] in SEVERE or _is_new(f, known)]
        memo.pop(path, None)
        memo[path] = [stamps[path], [_identity(finding) for finding in own]]
    cache.write_memo(root, MEMO, dict(list(memo.items())[-FILES:]))
    return lines


def _kept(memo: dict[str, Any], path: str) -> tuple[object, list[str] | None]:
    kept = memo.get(path)
    if isinstance(kept, list) and len(kept) == 2 and isinstance(kept[1], list):
        return kept[0], kept[1]
    return None, None


def _stamp(root: str, path: str) -> str:
    try:
        status = os.stat(os.path.join(root, path))
    except OSError:
        return "missing"
    return f"{status.st_mtime_ns} {status.st_size} {status.st_ino}"


def _is_new(finding: dict[str, Any], known: list[str] | None) -> bool:
    """Whether a mild finding was not there when the file was last looked at."""
    return known is not None and _identity(finding) not in known


def _identity(finding: dict[str, Any]) -> str:
    return text_hash(f"{finding['code']} {finding['message']}")


def _line(finding: dict[str, Any]) -> str:
    """``file:line:column severity code message remedy``."""
    place = f"{finding['path']}:{finding['line']}:{finding['column']}"
    text = " ".join(
        filter(None, (finding["severity"], finding["code"], finding["message"], finding["remedy"]))
    )
    line = f"{place} {text}"
    return line if len(line) <= LENGTH else f"{line[:LENGTH]}…"


def _lint(root: str, paths: list[str]) -> list[dict[str, Any]] | None:
    """The findings in ``paths``; None where the linter was too slow or could not be run."""
    import subprocess

    packages = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _CODE, packages, root, *paths],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=True,
        )
        return list(_read(done.stdout))
    except (OSError, subprocess.SubprocessError, JsonError) as error:
        log.note(error)
        return None


def _read(data: bytes) -> Iterator[dict[str, Any]]:
    found = loads(data.decode("utf-8", "replace"))
    for item in found if isinstance(found, list) else ():
        if isinstance(item, dict):
            yield item
