"""Compiled plans in the user's cache folder, validated by stat alone.

Never in the tree, never with a format that runs code when it is read. The folder must belong to
the user and be closed to others, since what is in it reaches an agent. As in git's index, an
input that is not older than the cached plan itself may have changed in the same tick of the
clock and counts as changed.
"""

from __future__ import annotations

import os
import sys
from marshal import dumps, loads

from synapse_ls.engine import plan as plans
from synapse_ls.engine.hashing import text_hash
from synapse_ls.workspace.stamps import take

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from synapse_ls.engine.plan import Plan
    from synapse_ls.workspace.stamps import Stamp

    Stamps = Mapping[str, Stamp | None]

VERSION = (1, sys.hexversion, plans.FORMAT)
TICK = 20_000_000  # nanoseconds in which two changes may carry one time


def folder() -> str:
    """The cache folder of this user; created by ``prepared`` when something is written."""
    if given := os.environ.get("SYNAPSE_LS_CACHE"):
        return given
    if os.name == "nt":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~\\AppData\\Local")
        return os.path.join(base, "synapse-ls", "cache")
    if sys.platform == "darwin":
        return os.path.expanduser("~/Library/Caches/synapse-ls")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "synapse-ls")


def _trusted(path: str) -> bool:
    """Whether ``path`` is the user's own and nobody else may write there."""
    if os.name == "nt":
        return True
    status = os.stat(path)
    return status.st_uid == os.geteuid() and not status.st_mode & 0o022


def prepared() -> str:
    """The cache folder, made if need be; "" where it cannot be trusted."""
    path = folder()
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path if _trusted(path) else ""


class Cached:
    """A plan with what it was made from.

    always: stamps of inputs that every prompt depends on. content: rule file -> stamp, looked at
    only when a domain of that file takes part. written: time of the cache file in nanoseconds.
    """

    __slots__ = ("always", "content", "plan", "written")

    def __init__(self, plan: Plan, always: Stamps, content: Stamps, written: int) -> None:
        self.plan = plan
        self.always = always
        self.content = content
        self.written = written

    def holds(self) -> bool:
        """Whether every input that every prompt depends on is as it was."""
        return self._same(self.always.items())

    def holds_for(self, files: Iterable[str]) -> bool:
        """Whether these rule files are as they were."""
        return self._same((path, self.content[path]) for path in files if path in self.content)

    def _same(self, stamps: Iterable[tuple[str, Stamp | None]]) -> bool:
        root, safe = self.plan.root, self.written - TICK
        for path, stamp in stamps:
            if take(f"{root}/{path}") != stamp or (stamp is not None and stamp[0] >= safe):
                return False
        return True


def file_name(root: str, profile: str, kind: str) -> str:
    """The name under which something about a tree is kept in the cache folder."""
    return f"{text_hash(root)}-{text_hash(profile)}.{kind}"


def read(root: str, profile: str) -> Cached | None:
    """The cached plan of a tree, or None; what cannot be read or trusted is as good as absent."""
    try:
        path = os.path.join(folder(), file_name(root, profile, "plan"))
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            if not _trusted(os.path.dirname(path)) or not _trusted(path):
                return None
            data = file.read()
        version, always, content, packed = loads(data)
        if version != VERSION:
            return None
        plan = plans.load(packed)
    except (OSError, ValueError, TypeError, EOFError, KeyError):
        return None
    return (
        None
        if plan is None or plan.root != root
        else Cached(plan, always, content, status.st_mtime_ns)
    )


def write(plan: Plan, profile: str, always: Stamps, content: Stamps) -> None:
    """Keep a plan; a cache that cannot be written is no reason to fail."""
    data = dumps((VERSION, dict(always), dict(content), plan.dump()))
    _store(file_name(plan.root, profile, "plan"), data)


def read_memo(root: str, kind: str) -> dict[str, Any]:
    """Small derived values of a tree by key, such as parsed task files."""
    try:
        path = os.path.join(folder(), file_name(root, "", kind))
        with open(path, "rb") as file:
            if not _trusted(os.path.dirname(path)):
                return {}
            version, values = loads(file.read())
    except (OSError, ValueError, TypeError, EOFError):
        return {}
    return values if version == VERSION and isinstance(values, dict) else {}


def write_memo(root: str, kind: str, values: dict[str, Any]) -> None:
    """Keep what ``read_memo`` reads."""
    _store(file_name(root, "", kind), dumps((VERSION, values)))


def _store(name: str, data: bytes) -> None:
    from synapse_ls.sessions.files import PRIVATE_FILE, SessionError, atomic_write

    try:
        base = prepared()
        if base:
            atomic_write(os.path.join(base, name), data, mode=PRIVATE_FILE)
    except (OSError, SessionError):
        return
